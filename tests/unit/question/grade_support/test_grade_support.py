"""IsSup: claim by claim."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfrag.domain.steps import GradeSupportTask
from selfrag.domain.verdicts import Claim, level_of
from selfrag.judging.graders import Grader
from selfrag.ports.model import Flaw
from selfrag.question.grade_support.judge import MAX_MISSING_CHARACTERS
from selfrag.question.grade_support.logic import grade
from tests.support.fakes import PROMPT, FakeClaude, MemoryCache, grader, passage, remembering

TASK = GradeSupportTask(question="?", answer="25 days. From May.", passages=[passage("p1"), passage("p2")])
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


@pytest.mark.parametrize("support", ["partial", "none", "contradicted", "full"])
def test_only_claims_without_full_support_report_missing_facts(support: str) -> None:
    judged = {"claim": "c", "support": support, "passages": [1], "missing": "payment  date\nof the allowance"}
    [claim] = grade(TASK, grader({"claims": [judged]})).verdict.claims
    assert claim.missing == ("" if support == "full" else "payment date of the allowance")


@pytest.mark.parametrize(
    ("missing", "kept"),
    [
        ("word " * 60, " ".join(["word"] * 40)),
        ("x" * 300, "x" * MAX_MISSING_CHARACTERS),
        ("x" * 200, "x" * 200),
        (f"{'x' * 195} word ends", f"{'x' * 195} word"),
        (f"{'x' * 195} words end", f"{'x' * 195}"),
    ],
)
def test_a_long_phrase_of_what_is_missing_is_cut_at_a_word(missing: str, kept: str) -> None:
    judged = {"claim": "c", "support": "none", "passages": [], "missing": missing}
    [claim] = grade(TASK, grader({"claims": [judged]})).verdict.claims
    assert claim.missing == kept


SMALL, STRONG = "claude-haiku-5-5", "claude-sonnet-5-5"
YES = {"claim": "Leave is 25 days a year.", "support": "full", "passages": [1]}
OTHER = {"claims": [{"claim": "Leave is 25 days.", "support": "partial", "passages": [1]}]}


class Model(FakeClaude):
    """A model by this name."""

    def __init__(self, name: str, says: object, flaw: Flaw | None = None) -> None:
        super().__init__(says, flaw)
        self.name = name

    def model_of(self, step: str) -> str:
        return self.name


def pair(small: Model, strong: Model, cache: MemoryCache | None = None) -> Grader:
    first = Grader("grade_support_first", PROMPT, remembering(small, cache))
    return Grader("grade_support", PROMPT, remembering(strong, cache), first)


def test_the_small_models_verdict_stands_where_nobody_doubts() -> None:
    small, strong = Model(SMALL, {"claims": [YES, YES]}), Model(STRONG, OTHER)
    result = grade(TASK, pair(small, strong))
    assert (result.verdict.level, result.verdict.model, strong.asked) == ("fully_supported", SMALL, [])
    assert (len(result.calls), result.attempts) == (1, 1)
    assert [call.step for call in result.calls] == ["grade_support"]


@pytest.mark.parametrize(
    "doubtful",
    [
        {**YES, "support": "partial"},
        {**YES, "support": "contradicted"},
        {**YES, "support": "none"},
        {**YES, "passages": []},
        {**YES, "passages": [3]},
        {**YES, "claim": "Leave is 26 days a year."},
        {**YES, "claim": "Leave in Lisbon is 25 days a year."},
        {**YES, "claim": "It begins in June."},
    ],
    ids=["partial", "contradicted", "none", "no passage", "no such passage", "number", "name", "date"],
)
def test_stronger_model_judges_whole_answer_when_small_model_or_code_doubts(
    doubtful: dict[str, object],
) -> None:
    small, strong = Model(SMALL, {"claims": [YES, doubtful]}), Model(STRONG, OTHER)
    result = grade(TASK, pair(small, strong))
    assert (result.verdict.level, result.verdict.model) == ("partially_supported", STRONG)
    assert [claim.claim for claim in result.verdict.claims] == ["Leave is 25 days."]
    assert strong.asked == small.asked
    assert (len(result.calls), result.attempts) == (2, 2)
    assert {call.step for call in result.calls} == {"grade_support"}


@pytest.mark.parametrize("flaw", ["refused", "cut", "malformed", "unavailable"])
def test_flawed_reply_of_small_model_defers_to_stronger_model(flaw: Flaw) -> None:
    result = grade(TASK, pair(Model(SMALL, None, flaw), Model(STRONG, OTHER)))
    assert (result.verdict.level, result.verdict.model, result.error) == ("partially_supported", STRONG, None)
    assert result.attempts == (5 if flaw == "unavailable" else 2)
    assert result.throttled == (flaw == "unavailable")


@pytest.mark.parametrize("flaw", ["refused", "cut", "malformed", "unavailable"])
def test_in_doubt_a_stronger_model_without_a_verdict_leaves_the_answer_ungraded(flaw: Flaw) -> None:
    small = Model(SMALL, {"claims": [{**YES, "support": "partial"}]})
    result = grade(TASK, pair(small, Model(STRONG, None, flaw)))
    assert (result.verdict.level, result.verdict.claims, result.verdict.model) == ("ungraded", [], "")
    assert result.error == ("TemporarilyUnavailable" if flaw == "unavailable" else None)


def test_each_model_is_remembered_under_its_own_key() -> None:
    cache = MemoryCache()
    models = Model(SMALL, {"claims": [{**YES, "support": "none"}]}), Model(STRONG, OTHER)
    first, again = (grade(TASK, pair(*models, cache)) for _ in range(2))
    assert len(cache.kept) == 2
    assert (first.verdict.cached, again.verdict.cached) == (False, True)
    assert (again.calls, again.attempts, again.verdict.model) == ([], 0, STRONG)
    assert again.verdict.claims == first.verdict.claims


@pytest.mark.parametrize("may_repair", [True, False])
def test_contradiction_by_small_model_goes_to_repair_or_stronger_model(
    may_repair: bool,
) -> None:
    small = Model(SMALL, {"claims": [YES, {**YES, "support": "contradicted"}]})
    result = grade(TASK.model_copy(update={"may_repair": may_repair}), pair(small, Model(STRONG, OTHER)))
    assert result.verdict.model == (SMALL if may_repair else STRONG)
    assert result.verdict.level == ("no_support" if may_repair else "partially_supported")


def test_a_claim_that_is_denied_without_a_passage_is_judged_again() -> None:
    small = Model(SMALL, {"claims": [{**YES, "support": "contradicted", "passages": []}]})
    result = grade(TASK.model_copy(update={"may_repair": True}), pair(small, Model(STRONG, OTHER)))
    assert result.verdict.model == STRONG


def test_the_judge_is_told_which_passage_is_an_older_version() -> None:
    texts = {
        "p1": ("It opens at eight.", "2026-03-01"),
        "p2": ("It opens at six.", "2024-03-01"),
        "p3": ("Dogs.", None),
    }
    passages = [passage(name, text, date=date) for name, (text, date) in texts.items()]
    judge = grader(says(("full", [1])))
    grade(TASK.model_copy(update={"passages": passages}), judge)
    grade(TASK, judge)
    asked = judge.claude.asked  # type: ignore[attr-defined]
    assert [fields.get("newer_versions") for fields in asked] == [[{"passage": 2, "newer": 1}], None]
