"""Deletion of a question removes its answer, its feedback and the record of its request, and nothing else."""

import json
import threading
from typing import Any

import boto3
import httpx2
import pytest

from tests.e2e.test_feedback import say
from tests.support.aws.resources import FEEDBACK_TABLE, REQUESTS_TABLE, TABLES, bind
from tests.support.doubles.model_server import ModelServer
from tests.support.serving import ASK, finished, problem


def items(table: str) -> list[dict[str, Any]]:
    scanned: list[dict[str, Any]] = boto3.client("dynamodb").scan(TableName=table)["Items"]
    return scanned


def ask(api: httpx2.Client, path: str, key: str = "") -> str:
    """Ask a question, and return its id when it has an answer."""
    reply = api.post(path, json=ASK, headers={"idempotency-key": key} if key else {})
    question_id = str(reply.json()["id"])

    assert finished(api, f"/v1/questions/{question_id}")["status"] == "answered"
    return question_id


@pytest.mark.parametrize("path", ["/v1/ask", "/v1/questions"])
def test_deleted_question_leaves_tables_and_reply_names_retained_data(api: httpx2.Client, path: str) -> None:
    other, question_id = ask(api, path, "key-1"), ask(api, path, "key-2")
    for key in ("a", "b"):
        assert say(api, question_id, {"useful": True}, key).status_code == 200
    assert say(api, other, {"useful": True}).status_code == 200
    deleted = api.delete(f"/v1/questions/{question_id}")
    assert (deleted.status_code, deleted.json()["id"]) == (200, question_id)
    retained = " ".join(deleted.json()["retained"])
    assert all(words in retained for words in ("90 days", "35 days", "Logs", "follow-up"))
    for table in (TABLES["answers_table"][0], FEEDBACK_TABLE, REQUESTS_TABLE):
        text = json.dumps(items(table))
        assert question_id not in text
        assert other in text
    problem(api.get(f"/v1/questions/{question_id}"), 404)
    problem(api.delete(f"/v1/questions/{question_id}"), 404)
    problem(say(api, question_id, {"useful": True}), 404)
    # The same request is a new question, and the other one is still the same.
    assert ask(api, path, "key-2") != question_id
    assert ask(api, path, "key-1") == other


def test_only_who_may_read_a_question_deletes_it(api: httpx2.Client) -> None:
    question_id = ask(api, "/v1/ask")
    bind("key#stranger", "elsewhere")
    bind("key#uploader", "c", actions=["upload"])
    strangers = {"stranger": 404, "uploader": 403, "unbound": 403}
    for key, status in strangers.items():
        problem(api.delete(f"/v1/questions/{question_id}", headers={"x-api-key": key}), status)
    assert api.get(f"/v1/questions/{question_id}").status_code == 200


def test_a_question_at_work_is_deleted_when_it_has_ended(api: httpx2.Client, model: ModelServer) -> None:
    waits = threading.Event()
    model.answers["generate"] = lambda body: (waits.wait(20), {"answer": "Ten days."})[1]
    question_id = api.post("/v1/questions", json=ASK).json()["id"]
    refused = api.delete(f"/v1/questions/{question_id}")
    problem(refused, 409)
    assert refused.headers["retry-after"] == "5"
    waits.set()
    finished(api, f"/v1/questions/{question_id}")
    assert api.delete(f"/v1/questions/{question_id}").status_code == 200


def test_a_key_that_was_used_again_keeps_its_later_question(api: httpx2.Client) -> None:
    earlier = ask(api, "/v1/ask", "key")
    [record] = items(REQUESTS_TABLE)
    # As a day later, when the record has expired.
    later = ask(api, "/v1/ask")
    record["data"] = {"S": json.dumps(later)}
    boto3.client("dynamodb").put_item(TableName=REQUESTS_TABLE, Item=record)
    assert api.delete(f"/v1/questions/{earlier}").status_code == 200
    assert items(REQUESTS_TABLE) == [record]
