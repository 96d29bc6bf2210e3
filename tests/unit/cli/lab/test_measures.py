"""What is measured of answers: nearness, citations, abstentions, statuses, rounds, seconds and dollars."""

from collections.abc import Sequence
from typing import Any

import pytest

from selfrag.domain.answers import AnswerResponse
from selfrag_cli.lab.matching import quoted_from, same_document
from selfrag_cli.lab.measures import NOT_FOR_IT, Measured, Share, counted, overall
from selfrag_cli.lab.measures import measured as measures_of
from selfrag_cli.lab.question_sets import GoldQuestion
from tests.unit.cli.lab.conftest import gold, reflection, response

KNOWN = gold(answers=("18 weeks",), answerable=True)
NONE = gold(answerable=False)


def measured(question: GoldQuestion, body: dict[str, Any], seconds: float) -> Measured:
    return measures_of(question, AnswerResponse.model_validate(body), seconds)


def test_the_nearest_of_several_right_answers_counts() -> None:
    found = measured(gold(answers=("four months", "18 weeks"), answerable=True), response("18 weeks"), 1.0)
    assert found["f1"] == found["match"] == Share(1)


def test_an_answer_of_several_facts_matches_when_it_says_all_of_them_in_whatever_order() -> None:
    asked = gold(answers=("18 weeks, full pay",), facts=("18 weeks", "full pay"), answerable=True)
    assert measured(asked, response("At full pay, for 18 weeks."), 1.0)["match"] == Share(1)
    assert measured(asked, response("For 18 weeks."), 1.0)["match"] == Share(0)


@pytest.mark.parametrize("status", ["abstained", "failed"])
def test_who_does_not_answer_what_can_be_answered_has_nothing_right(status: str) -> None:
    found = measured(KNOWN, response("Not found: 18 weeks", status), 1.0)
    assert found["f1"] == found["match"] == Share(0)


def test_to_abstain_is_right_where_there_is_no_answer_and_nothing_else_is() -> None:
    assert measured(NONE, response("Not found.", "abstained"), 1.0)["f1"] == Share(1)
    assert measured(NONE, response("18 weeks"), 1.0)["f1"] == Share(0)


def test_nothing_is_said_of_nearness_or_abstention_where_nothing_is_known() -> None:
    found = measured(gold(), response(status="abstained"), 1.0)
    unknown = ("f1", "match", "citation_recall", "citation_precision")
    assert {name: found[name] for name in unknown} == dict.fromkeys(unknown, NOT_FOR_IT)
    assert found["abstention_precision"].of == found["abstention_recall"].of == 0
    assert found["abstained"] == Share(1)


RECALLS = ("recall_at_4", "search_recall")


def recalls(found: Sequence[str], *documents: str) -> list[float | None]:
    said = {**response(), "reflection": reflection(*((document, 0.5) for document in found))}
    measures = measured(gold(documents=documents), said, 1.0)
    return [overall([measures])[name] for name in RECALLS]


def test_the_search_recalls_the_gold_documents_that_it_brought_early_enough_cited_or_not() -> None:
    assert recalls(["b.md", "people/a.md", "b.md", "c.md", "d.md"], "a.md", "d.md") == [1 / 2, 1]
    assert recalls(["a.md", "a.md"], "a.md") == [1, 1]
    assert recalls(["b.md"], "a.md") == [0, 0]


def test_nothing_is_said_of_recall_where_no_document_is_known_or_the_response_names_none() -> None:
    assert recalls(["a.md"]) == recalls([], "a.md") == recalls(["", ""], "a.md") == [None, None]


def test_citations_are_compared_with_the_gold_documents() -> None:
    asked = gold(documents=("people/leave.md", "people/parental-leave.md"))
    cited = [("people/leave.md", "a"), ("people/leave.md", "b"), ("travel/hotels.md", "c")]
    found = measured(asked, response(citations=cited), 1.0)
    assert (found["citation_recall"], found["citation_precision"]) == (Share(1 / 2), Share(1 / 2))


