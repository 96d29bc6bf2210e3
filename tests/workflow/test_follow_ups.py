"""The stored answer of a question, and a follow-up question."""

import json
import time
from typing import Any

import boto3
import pytest

from selfrag.api.logic import unfinished
from selfrag.domain.errors import InvalidInput
from selfrag.domain.history import steps_of
from tests.support import steps
from tests.support.aws.resources import TABLES
from tests.support.aws.stack import running_stack
from tests.support.steps import Scripted
from tests.workflow.asking import ANSWER, ASKED, NONE, SEARCH, SOME, executed, run


def earlier(**changes: Any) -> dict[str, Any]:
    return {
        "id": {"S": "earlier"},
        "question": {"S": "How many days of leave?"},
        "answer": {"S": "25 days."},
        "collections": {"L": [{"S": "c"}]},
        "evidence": {"L": [{"M": {"passage_id": {"S": "e1"}, "score": {"N": "0.9"}}}]},
        "expires_at": {"N": str(int(time.time()) + 1000)},
        **changes,
    }


FOLLOW_UP = {**ASKED, "previous": "earlier"}
CONTINUE = [steps.retrieval("continue")]


def test_continue_answers_from_the_evidence_of_the_earlier_question() -> None:
    response, scripted = run(FOLLOW_UP, earlier(), decide_retrieval=CONTINUE, retrieve=[steps.found("e1")])
    assert response["path"] == ["DecideRetrieval", "Retrieve", *ANSWER]
    assert scripted.events_of("decide_retrieval")[0]["previous"] == {
        "question": "How many days of leave?",
        "answer": "25 days.",
    }
    (fetched,) = scripted.events_of("retrieve")
    assert (fetched["passage_ids"], fetched["collections"]) == (["e1"], ["c"])
    assert response["reflection"]["relevance"] == [
        {"passage_id": "e1", "document": "", "relevant": True, "score": 0.9, "label": "relevant", "cached": True}
        | {"strips": [], "reason": "", "judged_by": "model", "model": ""}
    ]


def test_every_step_reading_question_gets_same_previous_turn() -> None:
    _, scripted = run(
        FOLLOW_UP, earlier(), decide_retrieval=[steps.retrieval("yes")], grade_relevance=[NONE] * 4 + [SOME]
    )
    turn = scripted.events_of("decide_retrieval")[0]["previous"]
    assert all(turn.values())
    for step in ("grade_relevance", "generate", "grade_utility", "rewrite_question"):
        told = [event["previous"] for event in scripted.events_of(step)]
        assert told
        assert all(previous == turn for previous in told)


def test_client_history_is_read_as_turns_without_evidence() -> None:
    turns = [{"question": "What is leave?", "answer": "Time off."}, {"question": "How much?", "answer": "25 days."}]
    response, scripted = run({**ASKED, "history": turns}, decide_retrieval=CONTINUE)
    assert response["status"] == "answered"
    for step in ("decide_retrieval", "grade_relevance", "generate", "grade_utility"):
        assert {json.dumps(event["previous"]) for event in scripted.events_of(step)} == {
            json.dumps({**turns[1], "before": turns[0]})
        }
    assert not [event for event in scripted.events_of("retrieve") if event.get("passage_ids")]


def test_two_earlier_turns_reach_every_step_that_reads_the_question() -> None:
    before = {"M": {"question": {"S": "What is leave?"}, "answer": {"S": "Time off."}}}
    _, scripted = run(FOLLOW_UP, earlier(turn_before=before), grade_relevance=[NONE] * 4 + [SOME])
    turn = {
        "question": "How many days of leave?",
        "answer": "25 days.",
        "before": {"question": "What is leave?", "answer": "Time off."},
    }
    for step in ("decide_retrieval", "grade_relevance", "generate", "grade_utility", "rewrite_question"):
        assert all(event["previous"] == turn for event in scripted.events_of(step))


