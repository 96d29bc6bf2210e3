"""Clients of OpenAI's API at a deployment, through API Gateway: keys in either header, their quota, and streams."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import boto3
import httpx2

from tests.support.compatible import assert_conforms, parts_of
from tests.support.doubles.stand_in import MessagesServer
from tests.support.infra.asking import RetryingTransport, api_key, at
from tests.support.infra.emulator import Stack
from tests.support.infra.tenants import new_key

CHAT, RESPONSES = "/v1/chat/completions", "/v1/responses"


def clients_of_openais_api_are_answered(stack: Stack, question: str, answer: str) -> None:
    """Ask as such clients do, and as those whom API Gateway, or the function, refuses."""
    body = {"model": "selfrag", "messages": [{"role": "user", "content": question}]}
    with httpx2.Client(timeout=60, transport=RetryingTransport()) as api:
        for headers, status in (
            ({"x-api-key": api_key(stack)}, 200),
            ({"authorization": f"Bearer {api_key(stack)}"}, 200),
            ({"authorization": f"bearer {api_key(stack)}", "x-api-key": "nobody"}, 403),
            ({"authorization": "Bearer nobody"}, 403),
            ({"authorization": f"Basic {api_key(stack)}"}, 401),
            ({}, 401),
        ):
            assert api.get(stack.url("/v1/models"), headers=headers).status_code == status, headers
        api.headers["authorization"] = f"Bearer {api_key(stack)}"
        whole = api.post(stack.url(CHAT), json=body).json()
        assert_conforms(CHAT, whole, whole=True)
        assert answer in whole["choices"][0]["message"]["content"]
        streamed = api.post(stack.url(CHAT), json={**body, "stream": True})
        assert streamed.headers["content-type"] == "text/event-stream"
        parts = list(parts_of([streamed.text]))
        assert len(parts) > 3
        assert answer in "".join(part["choices"][0]["delta"].get("content", "") for part in parts)
        foreign = api.post(stack.url(CHAT), json={**body, "model": "selfrag/foreign"})
        api.headers["authorization"] = f"Bearer {new_key(stack)}"
        unbound = api.post(stack.url(CHAT), json=body)
        for refused in (foreign, unbound):
            assert_conforms(CHAT, refused.json())
            assert (refused.status_code, refused.json()["error"]["type"]) == (403, "permission_error")
    _a_key_beyond_its_quota_is_refused(stack)


def _a_key_beyond_its_quota_is_refused(stack: Stack) -> None:
    gateway = boto3.client("apigateway", **at(stack))
    [own] = gateway.get_usage_plans()["items"]
    plan = gateway.create_usage_plan(
        name="small", apiStages=own["apiStages"], quota={"limit": 1, "period": "DAY"}, throttle=own["throttle"]
    )
    key = gateway.create_api_key(name="small", enabled=True)
    gateway.create_usage_plan_key(usagePlanId=plan["id"], keyId=key["id"], keyType="API_KEY")
    headers = {"authorization": f"Bearer {key['value']}"}
    first, second = (httpx2.get(stack.url("/v1/models"), headers=headers) for _ in range(2))
    # API Gateway's own errors are problems, whatever the path.
    assert (first.status_code, second.status_code) == (403, 429), "it is not bound, and then used up"
    assert second.json()["detail"] == "The key's quota for the day is used up."
    gateway.delete_usage_plan(usagePlanId=plan["id"])


def clients_learn_why_an_answer_is_missing_or_partial(stack: Stack, model: MessagesServer, question: str) -> None:
    """Ask beyond the daily cap, with a step that fails, and with a model that is silent until the deadline."""
    with _spent(stack):
        for path in (CHAT, RESPONSES):
            reply = _ask(stack, path, f"{question} (spent)", httpx2.HTTPTransport())
            assert_conforms(path, reply.json())
            assert (reply.status_code, reply.json()["error"]["type"]) == (429, "rate_limit_error")
            assert int(reply.headers["retry-after"]) > 0
    with model.faults(refused="generate"):
        assert outcomes(stack, f"{question} (refused)", "step failed") == {
            CHAT: ("failed", "stop"),
            RESPONSES: ("failed", "failed"),
        }
    with model.faults(stalled="grade_support"):
        assert outcomes(stack, f"{question} (late)", "Not checked") == {
            CHAT: ("partial", "length"),
            RESPONSES: ("partial", "completed"),
        }


def outcomes(stack: Stack, question: str, text: str) -> dict[str, tuple[str, str]]:
    """Ask both APIs at once; return each reply's status in selfrag's terms and in the API's. The reply holds `text`."""
    paths = (CHAT, RESPONSES)
    with ThreadPoolExecutor() as pool:
        replies = list(pool.map(lambda path: _ask(stack, path, question, RetryingTransport()), paths))
    found = {}
    for path, reply in zip(paths, replies, strict=True):
        assert (reply.status_code, text in reply.text) == (200, True), reply.text
        body = reply.json()
        assert_conforms(path, body, whole=True)
        status = body["choices"][0]["finish_reason"] if path == CHAT else body["status"]
        found[path] = (body["selfrag"]["status"], status)
    return found


def _ask(stack: Stack, path: str, question: str, transport: httpx2.HTTPTransport) -> httpx2.Response:
    text: dict[str, Any] = (
        {"messages": [{"role": "user", "content": question}]} if path == CHAT else {"input": question}
    )
    headers = {"authorization": f"Bearer {api_key(stack)}"}
    with httpx2.Client(timeout=60, transport=transport, headers=headers) as api:
        return api.post(stack.url(path), json={"model": "selfrag", **text})


@contextmanager
def _spent(stack: Stack) -> Iterator[None]:
    """In the block, today's cap is spent."""
    client, table = boto3.client("dynamodb", **at(stack)), stack.outputs()["tables"]["requests"]
    key = {"id": {"S": f"spending#{time.strftime('%Y-%m-%d', time.gmtime())}"}}
    spending = client.get_item(TableName=table, Key=key)["Item"]
    client.put_item(TableName=table, Item={**spending, "committed": {"N": str(10**9)}})
    yield
    client.put_item(TableName=table, Item=spending)
