"""Messages of selfrag to the person who asked, in the language of the question."""

import re
from typing import Any, get_args

import pytest

from selfrag.domain.answers import AnswerResponse
from selfrag.domain.calls import Flaw
from selfrag.domain.errors import HINTS
from selfrag.domain.scores.shown import Stopped
from selfrag.domain.verdicts import Critique
from selfrag.question.compose_answer.logic import compose
from selfrag.question.compose_answer.messages import MESSAGES, WITHOUT_ANSWER
from selfrag.question.compose_answer.task import ComposeAnswerTask
from selfrag.text.language import Language
from tests.support import steps
from tests.support.words import ASKED_IN, NOT_FOUND_IN

LANGUAGES = get_args(Language)
PLACES = re.compile(r"\{(\w+)\}")


def composed(question: str = "How many days?", **fields: Any) -> AnswerResponse:
    return compose(
        ComposeAnswerTask.model_validate({"id": "abc", "question": question, **fields}), {}, console_links=False
    )


def lost(step: str, **more: Any) -> dict[str, Any]:
    return {"step": step, "turn": 1, "attempts": 1, **more}


def ungraded(flaw: str, **more: Any) -> dict[str, Any]:
    """Return the fields of a question none of whose passages could be graded."""
    verdicts = [steps.relevance(name, "ungraded")["verdict"] for name in "ab"]
    return {"relevance": verdicts, "ledger": [lost("GradeRelevance", flaw=flaw, **more)] * 2}


def test_every_language_has_every_message_with_the_same_values_in_it() -> None:
    places = {code: {name: sorted(PLACES.findall(text)) for name, text in MESSAGES[code].items()} for code in LANGUAGES}
    assert all(places[code] == places["en"] for code in LANGUAGES)
    assert all(len({MESSAGES[code][name] for code in LANGUAGES}) == len(LANGUAGES) for name in MESSAGES["en"])


def test_there_is_a_message_for_every_error_flaw_limit_and_grader() -> None:
    stopped = {f"stopped_{limit}" for limit in get_args(Stopped) if limit}
    assert {*HINTS, *get_args(Flaw), *stopped, *(f"unchecked_{name}" for name in Critique.model_fields)} <= {
        *MESSAGES["en"]
    }


