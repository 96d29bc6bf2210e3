"""The paper's strategies over HTTP: each is read, heard and followed up like any other."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import boto3
import httpx2
import pytest

from selfrag.domain.errors import TemporarilyUnavailable
from selfrag.domain.questions import AskRequest
from selfrag_cli.deployment.remote import ask_remote
from selfrag_cli.local.stack import MACHINE_ARN
from tests.e2e.test_api import ASK, eventually, finished, model, problem, serving_api  # noqa: F401 (a fixture)
from tests.e2e.test_events import events, said
from tests.support.doubles.messages_api import fields_of
from tests.support.doubles.model_server import ModelServer

PAPERS = ["candidates", "segments"]


def deciding(first: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Return a model that says `first` of a question, and of an answer that it is complete."""

    def decide(body: dict[str, Any]) -> dict[str, Any]:
        said = "complete" if fields_of(body["messages"][-1]).get("so_far") else first
        return {"reason": "r", "decision": said, "query": "How many days in May?"}

    return decide


@pytest.fixture
def api(model: ModelServer) -> Iterator[httpx2.Client]:  # noqa: F811
    model.answers["decide_retrieval"] = deciding("yes")
    with serving_api(model) as client:
        yield client


@pytest.fixture
def held(model: ModelServer) -> Iterator[threading.Event]:  # noqa: F811
    """Yield a question stays at the judgement of an answer until this is set."""
    release = threading.Event()
    model.answers["grade_utility"] = lambda body: (release.wait(30), {"reason": "r", "score": 5})[1]
    yield release
    release.set()


def asking(strategy: str, **policy: Any) -> dict[str, Any]:
    return {**ASK, "policy": {"web_search": False, "strategy": strategy, **policy}}


def executions() -> int:
    return len(statuses())


@pytest.mark.parametrize("strategy", PAPERS)
def test_a_question_is_answered_at_its_location(api: httpx2.Client, strategy: str) -> None:
    started = api.post("/v1/questions", json=asking(strategy))
    assert started.status_code == 202, started.text
    response = finished(api, started.headers["location"])
    assert (response["id"], response["status"]) == (started.json()["id"], "answered")
    assert "Fact number" in response["answer"]
    assert response["citations"]
    assert response["scores"]
    assert "PickCandidate" in response["path"]
    assert executions() == 1


def test_candidates_can_be_waited_for_and_read_again(api: httpx2.Client) -> None:
    reply = api.post("/v1/ask", json=asking("candidates"))
    assert (reply.status_code, reply.json()["status"]) == (200, "answered"), reply.text
    assert api.get(f"/v1/questions/{reply.json()['id']}").json() == reply.json()


def test_a_closed_set_is_answered_with_one_of_its_options(api: httpx2.Client, model: ModelServer) -> None:  # noqa: F811
    model.answers["choice"] = lambda body: {"option": 2}
    response = api.post("/v1/ask", json=asking("candidates", choices=["true", "false"])).json()
    assert (response["status"], response["answer"]) == ("answered", "false")
    assert len(response["citations"]) == 4


def test_a_tree_is_refused_where_it_would_be_waited_for_and_told_where_to_ask(api: httpx2.Client) -> None:
    refused = problem(api.post("/v1/ask", json=asking("segments")), 400)
    assert "POST /v1/questions" in refused["hint"]


@pytest.mark.parametrize("strategy", PAPERS)
def test_a_repeat_with_the_same_key_is_the_same_question_and_with_another_strategy_a_conflict(
    api: httpx2.Client, strategy: str
) -> None:
    headers = {"Idempotency-Key": "k"}
    first, second = (api.post("/v1/questions", json=asking(strategy), headers=headers).json() for _ in range(2))
    assert first == second
    problem(api.post("/v1/questions", json=ASK, headers=headers), 409)
    finished(api, f"/v1/questions/{first['id']}")
    assert executions() == 1


@pytest.mark.parametrize("strategy", PAPERS)
def test_a_question_at_work_shows_how_far_it_is_to_who_looks_and_to_who_listens(
    api: httpx2.Client, held: threading.Event, strategy: str
) -> None:
    location = api.post("/v1/questions", json=asking(strategy)).headers["location"]

    def written() -> dict[str, Any] | None:
        reply = api.get(location, params={"trace": True}).json()
        states = {step["state"] for step in reply["trace"] or []}
        return reply if {"Retrieve", "GradeRelevance", "Generate"} <= states else None

    view = eventually(written)
    assert (view["status"], "Generate" in view["path"]) == ("running", True)
    assert len(view["passages"]) >= 3
    with api.stream("GET", f"{location}/events") as reply:
        stream = events(reply.iter_lines())
        assert next(stream)["event"] == "progress"
        held.set()
        last = list(stream)[-1]
    assert (last["event"], said(last)) == ("response", finished(api, location))


@pytest.mark.parametrize("strategy", PAPERS)
def test_an_answer_can_be_followed_up_and_judged(api: httpx2.Client, model: ModelServer, strategy: str) -> None:  # noqa: F811
    first = finished(api, api.post("/v1/questions", json=asking(strategy)).headers["location"])
    model.answers["decide_retrieval"] = deciding("continue")
    follow_up = {**asking(strategy), "question": "And in May?", "previous": first["id"]}
    second = finished(api, api.post("/v1/questions", json=follow_up).headers["location"])
    assert second["reflection"]["retrieve"]["decision"] == "continue", second
    assert second["status"] == "answered", second
    assert "The earlier question was not found" not in str(second["usage"]["warnings"])
    judged = api.post(f"/v1/questions/{second['id']}/feedback", json={"useful": True})
    assert judged.status_code in (200, 201), judged.text


def statuses() -> list[str]:
    found = boto3.client("stepfunctions").list_executions(stateMachineArn=MACHINE_ARN)["executions"]
    return [one["status"] for one in found]


@pytest.mark.parametrize("strategy", PAPERS)
def test_the_command_asks_a_deployment_by_the_way_that_its_strategy_takes(api: httpx2.Client, strategy: str) -> None:
    request = AskRequest.model_validate(asking(strategy))
    waited: list[float] = []

    def until_it_has_ended(seconds: float) -> None:
        waited.append(seconds)
        eventually(lambda: True if statuses() == ["SUCCEEDED"] else None)

    response = ask_remote(request, str(api.base_url), "ours", "once", until_it_has_ended)
    assert (response["status"], executions()) == ("answered", 1)
    assert waited == ([] if strategy == "candidates" else [5.0])
    assert ask_remote(request, str(api.base_url), "ours", "once", until_it_has_ended) == response
    assert executions() == 1


def test_the_command_gives_up_a_question_that_is_not_answered_in_its_time_and_says_where_it_will_be(
    api: httpx2.Client, held: threading.Event
) -> None:
    request, waited = AskRequest.model_validate(asking("segments", deadline_seconds=30)), []
    with pytest.raises(TemporarilyUnavailable, match=r"it will be at http://.*/v1/questions/\w{32}"):
        ask_remote(request, str(api.base_url), "ours", pause=waited.append)
    assert sum(waited) == 90
