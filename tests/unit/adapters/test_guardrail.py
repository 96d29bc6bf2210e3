"""Promises about a guardrail of Bedrock: what does not clearly pass does not pass."""

import json
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.awsrequest import AWSResponse
from botocore.config import Config
from botocore.exceptions import ReadTimeoutError
from hypothesis import given
from hypothesis import strategies as st

from selfrag.adapters.guardrail import MAX_CHARACTERS, BedrockGuardrail

USAGE = dict.fromkeys(
    ("topicPolicyUnits", "contentPolicyUnits", "wordPolicyUnits", "sensitiveInformationPolicyUnits",
     "sensitiveInformationPolicyFreeUnits", "contextualGroundingPolicyUnits"), 1,
)  # fmt: skip
NONE = {"action": "NONE", "outputs": [], "assessments": [], "usage": USAGE}
MASKED = {**NONE, "action": "GUARDRAIL_INTERVENED", "outputs": [{"text": "Call {PHONE}."}]}
BLOCKED = {**NONE, "action": "GUARDRAIL_INTERVENED", "outputs": [{"text": "Sorry."}]}


class Bedrock:
    """A client of Bedrock whose requests get these replies: a status and a body, or an error of the network."""

    def __init__(self, *replies: Any) -> None:
        config = Config(retries={"total_max_attempts": 1})
        self.client = boto3.client(
            "bedrock-runtime", region_name="eu-central-1", config=config,
            aws_access_key_id="test", aws_secret_access_key="test",
        )  # fmt: skip
        self.client.meta.events.register("before-send.bedrock-runtime", self._reply)
        self._replies, self.requests = list(replies), []
        self.guardrail = BedrockGuardrail(self.client, "abc123", "7")

    def _reply(self, request: Any, **_: Any) -> Any:
        self.requests.append((request.url, json.loads(request.body)))
        reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        if isinstance(reply, Exception):
            raise reply
        status, body = reply if isinstance(reply, tuple) else (200, reply)
        return AWSResponse(request.url, status, {}, _Raw(json.dumps(body).encode()))


class _Raw:
    def __init__(self, body: bytes) -> None:
        self._body = body

    def stream(self, *_: Any, **__: Any) -> Iterator[bytes]:
        yield self._body


def test_a_text_that_the_guardrail_leaves_as_it_is_passes() -> None:
    bedrock = Bedrock(NONE)
    assert bedrock.guardrail.passes("request", ["How many days?"])
    assert bedrock.guardrail.passes("answer", ["25 days."])
    (where, asked), (_, answered) = bedrock.requests
    assert where.endswith("/guardrail/abc123/version/7/apply")
    assert asked == {"source": "INPUT", "content": [{"text": {"text": "How many days?"}}]}
    assert answered["source"] == "OUTPUT"


@pytest.mark.parametrize("reply", [MASKED, BLOCKED, {**NONE, "action": "SOMETHING_NEW"}, {}])
def test_masked_blocked_or_unknown_guardrail_reply_does_not_pass(reply: dict[str, Any]) -> None:
    assert not Bedrock(reply).guardrail.passes("request", ["Call 0170 1234567."])


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (429, "ThrottlingException"), (403, "AccessDeniedException"), (404, "ResourceNotFoundException"),
        (400, "ValidationException"), (400, "ServiceQuotaExceededException"), (500, "InternalServerException"),
    ],
)  # fmt: skip
def test_without_a_verdict_nothing_passes(status: int, code: str) -> None:
    assert not Bedrock((status, {"__type": code, "message": "no"})).guardrail.passes("answer", ["25 days."])


def test_a_guardrail_that_does_not_reply_lets_nothing_pass() -> None:
    late = ReadTimeoutError(endpoint_url="https://bedrock-runtime")
    assert not Bedrock(late).guardrail.passes("request", ["How many days?"])


def test_the_second_of_two_requests_decides_too() -> None:
    texts = ["a" * MAX_CHARACTERS, "b"]
    assert not Bedrock(NONE, BLOCKED).guardrail.passes("answer", texts)
    assert Bedrock(NONE, NONE).guardrail.passes("answer", texts)


@given(st.lists(st.text(max_size=30).map(lambda text: text * 1500), max_size=4))
def test_every_letter_is_checked_in_requests_of_the_size_that_bedrock_takes(texts: list[str]) -> None:
    bedrock = Bedrock(NONE)
    bedrock.guardrail.passes("answer", texts)
    sent = [[block["text"]["text"] for block in body["content"]] for _, body in bedrock.requests]
    assert all(0 < sum(map(len, part)) <= MAX_CHARACTERS for part in sent)
    pieces = [piece for part in sent for piece in part]
    for text in texts:
        for start in range(0, len(text), 500):
            word = text[start : start + 500]
            assert not word.strip() or any(word in piece for piece in pieces)
