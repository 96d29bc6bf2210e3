"""Whatever is sent to the API, it answers in its own terms: no 5xx, and every refusal is a problem."""

import json
from collections import Counter
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import httpx2
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cli.aws.stack import running_stack
from cli.gateway import serving
from tests.support.steps import Scripted

REQUESTS = 2000
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=8,
)
questions = st.text(max_size=60) | st.text(min_size=1990, max_size=2010) | json_values
policy_fields = st.sampled_from(["top_k", "web_search", "preset", "weights", "deadline_seconds", "min_utility", "x"])
policies = st.dictionaries(policy_fields, json_values, max_size=3) | st.just({}) | json_values
requests = st.fixed_dictionaries(
    {"question": questions},
    optional={"policy": policies, "previous": st.text(max_size=90), "extra": json_values},
)
bodies = st.one_of(
    requests.map(lambda value: json.dumps(value).encode()),
    json_values.map(lambda value: json.dumps(value).encode()),
    st.binary(max_size=200),
    requests.map(lambda value: json.dumps(value, ensure_ascii=False).encode("utf-16")),
)
known = ["/v1/ask"] * 4 + ["/v1/questions"] * 2 + ["/v1/health", "/v1/openapi.json", "/v1/questions/abc", "/"]
paths = st.one_of(
    *[st.sampled_from(known)] * 4,
    st.text(max_size=100).map(lambda text: f"/v1/questions/{text}"),
    st.text(max_size=60).map(lambda text: f"/{text}"),
)
header_text = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=210).map(str.strip)
headers = st.fixed_dictionaries(
    {},
    optional={
        "content-type": st.sampled_from(["application/json", "text/plain", "multipart/form-data", ";", ""])
        | header_text,
        "idempotency-key": header_text,
        "x-api-key": header_text,
        "accept": header_text,
    },
)
methods = st.sampled_from(["POST"] * 12 + ["GET"] * 3 + ["PUT", "DELETE", "PATCH", "OPTIONS"])


def test_no_request_gets_a_5xx_and_every_refusal_is_a_problem(record_property: Callable[[str, str], None]) -> None:
    statuses: Counter[int] = Counter()
    scripted = Scripted()
    environment = {"SELFRAG_COLLECTIONS": '["c"]'}
    with (
        running_stack(environment, {}, handlers=scripted.handlers()),
        serving() as url,
        httpx2.Client(base_url=url, timeout=40) as api,
    ):

        @settings(max_examples=REQUESTS, deadline=None, suppress_health_check=list(HealthCheck))
        @given(methods, paths, headers, bodies)
        def every_reply_is_in_the_terms_of_the_api(method: str, path: str, head: dict[str, str], body: bytes) -> None:
            content: dict[str, Any] = {"content": body} if method not in ("GET", "OPTIONS") else {}
            reply = api.request(method, url + quote(path, safe="/?=&%:"), headers=head, **content)
            statuses[reply.status_code] += 1
            assert reply.status_code < 500, reply.text
            if reply.status_code >= 400:
                assert reply.headers["content-type"] == "application/problem+json"
                assert reply.json()["status"] == reply.status_code

        every_reply_is_in_the_terms_of_the_api()
    assert sum(statuses.values()) >= REQUESTS
    assert {200, 202, 400, 404} <= set(statuses)
    counted = ", ".join(f"{status}: {count}" for status, count in sorted(statuses.items()))
    record_property("figures", f"{sum(statuses.values())} fuzzed requests by status: {counted}")
