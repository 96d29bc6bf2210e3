"""IsSup: claim by claim."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from question.grade_support.logic import Task, grade, level_of
from selfrag.domain.verdicts import Claim
from tests.support.fakes import MemoryCache, grader, passage

TASK = Task(question="?", answer="25 days. From May.", passages=[passage("p1"), passage("p2")])
SUPPORTS = ["full", "partial", "none", "contradicted"]


def says(*claims: tuple[str, list[int]]) -> dict[str, object]:
    return {"claims": [{"claim": f"c{n}", "support": s, "passages": p} for n, (s, p) in enumerate(claims)]}


@pytest.mark.parametrize(
    ("supports", "level"),
    [
        (["full", "full"], "fully_supported"),
        (["full", "none"], "partially_supported"),
        (["partial"], "partially_supported"),
        (["none", "none"], "no_support"),
        (["full", "full", "contradicted"], "no_support"),
    ],
)
def test_the_level_follows_from_the_claims(supports: list[str], level: str) -> None:
    result = grade(TASK, grader(says(*((s, [1]) for s in supports))))
    assert result.verdict.level == level
    assert [claim.support for claim in result.verdict.claims] == supports


def test_passage_numbers_become_passage_ids() -> None:
    claims = grade(TASK, grader(says(("full", [2, 1, 2])))).verdict.claims
    assert claims[0].passage_ids == ["p2", "p1"]


@pytest.mark.parametrize("numbers", [[], [0], [3], [-1]])
def test_support_that_names_no_passage_is_no_support(numbers: list[int]) -> None:
    verdict = grade(TASK, grader(says(("full", numbers)))).verdict
    assert (verdict.level, verdict.claims[0].support) == ("no_support", "none")


@pytest.mark.parametrize("flaw", ["refused", "cut", "malformed", "unavailable"])
def test_a_flawed_reply_is_ungraded_and_not_kept(flaw: str) -> None:
    cache = MemoryCache()
    verdict = grade(TASK, grader(None, flaw, cache)).verdict  # type: ignore[arg-type]
    assert (verdict.level, verdict.claims, cache.kept) == ("ungraded", [], {})


def test_a_verdict_without_claims_is_malformed() -> None:
    with pytest.raises(ValueError, match="at least 1 item"):
        grade(TASK, grader({"claims": []}))


@given(st.lists(st.sampled_from(SUPPORTS), min_size=1))
def test_only_full_claims_alone_make_full_support(supports: list[str]) -> None:
    claims = [Claim(claim="c", support=s, passage_ids=["p"]) for s in supports]  # type: ignore[arg-type]
    assert (level_of(claims) == "fully_supported") == (set(supports) == {"full"})
    if "contradicted" in supports:
        assert level_of(claims) == "no_support"
