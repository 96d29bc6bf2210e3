"""A cold start: a function makes what it needs while it starts, so that its first invocation does its work alone."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.cold_services import ANSWER, PASSAGE, services
from tests.support.cold_start import NoStart, start

QUESTION = "How many weeks of parental leave does each parent receive?"
_HTTP = {
    "httpMethod": "POST",
    "path": "/v1/ask",
    "body": f'{{"question": "{QUESTION}"}}',
    "headers": {"content-type": "application/json"},
    "multiValueHeaders": {},
    "requestContext": {"requestId": "r", "path": "/live/v1/ask", "stage": "live", "identity": {"apiKeyId": "k"}},
}
EVENTS: dict[str, dict[str, Any]] = {
    "ask": _HTTP,
    "plan": {"question": QUESTION, "collections": ["handbook"], "began_ms": 0, "now_ms": 0},
    "decide_retrieval": {"question": QUESTION},
    "retrieve": {"queries": [QUESTION], "collections": ["handbook"], "top_k": 4},
    "grade_relevance": {"question": QUESTION, "passage": PASSAGE},
    "generate": {"question": QUESTION, "passages": [PASSAGE]},
    "grade_support": {"question": QUESTION, "answer": ANSWER, "passages": [PASSAGE]},
    "compose_answer": {"id": "q", "question": QUESTION, "retrieval": {"decision": "yes", "reason": "r"}},
}
# What makes clients: loading it, and letting it make one, is what takes long.
HEAVY = {"anthropic", "boto3", "botocore", "httpx2", "opensearchpy", "urllib3", "pydantic", "selfrag"}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with services() as running:
        yield running


@pytest.mark.parametrize("step", EVENTS)
def test_the_first_invocation_makes_no_client_and_loads_nothing_heavy(step: str, unpacked: Path, url: str) -> None:
    started = start(unpacked, step, url, EVENTS[step])
    assert started.clients == (), "they are made while the function starts"
    assert {module.split(".")[0] for module in started.modules} & HEAVY == set()


def test_the_eight_functions_of_a_cold_question_do_their_work(unpacked: Path, url: str) -> None:
    replies = {step: start(unpacked, step, url, event).reply for step, event in EVENTS.items()}
    assert replies["ask"]["statusCode"] == 200
    assert replies["plan"]["plan"]["steps"]
    assert replies["decide_retrieval"]["verdict"]["decision"] == "yes"
    assert [passage["text"] for passage in replies["retrieve"]["passages"]] == [ANSWER]
    assert replies["grade_relevance"]["verdict"]["relevant"]
    assert replies["generate"]["answer"].strip()
    assert replies["grade_support"]["verdict"]["level"] == "fully_supported"
    assert replies["compose_answer"]["id"] == "q"


def test_a_function_whose_secret_cannot_be_read_starts_and_says_so_when_it_is_called(unpacked: Path) -> None:
    nowhere = "http://127.0.0.1:9"
    assert start(unpacked, "decide_retrieval", nowhere).seconds > 0
    with pytest.raises(NoStart, match="TemporarilyUnavailable: the secret key cannot be reached"):
        start(unpacked, "decide_retrieval", nowhere, EVENTS["decide_retrieval"])
