"""Questions in worker processes: found wherever they run, and failed, not lost, when their process dies."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import httpx2
import pytest

from cli.local.aws.kept import kept_tables
from cli.local.aws.resources import TABLES
from cli.local.aws.stack import running_stack
from cli.local.serving.gateway import serving
from cli.local.serving.workers import Workers
from selfrag import bootstrap
from selfrag.bootstrap import api
from selfrag.domain.errors import Misconfigured, TemporarilyUnavailable
from tests.e2e.test_api import eventually
from tests.support.remote import Answering

ANSWERS = TABLES["answers_table"][0]


@pytest.fixture
def workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workers]:
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path / "state"))
    with running_stack({"SELFRAG_COLLECTIONS": '["c"]'}, {}, handlers={}), kept_tables():
        made = Workers(api.executions(), 2, Answering)
        with bootstrap.using(executions=made):
            yield made
        made.end()


def asked(question: str) -> dict[str, Any]:
    return {"question": question}


def test_a_question_is_looked_at_in_the_process_that_runs_it(workers: Workers) -> None:
    workers.wait_until_made()
    processes = set()
    for question in ("one", "two"):
        workers.start(question, asked("wait"))
        # A look may come before the process has begun with it.
        found = eventually(lambda q=question: workers.snapshot(q))
        assert found.status == "RUNNING"
        processes |= set(workers.history(question))
    assert len(processes) == 2
    assert workers.snapshot("another") is None
    assert workers.history("another") == []


def test_a_process_that_dies_is_replaced_and_its_question_ends_as_failed(workers: Workers) -> None:
    workers.wait_until_made()
    for _ in range(3):
        with pytest.raises(TemporarilyUnavailable, match="has ended"):
            workers.answer("q", asked("die"))
        workers.start("waits", asked("wait"))
        answered = workers.answer("r", asked("now"))
        assert answered
        assert answered["process"] != os.getpid()
    assert workers.snapshot("q") is None


def test_whoever_looks_at_a_question_whose_process_died_is_told_that_it_failed(workers: Workers) -> None:
    with serving() as url, httpx2.Client(base_url=url, timeout=30) as api:
        workers.expect("q", ["c"], time.time() + 3600)
        assert api.get("/v1/questions/q").json()["status"] == "running"
        workers.start("q", asked("die"))

        def failed() -> dict[str, Any] | None:
            found: dict[str, Any] = api.get("/v1/questions/q?trace=true").json()
            return None if found["status"] == "running" else found

        found = eventually(failed)
        assert (found["status"], found["trace"]) == ("failed", None)


def test_a_response_that_was_kept_before_its_process_died_stays(workers: Workers) -> None:
    item = {"id": {"S": "q"}, "response": {"S": '{"status": "answered"}'}, "collections": {"L": [{"S": "c"}]}}
    boto3.client("dynamodb").put_item(TableName=ANSWERS, Item=item | {"expires_at": {"N": "99999999999"}})
    workers.start("q", asked("die"))
    with pytest.raises(TemporarilyUnavailable):
        workers.answer("r", asked("die"))
    known = workers.known("q", ["c"])
    assert known is not None
    assert (known.response, known.due) == ({"status": "answered"}, 0.0)


def test_a_worker_that_cannot_begin_is_told_and_not_begun_again_and_again(workers: Workers) -> None:
    hopeless = Workers(api.executions(), 1, Answering, "nowhere")
    with pytest.raises(Misconfigured, match="no such home"):
        hopeless.wait_until_made()
    with pytest.raises((TemporarilyUnavailable, Misconfigured)):
        hopeless.answer("q", asked("now"))
    hopeless.end()
