"""A cold start: a function creates its clients at start, so that its first invocation only does its own work."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.cold_services import ANSWER, EVENTS, services
from tests.support.cold_start import NoStart, Started, start

# Modules of clients, which are slow to import and to set up.
HEAVY = {"anthropic", "boto3", "botocore", "httpx2", "opensearchpy", "urllib3", "pydantic", "selfrag"}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with services() as running:
        yield running


@pytest.fixture(scope="module")
def started(unpacked: Path, url: str) -> dict[str, Started]:
    """Return each function of a cold question, started and invoked once."""
    return {step: start(unpacked, step, url, event) for step, event in EVENTS.items()}


@pytest.mark.parametrize("step", EVENTS)
def test_the_first_invocation_makes_no_client_and_loads_nothing_heavy(step: str, started: dict[str, Started]) -> None:
    assert started[step].clients == (), "they are made while the function starts"
    assert {module.split(".")[0] for module in started[step].modules} & HEAVY == set()


def test_the_functions_of_a_cold_question_and_of_agents_do_their_work(started: dict[str, Started]) -> None:
    replies = {step: each.reply for step, each in started.items()}
    assert replies["ask"]["statusCode"] == 200
    assert len(json.loads(replies["agents"]["body"])["result"]["tools"]) == 4
    assert replies["plan"]["plan"]["steps"]
    assert replies["decide_retrieval"]["verdict"]["decision"] == "yes"
    assert [passage["text"] for passage in replies["retrieve"]["passages"]] == [ANSWER]
    assert replies["grade_relevance"]["verdict"]["relevant"]
    assert replies["generate"]["answer"].strip()
    assert replies["grade_support"]["verdict"]["level"] == "fully_supported"
    assert replies["compose_answer"]["id"] == "q"


def test_function_with_unreadable_secret_starts_and_fails_when_called(unpacked: Path) -> None:
    nowhere = "http://127.0.0.1:9"
    assert start(unpacked, "decide_retrieval", nowhere).seconds > 0
    with pytest.raises(NoStart, match="TemporarilyUnavailable: the secret key cannot be reached"):
        start(unpacked, "decide_retrieval", nowhere, EVENTS["decide_retrieval"])
