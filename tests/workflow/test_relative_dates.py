"""A question with a relative date carries the day of asking to the steps that need it."""

from datetime import UTC, datetime

import pytest

from selfrag.text.relative_dates import has_relative_date
from tests.support.doubles.model_server import ModelServer, step_of
from tests.support.local import QUESTION, local_stack


@pytest.mark.parametrize(
    ("question", "dated"),
    [
        ("How many days were there last month?", {"decide_retrieval", "generate", "rewrite_question"}),
        ("How many?", set()),
    ],
)
def test_day_of_asking_reaches_three_steps(question: str, dated: set[str]) -> None:
    with ModelServer() as model, local_stack(model) as stack:
        scores = iter([0.1] * 4)
        model.answers["grade_relevance"] = lambda body: {"reason": "r", "score": next(scores, 0.9)}
        for asked in (question, f"{question} Really?"):
            stack.execute({**QUESTION, "question": asked})
    day = f'"today": "{datetime.now(UTC).date().isoformat()}"'
    requests = {(step_of(body), day in str(body["messages"])) for body in model.requests}
    assert {step for step, has_day in requests if has_day} == dated
    assert {step for step, has_day in requests if not has_day} >= {"grade_relevance", "grade_support", "grade_utility"}


@pytest.mark.parametrize(
    "question",
    [
        "How many faults does the latest report say?",
        "What changed in the past 3 months?",
        "Wie viele Störungen gab es im letzten Monat?",
        "Wer hat nächsten Montag Dienst?",
        "Quelles pannes le mois dernier ?",
        "¿Cuántas averías hubo el mes pasado?",
        "先月の故障は何件ですか",
        "3か月前の報告",
        "When is the next meeting?",
        "Wann ist die nächste Sitzung?",
        "Which contracts have expired?",
        "지난달 고장은 몇 건인가요?",
    ],
)
def test_relative_date_is_recognised(question: str) -> None:
    assert has_relative_date(question)


@pytest.mark.parametrize(
    "question",
    [
        "What is the hotel limit in London?",
        "What is the notice period after the first year?",
        "Was gilt hier für die Kaution?",
        "Combien de jours de congé y a-t-il ?",
        "¿Hace falta un permiso?",
        "出張は誰が承認しますか",
    ],
)
def test_other_questions_have_no_relative_date(question: str) -> None:
    assert not has_relative_date(question)
