"""The metrics in CloudWatch that alarms and dashboard use."""

from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel

from selfrag import bootstrap
from selfrag.bootstrap import questions
from selfrag.domain.calls import ModelCall, StepResult
from selfrag.domain.errors import TemporarilyUnavailable
from selfrag.ingestion.record_document.handler import handler as record_document
from selfrag.question.compose_answer.handler import handler as compose_answer
from selfrag.question.retrieve.handler import handler as retrieve
from selfrag.runtime.metrics import count_calls, count_event
from tests.support import steps
from tests.support.fakes import FakeEmbedder, FakeIndex, passage
from tests.support.infra.metrics import EMITTED

TASK: dict[str, Any] = {"id": "abc", "question": "How many days?", "retrieval": {"decision": "yes", "reason": "r"}}


class Anything(BaseModel):
    """A task that any event is."""


def test_step_is_timed_and_its_model_calls_counted_with_cost(emitted: Any) -> None:
    def work(task: Anything) -> StepResult:
        return StepResult(calls=[ModelCall.model_validate(steps.call("generate"))])

    bootstrap.step("retrieve", Anything)(work)({"question": "How many days?"}, None)
    found = emitted()
    assert found["Errors", (("step", "retrieve"),)] == 0
    assert found["Latency", (("step", "retrieve"),)] >= 0
    by_model = (("step", "generate"), ("model", "claude-haiku-5-5"))
    assert (found["ModelCalls", by_model], found["InputTokens", by_model]) == (1, 10)
    assert found["CostUsd", by_model] == pytest.approx(10 * 0.10e-6 + 1 * 0.50e-6)


def test_a_step_that_fails_is_counted_as_an_error(emitted: Any) -> None:
    def work(task: Anything) -> StepResult:
        raise TemporarilyUnavailable("busy")

    with pytest.raises(TemporarilyUnavailable):
        bootstrap.step("retrieve", Anything)(work)({}, None)
    assert emitted()["Errors", (("step", "retrieve"),)] == 1


def test_step_without_a_reply_is_counted_and_logged_as_throttled(
    emitted: Any, caplog: pytest.LogCaptureFixture
) -> None:
    def work(task: Anything) -> StepResult:
        return StepResult(attempts=4, error="TemporarilyUnavailable", throttled=True)

    caplog.set_level("INFO", logger="selfrag")
    result = bootstrap.step("retrieve", Anything)(work)({}, None)
    assert (result["attempts"], result["error"]) == (4, "TemporarilyUnavailable")
    found, by_step = emitted(), (("step", "retrieve"),)
    assert (found["Errors", by_step], found["ThrottledSteps", by_step]) == (1, 1)
    logged = [(record.message, getattr(record, "error", "")) for record in caplog.records]
    assert ("failed", "TemporarilyUnavailable") in logged


def test_a_step_that_was_not_throttled_is_not_counted_as_such(emitted: Any) -> None:
    bootstrap.step("retrieve", Anything)(lambda task: StepResult())({}, None)
    assert {name for name, _ in emitted()} == {"Errors", "Latency"}


def refuse_structured_output() -> None:
    """A refusal by a model that gives verdicts in another way."""
    known = questions.capabilities()
    assert known.record_refusal(
        "a-model", known.profile_for("a-model"), "output_config.format: Extra inputs are not permitted"
    )


def test_a_feature_that_a_model_refuses_is_counted_once_and_logged(emitted: Any, caplog: Any) -> None:
    caplog.set_level("WARNING", logger="selfrag")
    with bootstrap.using():
        refuse_structured_output()
        assert questions.capabilities().profile_for("a-model").way == "offered_tool"
    assert emitted()["RefusedFeatures", (("feature", "json_schema"),)] == 1
    assert [(r.model, r.feature) for r in caplog.records] == [("a-model", "json_schema")]


def search_by_full_text_alone() -> None:
    """A search while the embedding model is too busy."""
    embedder: Any = SimpleNamespace(query=_busy, spread_floor=0.0)
    with bootstrap.using(index=FakeIndex(passage()), embedder=embedder):
        retrieve({"queries": ["days"], "collections": ["c"], "top_k": 1}, None)


def _busy(text: str) -> list[float]:
    raise TemporarilyUnavailable("throttled")