def test_previous_turn_is_stored_with_answer_for_next_question() -> None:
    scripted = Scripted()
    with running_stack({}, {}, handlers=scripted.handlers()) as stack:
        client, table = boto3.client("dynamodb"), TABLES["answers_table"][0]
        client.put_item(TableName=table, Item=earlier(expires_at={"N": "99999999999"}))
        stack.execute(FOLLOW_UP, "second")
        stack.execute({**ASKED, "previous": "second"}, "third")
        first, second, third = (
            client.get_item(TableName=table, Key={"id": {"S": name}})["Item"].get("turn_before")
            for name in ("earlier", "second", "third")
        )
    assert first is None
    assert second == {"M": {"question": {"S": "How many days of leave?"}, "answer": {"S": "25 days."}}}
    assert third == {"M": {"question": {"S": ASKED["question"]}, "answer": {"S": "25 days."}}}
    assert scripted.events_of("decide_retrieval")[-1]["previous"]["before"]["question"] == "How many days of leave?"


def test_continue_without_evidence_left_searches() -> None:
    response, _ = run(FOLLOW_UP, earlier(), decide_retrieval=CONTINUE, retrieve=[steps.found(), steps.found("a")])
    assert response["path"] == ["DecideRetrieval", "Retrieve", *SEARCH, *ANSWER]
    assert response["status"] == "answered"


@pytest.mark.parametrize(
    "item",
    [
        None,
        earlier(collections={"L": [{"S": "another-tenants"}]}),
        earlier(collections={"L": [{"S": "c"}, {"S": "another-tenants"}]}),
        earlier(collections={"L": []}),
        earlier(expires_at={"N": "1"}),
        {name: value for name, value in earlier().items() if name in ("id", "collections", "expires_at")},
    ],
    ids=["unknown", "other tenant", "partly other tenant", "no tenant", "expired", "at work"],
)
def test_follow_up_of_a_foreign_or_missing_answer_is_refused(item: Any) -> None:
    response, scripted = run(FOLLOW_UP, item, decide_retrieval=CONTINUE)
    (asked,) = scripted.events_of("decide_retrieval")
    assert "previous" not in asked
    assert scripted.events_of("retrieve")[0]["passage_ids"] == []
    assert "The earlier question was not found, so this one stands alone." in response["usage"]["warnings"]


def test_a_finished_response_is_remembered_as_it_went_out() -> None:
    scripted = Scripted()
    with running_stack({}, {}, handlers=scripted.handlers()) as stack:
        execution = stack.execute(ASKED, "my-question")
        item = boto3.client("dynamodb").get_item(TableName=TABLES["answers_table"][0], Key={"id": {"S": "my-question"}})
    kept = item["Item"]
    assert json.loads(kept["response"]["S"]) == execution.output
    assert kept["collections"] == {"L": [{"S": "c"}]}
    assert len(kept["evidence"]["L"]) == 4
    month = 30 * 86_400
    assert abs(int(kept["expires_at"]["N"]) - time.time() - month) < 3600


def test_a_memory_that_fails_costs_no_answer_and_is_counted() -> None:
    scripted = Scripted()
    with running_stack({}, {}, handlers=scripted.handlers()) as stack:
        boto3.client("dynamodb").delete_table(TableName=TABLES["answers_table"][0])
        execution = stack.execute(FOLLOW_UP)
    assert execution.output is not None
    assert execution.output["status"] == "answered"
    warning = "The earlier answer could not be read, so the question stands alone."
    unkept = "The answer could not be kept, so GET /v1/questions/{id} and follow-ups may not find it."
    assert execution.output["usage"]["warnings"] == [warning, unkept]
    lost = [event["unkept"] for event in scripted.events_of("compose_answer") if "unkept" in event]
    assert lost == ["DynamoDB.ResourceNotFoundException"]


def test_answer_with_uncountable_loss_is_returned_with_warning() -> None:
    composed = steps.Scripted().script["compose_answer"][0]
    scripted = Scripted(compose_answer=[composed, InvalidInput("no")])
    with running_stack({}, {}, handlers=scripted.handlers()) as stack:
        boto3.client("dynamodb").delete_table(TableName=TABLES["answers_table"][0])
        execution = stack.execute(ASKED)
    assert execution.output is not None
    assert execution.output["usage"]["warnings"] == [
        "The answer could not be kept, so GET /v1/questions/{id} and follow-ups may not find it."
    ]


def test_running_follow_up_path_equals_its_response_path() -> None:
    retrieved = [steps.found(), steps.found("a")]
    execution, _ = executed(FOLLOW_UP, earlier(), decide_retrieval=CONTINUE, retrieve=retrieved)
    assert execution.output is not None
    assert unfinished("a", "running", steps_of(execution.history)).path == execution.output["path"]
