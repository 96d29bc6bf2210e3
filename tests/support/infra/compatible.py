"""Clients of OpenAI's API at a deployment, through API Gateway: keys in either header, their quota, and streams."""

import boto3
import httpx2

from tests.support.compatible import assert_conforms, parts_of
from tests.support.infra.asking import RetryingTransport, api_key, at
from tests.support.infra.emulator import Stack
from tests.support.infra.tenants import new_key

CHAT = "/v1/chat/completions"


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
