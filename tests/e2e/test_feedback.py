"""Feedback on answers: accepted from their readers, stored once, and replayed by `eval --from`."""

import json
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import boto3
import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from selfrag import bootstrap
from selfrag.adapters.feedback import feedback_of
from selfrag.bootstrap import api as bootstrap_api
from selfrag.domain.feedback import Feedback, FeedbackRequest
from selfrag.domain.fields import MAX_ANSWER_CHARACTERS
from selfrag.domain.validation import explain
from selfrag.ports.executions import Executions
from selfrag_cli.lab.records import read_feedback
from selfrag_cli.local.stores.feedback import LocalFeedback
from selfrag_cli.local.stores.tables import FEEDBACK, Items
from tests.e2e.conftest import Run
from tests.support.aws.resources import FEEDBACK_TABLE, TABLES, bind
from tests.support.command import ROOT
from tests.support.doubles.model_server import ModelServer
from tests.support.serving import ASK, finished, problem

BETTER = {"useful": False, "wrong": ["incomplete"], "answer": "Ten days.", "documents": ["people/leave.md"]}


def asked(api: httpx2.Client, **more: Any) -> dict[str, Any]:
    reply = api.post("/v1/ask", json={**ASK, **more})
    assert reply.status_code == 200, reply.text
    return dict(reply.json())


def say(api: httpx2.Client, question_id: str, said: Any, key: str = "a") -> httpx2.Response:
    return api.post(f"/v1/questions/{question_id}/feedback", json=said, headers={"x-api-key": key})


def kept() -> list[Feedback]:
    return [feedback_of(item) for item in boto3.client("dynamodb").scan(TableName=FEEDBACK_TABLE)["Items"]]


def test_feedback_is_kept_with_the_question_and_what_was_answered(api: httpx2.Client) -> None:
    response = asked(api)
    reply = say(api, response["id"], BETTER)
    assert reply.status_code == 200, reply.text
    assert reply.json().keys() == {"id", "given_at", "expires_at"}
    [feedback] = kept()
    assert (feedback.question, feedback.answered) == (ASK["question"], response["answer"])
    assert feedback.cited == list(dict.fromkeys(one["document"] for one in response["citations"]))
    assert (feedback.collections, feedback.previous, feedback.status) == (["c"], "", "answered")
    assert {name: getattr(feedback, name) for name in BETTER} == BETTER


def test_later_feedback_replaces_own_and_keeps_other_callers(api: httpx2.Client) -> None:
    question_id = asked(api)["id"]
    for said, key in ((BETTER, "a"), ({"useful": False}, "b"), ({"useful": True}, "a")):
        assert say(api, question_id, said, key).status_code == 200
    said_by = [item["id"]["S"] for item in boto3.client("dynamodb").scan(TableName=FEEDBACK_TABLE)["Items"]]
    assert len(said_by) == 2
    assert sorted((feedback.useful, feedback.answer) for feedback in kept()) == [(False, ""), (True, "")]
    assert {key.partition("/")[0] for key in said_by} == {question_id}


def test_feedback_is_taken_from_those_alone_who_may_read_the_answer(api: httpx2.Client) -> None:
    question_id = asked(api)["id"]
    bind("key#others", "another")
    client, table = boto3.client("dynamodb"), TABLES["answers_table"][0]
    item = client.get_item(TableName=table, Key={"id": {"S": question_id}})["Item"]
    client.put_item(TableName=table, Item={**item, "id": {"S": "expired"}, "expires_at": {"N": "1"}})
    unknown = problem(say(api, "unknown", BETTER), 404)
    for refused in (say(api, question_id, BETTER, "others"), say(api, "expired", BETTER)):
        assert {**problem(refused, 404), "request_id": ""} == {**unknown, "request_id": ""}
    assert kept() == []


def test_a_question_at_work_cannot_be_judged_yet(api: httpx2.Client, model: ModelServer) -> None:
    held = threading.Event()
    model.answers["grade_utility"] = lambda body: (held.wait(20), {"reason": "r", "score": 5})[1]
    location = api.post("/v1/questions", json=ASK).headers["location"]
    question_id = location.rpartition("/")[2]
    assert "no answer" in problem(say(api, question_id, BETTER), 409)["detail"]
    held.set()
    finished(api, location)
    assert say(api, question_id, BETTER).status_code == 200


def test_feedback_on_a_follow_up_names_the_question_before(api: httpx2.Client) -> None:
    first = asked(api)["id"]
    follow_up = asked(api, question="And in May?", previous=first)["id"]
    say(api, follow_up, {"useful": True})
    assert [(feedback.question, feedback.previous) for feedback in kept()] == [("And in May?", first)]


def exported(path: Path) -> str:
    """Write the table of feedback as `aws dynamodb scan` prints it, and return the file's name."""
    scanned = boto3.client("dynamodb").scan(TableName=FEEDBACK_TABLE)
    path.write_text(json.dumps({"Items": scanned["Items"], "Count": scanned["Count"]}, indent=2), encoding="utf-8")
    return str(path)


