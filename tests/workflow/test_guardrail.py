"""Promises about a guardrail: blocked text goes nowhere, whatever the strategy."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from selfrag import bootstrap
from selfrag.api.logic import unfinished
from selfrag.domain.history import steps_of
from tests.support.aws.stack import LocalStack
from tests.support.doubles.model_server import ModelServer
from tests.support.local import QUESTION, forget_verdicts, local_stack

STRATEGIES = ("naive", "self_rag", "corrective", "adaptive", "candidates", "segments")
# All passages have it, and the question has not.
SECRET = "Fact number"


class Words:
    """A guardrail that lets no text with this word pass; None is one that never replies."""

    def __init__(self, word: str | None) -> None:
        self._word, self.sides = word, list[str]()

    def passes(self, side: str, texts: Sequence[str]) -> bool:
        self.sides.append(side)
        return self._word is not None and not any(self._word in text for text in texts)


@contextmanager
def guarded_by(word: str | None) -> Iterator[tuple[LocalStack, ModelServer, Words]]:
    guardrail: Any = Words(word)
    with ModelServer() as model, local_stack(model) as stack, bootstrap.using(guardrail=guardrail):
        forget_verdicts()
        yield stack, model, guardrail


def ask(stack: LocalStack, strategy: str) -> Any:
    execution = stack.execute({**QUESTION, "policy": {**QUESTION["policy"], "strategy": strategy}})
    assert execution.status == "SUCCEEDED"
    return execution


def test_a_history_that_does_not_pass_goes_nowhere_either() -> None:
    with guarded_by("secret") as (stack, model, _):
        history = [{"question": "What is the secret?", "answer": "None."}]
        assert stack.execute({**QUESTION, "history": history}).output["reflection"]["guarded"] == "request"
        assert model.requests == []


@pytest.mark.parametrize("word", ["days?", None])
def test_blocked_request_reaches_no_model_and_no_search(word: str | None) -> None:
    with guarded_by(word) as (stack, model, guardrail):
        for strategy in STRATEGIES:
            response = ask(stack, strategy).output
            assert response["status"] == "abstained"
            assert response["reflection"]["guarded"] == "request"
            assert response["answer"].startswith("The question was not answered: the guardrail")
            assert response["passes"][-1]["why"] == "The guardrail did not let the request pass."
            assert response["path"] == []
            assert response["usage"]["model_calls"] == 0
        assert model.requests == []
        assert set(guardrail.sides) == {"request"}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_blocked_answer_is_withheld_with_all_document_texts(strategy: str) -> None:
    with guarded_by("no such word") as (stack, _, guardrail):
        assert SECRET in ask(stack, strategy).output["answer"]
        assert guardrail.sides == ["request", "answer"]
    with guarded_by(SECRET) as (stack, _, _):
        execution = ask(stack, strategy)
    response = execution.output
    assert response["status"] == "abstained"
    assert response["reflection"]["guarded"] == "answer"
    assert SECRET not in json.dumps(response)
    # A blocked call still has a price.
    assert response["usage"]["cost_usd"] is not None
    assert response["usage"]["model_calls"] > 0
    assert "Generate" in response["path"]


def test_an_abstention_shows_no_passage_that_does_not_pass() -> None:
    responses = []
    for word in ("no such word", SECRET):
        with guarded_by(word) as (stack, model, _):
            model.answers["grade_relevance"] = lambda body: {"reason": "r", "score": 0.0}
            responses.append(ask(stack, "self_rag").output)
    passed, withheld = responses
    assert passed["status"] == withheld["status"] == "abstained"
    assert SECRET in passed["nearest"][0]["text"]
    assert withheld["reflection"]["guarded"] == "answer"
    assert withheld["nearest"] == []


def test_running_guarded_question_shows_no_text() -> None:
    with guarded_by("no such word") as (stack, _, _):
        execution = ask(stack, "candidates")
    steps = steps_of(execution.history)
    view = unfinished("q", "running", steps, QUESTION["question"])
    assert SECRET in view.model_dump_json()
    hidden = view.without_text()
    assert SECRET not in hidden.model_dump_json()
    assert hidden.draft is None
    assert hidden.trace == view.trace
    assert hidden.path == view.path


def test_the_options_of_a_closed_set_are_of_the_request_too() -> None:
    with guarded_by("lethal") as (stack, model, _):
        policy = {**QUESTION["policy"], "strategy": "candidates", "choices": ["harmless", "lethal"]}
        response = stack.execute({**QUESTION, "policy": policy}).output
        assert response is not None
        assert response["reflection"]["guarded"] == "request"
        assert model.requests == []