def test_where_only_passages_are_known_a_quote_is_right_if_it_stands_in_one() -> None:
    asked = gold(passages=("Each parent receives\n18 weeks.", "Another."))
    cited = [("x", "Each parent  receives 18 weeks."), ("y", "Each parent receives 20 weeks."), ("z", " ")]
    found = measured(asked, response(citations=cited), 1.0)
    assert (found["citation_recall"], found["citation_precision"]) == (Share(1 / 2), Share(1 / 3))


def test_a_right_abstention_is_in_no_measure_of_searches_and_citations_whatever_documents_the_set_names() -> None:
    asked = gold(documents=("a.md",), answerable=False)
    body = {**response("Not found.", "abstained"), "reflection": reflection(("b.md", 0.5))}
    measures = measured(asked, body, 1.0)
    names = ("citation_recall", "citation_precision", *RECALLS)
    assert {measures[name] for name in names} == {NOT_FOR_IT}
    assert (measures["match"], measures["abstention_recall"]) == (Share(1), Share(1))


def test_each_mean_says_over_how_many_questions_it_is() -> None:
    cited, abstained = response("18 weeks", citations=[("a.md", "q")]), response("Not found.", "abstained")
    known = gold(answers=("18 weeks",), documents=("a.md",), answerable=True)
    measures = [measured(known, body, 1.0) for body in (cited, cited, abstained)]
    n = counted([*measures, *(measured(NONE, abstained, 1.0) for _ in range(2))])
    assert {name: n[name] for name in ("match", "citation_recall", "citation_precision", "abstention_precision")} == {
        "match": 5,
        "citation_recall": 3,
        "citation_precision": 2,
        "abstention_precision": 3,
    }


def test_an_answered_i_do_not_know_scores_nothing() -> None:
    measures = measured(KNOWN, response("I do not know."), 1.0)
    assert (measures["match"], measures["f1"], measures["citation_precision"]) == (Share(0), Share(0), NOT_FOR_IT)


def test_an_answer_without_citations_recalls_nothing_and_has_no_precision() -> None:
    found = measured(gold(documents=("a.md",)), response(), 1.0)
    assert (found["citation_recall"], found["citation_precision"]) == (Share(0), NOT_FOR_IT)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("people/leave.md", "people/leave.md", True),
        ("handbook/people/leave.md", "people/leave.md", True),
        ("leave.md", "./handbook/people/leave.md", True),
        ("people/sick-leave.md", "leave.md", False),
        ("archive/leave.md", "people/leave.md", False),
    ],
)
def test_a_document_is_known_by_the_end_of_its_name(one: str, other: str, same: bool) -> None:
    assert same_document(one, other) is same_document(other, one) is same


def test_a_quote_of_nothing_is_from_nowhere() -> None:
    assert not quoted_from("", "text")


def test_precision_and_recall_of_abstention_are_over_all_questions() -> None:
    abstained, answered = response("Not found.", "abstained"), response("18 weeks")
    asked = [(NONE, abstained), (NONE, abstained), (NONE, answered), (KNOWN, abstained), (KNOWN, answered)]
    found = overall([measured(question, said, 2.0) for question, said in asked])
    assert found["abstention_precision"] == pytest.approx(2 / 3)
    assert found["abstention_recall"] == pytest.approx(2 / 3)
    assert found["abstained"] == pytest.approx(3 / 5)
    assert found["f1"] == pytest.approx(3 / 5)
    assert found["citation_recall"] is None


def test_rounds_calls_seconds_and_dollars_are_means_and_an_unknown_price_counts_in_none() -> None:
    said = [response(usd=0.01, rounds=2), response(usd=None, rounds=4), response(usd=0.03, rounds=6)]
    found = overall([measured(KNOWN, one, seconds) for one, seconds in zip(said, (1.0, 2.0, 6.0), strict=True)])
    assert (found["rounds"], found["seconds"], found["usd"], found["model_calls"]) == (4, 3, 0.02, 8)