@pytest.mark.parametrize("name", ["policy.deadline_seconds", "policy.max_cost_usd"])
def test_a_field_of_the_request_has_its_name_in_every_language(name: str) -> None:
    (message,) = [key for key, text in MESSAGES["en"].items() if name in text]
    assert all(name in MESSAGES[code][message] for code in LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_abstention_is_in_the_language_of_the_question(language: Language) -> None:
    response = composed(ASKED_IN[language], queries=["leave", "days off"])
    assert response.status == "abstained"
    assert response.answer.startswith(NOT_FOUND_IN[language])
    assert "leave" in response.answer
    assert "days off" in response.answer
    filtered = composed(ASKED_IN[language], filters={"tags": ["hr"]}, ledger=[{"step": "Retrieve", "hits": 0}])
    assert filtered.answer.startswith(MESSAGES[language]["filtered"])


def test_abstention_on_documents_themselves_says_where_their_list_is() -> None:
    assert "GET /v1/documents" in composed("How many documents are there?").answer
    assert "GET /v1/documents" not in composed("How many days are there?").answer


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"late": True}, "no_time"),
        ({"ledger": [lost("Generate", error="BudgetExceeded")]}, "no_money"),
        ({"scores": {"scale": "labels", "stopped": "calls"}}, "no_room"),
    ],
)
def test_limit_without_answer_is_named_in_question_language(
    language: Language, fields: dict[str, Any], message: str
) -> None:
    response = composed(ASKED_IN[language], **fields)
    assert (response.status, response.answer) == ("partial", MESSAGES[language][message])
    assert response.answer in WITHOUT_ANSWER


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_notes_on_an_answer_are_in_the_language_of_the_question(language: Language) -> None:
    best = {"answer": "25.", "utility": {"score": 2}, "cut": True}
    errors = {"GradeSupport": "Unreadable", "GradeUtility": "BudgetExceeded", "RewriteQuestion": "States.Timeout"}
    ledger = [lost(step, error=error) for step, error in errors.items()]
    relevance = [steps.relevance("a", "ungraded")["verdict"], steps.relevance("b", "relevant")["verdict"]]
    counting = {"decision": "yes", "reason": "because", "aggregate": True}
    found = {"relevance": relevance, "retrieval": counting, "text_hits": 102}
    response = composed(ASKED_IN[language], best=best, late=True, ledger=ledger, **found)
    texts = MESSAGES[language]
    assert response.usage.warnings == [
        texts["no_result"].format(step="GradeSupport", error="Unreadable"),
        texts["no_result"].format(step="GradeUtility", error="BudgetExceeded"),
        texts["timed_out"].format(step="RewriteQuestion"),
        texts["ungraded"].format(count=1),
        texts["unchecked_support"],
        texts["little_use"].format(score=2, least=3),
        texts["uncited"],
        texts["answer_cut"],
        texts["stopped_deadline"],
        texts["selection_of"].format(passages=1, hits=102),
    ]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("fields", "step", "messages"),
    [
        ({"ledger": [lost("Generate", flaw="malformed", error="malformed")]}, "Generate", ["malformed"]),
        ({"ledger": [lost("Generate", flaw="refused", error="refused")]}, "Generate", ["refused"]),
        ({"ledger": [lost("Generate", flaw="cut", error="cut")]}, "Generate", ["cut"]),
        (
            {"ledger": [lost("Generate", flaw="unavailable", error="TemporarilyUnavailable")]},
            "Generate",
            ["unavailable", "TemporarilyUnavailable"],
        ),
        ({"ledger": [lost("Retrieve", error="Misconfigured")]}, "Retrieve", ["Misconfigured"]),
        (ungraded("malformed"), "GradeRelevance", ["malformed"]),
        (
            ungraded("unavailable", error="TemporarilyUnavailable"),
            "GradeRelevance",
            ["unavailable", "TemporarilyUnavailable"],
        ),
    ],
)
def test_failed_answer_names_step_and_cause_in_question_language(
    language: Language, fields: dict[str, Any], step: str, messages: list[str]
) -> None:
    response = composed(ASKED_IN[language], **fields)
    causes = ("" if language == "ja" else " ").join(MESSAGES[language][name] for name in messages)
    assert response.status == "failed"
    assert response.answer == MESSAGES[language]["failed"].format(steps=step, causes=causes)


def test_an_error_of_no_kind_of_ours_is_named() -> None:
    response = composed(ledger=[lost("Generate", error="JSONDecodeError")])
    assert response.answer.endswith("a step failed: Generate. An unexpected error occurred: JSONDecodeError.")


def test_failure_beside_decisive_one_is_not_named_as_reason() -> None:
    beside = lost("DecideRetrieval", flaw="unavailable", error="TemporarilyUnavailable")
    response = composed(ledger=[beside, lost("Generate", flaw="refused", error="refused")])
    assert response.answer.endswith("a step failed: Generate. The model refused to reply.")


def test_a_grader_whose_reply_could_not_be_used_is_among_the_warnings() -> None:
    response = composed(best={"answer": "25."}, ledger=[lost("GradeSupport", flaw="malformed")])
    assert "GradeSupport gave no result (malformed)." in response.usage.warnings


@pytest.mark.parametrize("stopped", ["", "cost"])
@pytest.mark.parametrize(
    "fault",
    [
        {"ledger": [lost("Generate", error="TemporarilyUnavailable"), lost("Generate", error="BudgetExceeded")]},
        {"ledger": [lost("Retrieve", error="Misconfigured"), lost("GradeUtility", error="BudgetExceeded")]},
        ungraded("malformed"),
    ],
)
def test_failed_step_is_the_reason_instead_of_the_cost_limit(fault: dict[str, Any], stopped: str) -> None:
    scores = {"scores": {"scale": "labels", "stopped": stopped}} if stopped else {}
    response = composed(**fault, **scores)
    assert response.status == "failed"
    assert not any("cost" in text for text in (response.answer, *response.usage.warnings))


def test_passages_that_no_money_was_left_to_grade_are_no_fault() -> None:
    response = composed(**ungraded("unavailable", error="BudgetExceeded"))
    assert (response.status, response.answer) == ("partial", MESSAGES["en"]["no_money"])
