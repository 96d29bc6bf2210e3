"""Citations repaired by IsSup: a sentence cites a passage that supports it."""

import pytest

from selfrag.domain.answers import UNCITED, Citation
from selfrag.domain.citations import citation_of
from selfrag.domain.verdicts import Claim
from selfrag.question.grade_support.check import repair_citations
from selfrag.question.grade_support.evidence import AnswerEvidence
from tests.support.fakes import passage

ALPHA = passage("alpha", "Leave is 25 days. It begins in May.", document="alpha.md")
BETA = passage("beta", "Meals cost 10 EUR. Ask the desk.", document="beta.md")
PASSAGES = [ALPHA, BETA]
LEAVE = Claim(claim="You get 25 days of leave.", support="full", passage_ids=["alpha"])
MEALS = Claim(claim="A meal costs 10 EUR.", support="full", passage_ids=["beta"])
BOTH = "You get 25 days of leave. A meal costs 10 EUR."
FIRST, SECOND = (0, 26), (26, 46)


def citing(found: object, span: tuple[int, int]) -> Citation:
    return citation_of(found, 0, 17, span)  # type: ignore[arg-type]


def test_citations_off_by_one_are_replaced_by_passages_issup_names() -> None:
    wrong = [citing(BETA, FIRST), citing(ALPHA, SECOND)]
    repaired = repair_citations(BOTH, wrong, [LEAVE, MEALS], AnswerEvidence(PASSAGES))
    assert (repaired.answer, repaired.repaired) == (BOTH, 2)
    assert [(c.document, c.quote, BOTH[slice(*c.answer_span)].strip()) for c in repaired.citations] == [
        ("alpha.md", "Leave is 25 days.", "You get 25 days of leave."),
        ("beta.md", "Meals cost 10 EUR.", "A meal costs 10 EUR."),
    ]


def test_a_citation_of_a_passage_that_issup_names_stays() -> None:
    right = [citing(ALPHA, FIRST), citing(BETA, SECOND)]
    assert repair_citations(BOTH, right, [LEAVE, MEALS], AnswerEvidence(PASSAGES)).repaired == 0


def test_repair_replaces_one_wrong_citation_and_keeps_other_in_place() -> None:
    repaired = repair_citations(
        BOTH, [citing(ALPHA, FIRST), citing(ALPHA, SECOND)], [LEAVE, MEALS], AnswerEvidence(PASSAGES)
    )
    assert ([c.passage_id for c in repaired.citations], repaired.repaired) == (["alpha", "beta"], 1)
    assert repaired.citations[0].answer_span == FIRST


def test_invalid_citations_are_replaced_by_passages_of_the_claims() -> None:
    marked = f"You get 25 days of leave. {UNCITED} A meal costs 10 EUR. {UNCITED}"
    repaired = repair_citations(marked, [], [LEAVE, MEALS], AnswerEvidence(PASSAGES))
    assert (repaired.answer, [c.passage_id for c in repaired.citations]) == (BOTH, ["alpha", "beta"])
    assert [repaired.answer[slice(*c.answer_span)] for c in repaired.citations] == [
        "You get 25 days of leave.", "A meal costs 10 EUR.",
    ]  # fmt: skip


def test_a_sentence_without_a_citation_beside_cited_ones_keeps_its_mark() -> None:
    marked = f"You get 25 days of leave. A meal costs 10 EUR. {UNCITED}"
    assert repair_citations(marked, [citing(ALPHA, FIRST)], [LEAVE, MEALS], AnswerEvidence(PASSAGES)).repaired == 0


@pytest.mark.parametrize("support", ["none", "contradicted"])
def test_a_passage_that_does_not_support_a_claim_repairs_nothing(support: str) -> None:
    claim = LEAVE.model_copy(update={"support": support})
    assert (
        repair_citations(
            "You get 25 days of leave.", [citing(BETA, (0, 25))], [claim], AnswerEvidence(PASSAGES)
        ).repaired
        == 0
    )


def test_the_only_sentence_is_repaired_by_all_claims_whatever_their_words() -> None:
    japanese = Claim(claim="休暇は25日です。", support="full", passage_ids=["alpha"])
    repaired = repair_citations("休暇は二十五日です。", [citing(BETA, (0, 10))], [japanese], AnswerEvidence(PASSAGES))
    assert [(c.passage_id, c.quote) for c in repaired.citations] == [("alpha", "Leave is 25 days.")]


def test_judge_that_names_a_passage_less_like_the_sentence_repairs_nothing() -> None:
    claim = Claim(claim="You get 25 days of leave.", support="full", passage_ids=["beta"])
    cited = [citing(ALPHA, (0, 25))]
    assert repair_citations("You get 25 days of leave.", cited, [claim], AnswerEvidence(PASSAGES)).repaired == 0