def test_claim_label_becomes_a_row_for_the_support_grader(
    api: httpx2.Client, model: ModelServer, here: Run, tmp_path: Path
) -> None:
    started = api.post("/v1/questions", json=ASK).headers["location"]
    response = finished(api, started)
    labels = [{"claim": 0, "label": "supported"}, {"claim": 0, "label": "partial"}]
    assert say(api, response["id"], {"useful": None, "claims": labels}).status_code == 200
    assert say(api, response["id"], {"useful": True}, "b").status_code == 200
    file = exported(tmp_path / "feedback.json")
    model.requests.clear()
    report = here("eval", "graders", file, "--json").response
    assert report["judged"] == 1
    assert list(report["ways"][0]["confusion"]) == ["partial"]
    assert model.requests == [], "the claim was checked by the same passages, so the verdict is there"


class WithoutHistory:
    """Executions of an Express machine, which keeps no history."""

    def __init__(self, executions: Executions) -> None:
        self.answer, self.expect, self.read_stored = executions.answer, executions.expect, executions.read_stored

    def history(self, question_id: str) -> list[dict[str, Any]]:
        return []


def test_unknown_claims_and_passages_are_refused(api: httpx2.Client) -> None:
    question_id = asked(api)["id"]
    beyond = say(api, question_id, {"useful": None, "claims": [{"claim": 9, "label": "partial"}]})
    assert "has 1 checked claims" in problem(beyond, 409)["detail"]
    parts: Any = {"executions": WithoutHistory(bootstrap_api.executions())}
    with bootstrap.using(**parts):
        unknown = say(api, question_id, {"useful": None, "claims": [{"claim": 0, "label": "partial"}]})
    assert "POST /v1/questions" in problem(unknown, 409)["hint"]
    assert kept() == []


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ({}, "useful is missing"),
        ({"useful": "no"}, "useful was not accepted"),
        ({"useful": False, "wrong": ["ugly"]}, "'incorrect', 'incomplete'"),
        ({"useful": False, "why": "x"}, "the fields are useful, wrong, answer, documents, claims"),
        ({"useful": None, "claims": [{"claim": -1, "label": "partial"}]}, "claims.0.claim was not accepted"),
        ({"useful": None, "claims": [{"claim": 0, "label": "true"}]}, "'supported', 'partial'"),
        ({"useful": None, "claims": [{"claim": 0, "label": "partial"}] * 101}, "claims was not accepted"),
        ({"useful": False, "answer": "a" * (MAX_ANSWER_CHARACTERS + 1)}, "4000 is the limit"),
        ({"useful": False, "answer": "a\x00"}, "NUL"),
        ({"useful": False, "documents": ["a.md"] * 21}, "documents was not accepted"),
        ([], "JSON object such as"),
    ],
)
def test_feedback_that_cannot_be_kept_is_refused_with_what_is_wrong(api: httpx2.Client, said: Any, word: str) -> None:
    assert word in problem(say(api, asked(api)["id"], said), 400)["detail"]
    assert kept() == []


texts = st.text(max_size=20) | st.just("x" * 5000)
anything = st.recursive(st.none() | st.booleans() | st.integers() | texts, lambda inner: st.lists(inner, max_size=3))
fields = st.sampled_from(["useful", "wrong", "answer", "documents", "more"])


@given(st.dictionaries(fields, anything) | st.builds(lambda of: {"useful": True, **of}, st.dictionaries(fields, texts)))
def test_whatever_is_said_is_understood_or_refused_in_a_sentence(said: dict[str, Any]) -> None:
    refusal = ""
    try:
        request = FeedbackRequest.model_validate_json(json.dumps(said))
        assert len(request.model_dump_json().encode()) < 10 * MAX_ANSWER_CHARACTERS
    except ValidationError as error:
        refusal = explain(error, FeedbackRequest)
    assert not refusal or refusal.endswith(".")


def test_answers_confirmed_by_feedback_are_evaluated_again(
    api: httpx2.Client, here: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    response = asked(api)
    right = {"answer": response["answer"].split(".")[0], "documents": [response["citations"][0]["document"]]}
    others = [asked(api, question=question)["id"] for question in ("Who knows?", "Who was pleased?")]
    for question_id, said in (
        (response["id"], {"useful": False, "wrong": ["incomplete"], **right}),
        (others[0], {"useful": False, "wrong": ["unanswerable"]}),
        (others[1], {"useful": True}),
    ):
        assert say(api, question_id, said).status_code == 200
    file = exported(tmp_path / "feedback.json")
    report = here("eval", "--from", file, "--endpoint", str(api.base_url), "--json").response
    measures = report["variants"][0]["measures"]
    assert report["compared"] == 2
    # The first answer matches its feedback; the second should have abstained.
    assert (measures["match"], measures["citation_recall"], measures["abstention_recall"]) == (0.5, 1, 0)


def test_the_laptops_feedback_is_read_by_lines_without_what_has_expired(tmp_path: Path) -> None:
    about = {"question_id": "q", "status": "answered", "answered": "Ten.", "cited": [], "collections": ["c"]}
    with closing(Items()) as items:
        for question, expires_at in (("Kept?", 1 << 40), ("Expired?", 1 << 40)):
            feedback = Feedback(question=question, useful=False, given_at=1, expires_at=expires_at, **about)
            LocalFeedback(items).keep(feedback, question)
        rows = items.all(FEEDBACK)
    rows[0]["expires_at"] = {"N": "1"}
    (tmp_path / "feedback.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    read = read_feedback(tmp_path / "feedback.jsonl")
    assert read is not None
    assert len(read) == 1
    assert read_feedback(ROOT / "pyproject.toml") is None