def test_only_search_by_full_text_alone_is_counted(emitted: Any) -> None:
    found = ("FullTextSearches", (("step", "retrieve"),))
    search_by_full_text_alone()
    assert emitted()[found] == 1
    with bootstrap.using(index=FakeIndex(passage()), embedder=FakeEmbedder()):
        retrieve({"queries": ["days"], "collections": ["c"], "top_k": 1}, None)
    assert found not in emitted()


def test_an_answer_is_counted_by_its_status_its_decision_and_its_support(emitted: Any) -> None:
    best = {**steps.answer("25 days."), "support": steps.support("fully_supported")["verdict"]}
    best["utility"] = steps.utility(4)["verdict"]
    relevance = [steps.relevance(name, label)["verdict"] for name, label in (("a", "relevant"), ("b", "irrelevant"))]
    path = ("DecideRetrieval", "GradeRelevance", "Generate", "GradeUtility")
    rounds = [steps.entry(step, turn=turn) for turn, step in enumerate(path)]
    ledger = [{"step": "Retrieve"}, *rounds]
    compose_answer({**TASK, "best": best, "relevance": relevance, "ledger": ledger}, None)
    found = emitted()
    assert found["Questions", (("status", "answered"),)] == 1
    assert found["RetrievalDecisions", (("decision", "yes"),)] == 1
    assert found["SupportLevels", (("level", "fully_supported"),)] == 1
    of_question = {
        name: value for (name, dimensions), value in found.items() if dimensions == (("step", "compose_answer"),)
    }
    assert (of_question["RelevantPassages"], of_question["RetrievedQuestions"]) == (1, 1)
    assert (of_question["Utility"], of_question["Rounds"], of_question["CachedVerdicts"]) == (4, 4, 0)


def test_no_metric_has_the_question_or_the_id_as_a_dimension(emitted: Any) -> None:
    compose_answer(TASK, None)
    words = {word for _, dimensions in emitted() for pair in dimensions for word in pair}
    assert words <= {
        "step",
        "status",
        "strategy",
        "decision",
        "level",
        "compose_answer",
        "abstained",
        "self_rag",
        "yes",
    }


def test_unstored_answer_is_counted_but_not_as_new_question(emitted: Any) -> None:
    assert compose_answer({"id": "a", "unkept": "DynamoDB.AmazonDynamoDBException"}, None) == {}
    found = emitted()
    assert found["UnkeptAnswers", (("step", "compose_answer"),)] == 1
    assert {name for name, _ in found} == {"UnkeptAnswers", "Latency", "Errors"}


def test_question_is_counted_by_strategy_and_logged_with_usage(emitted: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", logger="selfrag")
    compose_answer({**TASK, "strategy": "naive", "retrieval": None, "reflects": False}, None)
    found = emitted()
    assert found["Strategies", (("strategy", "naive"),)] == 1
    assert "RetrievalDecisions" not in {name for name, _ in found}
    (logged,) = [vars(record) for record in caplog.records if record.message == "composed"]
    assert (logged["strategy"], logged["status"], logged["cost_usd"]) == ("naive", "abstained", 0)


def test_metric_list_for_alarms_and_widgets_matches_emitted_metrics(
    emitted: Any,
) -> None:
    best = {"answer": "25 days.", "support": steps.support("fully_supported")["verdict"]}
    best["utility"] = steps.utility(4)["verdict"]
    compose_answer({**TASK, "best": best}, None)
    count_calls([ModelCall.model_validate(steps.call("generate"))], {})
    count_event("grade_support", "VerdictCacheFailures")
    count_event("grade_relevance", "ThrottledSteps")
    count_event("ask", "UnversionedAsks")
    compose_answer({"id": "a", "unkept": "DynamoDB.AmazonDynamoDBException"}, None)
    with bootstrap.using():
        refuse_structured_output()
    search_by_full_text_alone()
    manifest: Any = SimpleNamespace(read=lambda document_id: None, release=lambda record, owner: True)
    document = {"document_id": "d", "key": "c/a.md", "collection": "c", "execution": "e", "status": "ready"}
    with bootstrap.using(manifest=manifest):
        record_document(document, None)
    assert {name: frozenset(dict(dimensions)) for name, dimensions in emitted()} == EMITTED
