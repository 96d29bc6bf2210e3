"""The paper's strategies over HTTP: each is read, heard and followed up like any other."""

import threading
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from selfrag.domain.errors import TemporarilyUnavailable
from selfrag.domain.questions import AskRequest
from selfrag_cli.deployment.remote import ask_remote
from tests.support.doubles.messages_api import fields_of
from tests.support.doubles.model_server import ModelServer
from tests.support.serving import ASK, eventually, executions, finished

PAPERS = ["candidates", "segments"]


def deciding(first: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Return a model that says `first` of a question, and of an answer that it is complete."""

    def decide(body: dict[str, Any]) -> dict[str, Any]:
        said = "complete" if fields_of(body["messages"][-1]).get("so_far") else first
        return {"reason": "r", "decision": said, "query": "How many days in May?"}

    return decide


@pytest.fixture(autouse=True)
def decides_to_search(model: ModelServer) -> None:
    """Search, and end an answer after its first sentence."""
    model.answers["decide_retrieval"] = deciding("yes")


def asking(strategy: str, **policy: Any) -> dict[str, Any]:
    return {**ASK, "policy": {"web_search": False, "strategy": strategy, **policy}}


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
    assert len(executions()) == 1


def test_a_closed_set_is_answered_with_one_of_its_options(api: httpx2.Client, model: ModelServer) -> None:
    model.answers["choice"] = lambda body: {"option": 2}
    response = api.post("/v1/ask", json=asking("candidates", choices=["true", "false"])).json()
    assert (response["status"], response["answer"]) == ("answered", "false")
    assert len(response["citations"]) == 4


@pytest.mark.parametrize("strategy", PAPERS)
def test_a_running_question_shows_how_far_it_is(api: httpx2.Client, held: threading.Event, strategy: str) -> None:
    location = api.post("/v1/questions", json=asking(strategy)).headers["location"]

    def written() -> dict[str, Any] | None:
        reply = api.get(location, params={"trace": True}).json()
        states = {step["state"] for step in reply["trace"] or []}
        return reply if {"Retrieve", "GradeRelevance", "Generate"} <= states else None

    view = eventually(written)
    assert (view["status"], "Generate" in view["path"]) == ("running", True)
    assert len(view["passages"]) >= 3
    held.set()
    assert finished(api, location)["status"] == "answered"


@pytest.mark.parametrize("strategy", PAPERS)
def test_an_answer_can_be_followed_up_and_judged(api: httpx2.Client, model: ModelServer, strategy: str) -> None:
    first = finished(api, api.post("/v1/questions", json=asking(strategy)).headers["location"])
    model.answers["decide_retrieval"] = deciding("continue")
    follow_up = {**asking(strategy), "question": "And in May?", "previous": first["id"]}
    second = finished(api, api.post("/v1/questions", json=follow_up).headers["location"])
    assert second["reflection"]["retrieve"]["decision"] == "continue", second
    assert second["status"] == "answered", second
    assert "The earlier question was not found" not in str(second["usage"]["warnings"])
    judged = api.post(f"/v1/questions/{second['id']}/feedback", json={"useful": True})
    assert judged.status_code in (200, 201), judged.text


@pytest.mark.parametrize("strategy", PAPERS)
def test_the_command_asks_a_deployment_by_the_way_that_its_strategy_takes(api: httpx2.Client, strategy: str) -> None:
    request = AskRequest.model_validate(asking(strategy))
    waited: list[float] = []

    def until_it_has_ended(seconds: float) -> None:
        waited.append(seconds)
        eventually(lambda: True if [one["status"] for one in executions()] == ["SUCCEEDED"] else None)

    response = ask_remote(request, str(api.base_url), "ours", "once", until_it_has_ended)
    assert (response["status"], len(executions())) == ("answered", 1)
    assert waited == ([] if strategy == "candidates" else [5.0])
    assert ask_remote(request, str(api.base_url), "ours", "once", until_it_has_ended) == response
    assert len(executions()) == 1


def test_command_times_out_and_names_where_the_answer_will_be(api: httpx2.Client, held: threading.Event) -> None:
    request, waited = AskRequest.model_validate(asking("segments", deadline_seconds=30)), []
    with pytest.raises(TemporarilyUnavailable, match=r"it will be at http://.*/v1/questions/\w{32}"):
        ask_remote(request, str(api.base_url), "ours", pause=waited.append)
    assert sum(waited) == 90
