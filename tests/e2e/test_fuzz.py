"""Whatever is sent to the API, it answers in its own terms: no 5xx, and every refusal is a problem."""

import json
from collections import Counter
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, urlencode

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cli.local.aws.resources import DOCUMENTS_BUCKET
from cli.local.aws.stack import running_stack
from cli.local.serving.gateway import serving
from selfrag import bootstrap
from selfrag.domain.documents import document_id
from tests.support.steps import Scripted

pytestmark = pytest.mark.slow

REQUESTS = 2000


def encoded(value: Any) -> bytes:
    return json.dumps(value).encode()


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
    optional={
        "policy": policies,
        "previous": st.text(max_size=90),
        "filters": st.fixed_dictionaries(
            {}, optional={"collections": st.just(["c"]) | json_values, "documents": st.lists(st.text()) | json_values}
        ),
        "extra": json_values,
    },
)
keys = st.text(max_size=40).map(lambda name: f"c/{name}.md") | st.sampled_from(["d/a.md", "c/a.exe"]) | st.text()
uploads = st.fixed_dictionaries(
    {"key": keys | keys | json_values, "size": st.integers(1, 1000) | st.integers(-1, 11_000_000) | json_values},
    optional={"content_type": st.sampled_from(["text/markdown", "a\r\nb"]) | st.text(max_size=20)},
)
bodies = st.one_of(
    uploads.map(encoded),
    requests.map(encoded),
    json_values.map(encoded),
    st.binary(max_size=200),
    requests.map(lambda value: json.dumps(value, ensure_ascii=False).encode("utf-16")),
)
KNOWN_KEY = "c/known.md"
known = ["/v1/ask"] * 4 + ["/v1/questions"] * 2 + ["/v1/documents"] * 4
known += ["/v1/health", "/v1/openapi.json", "/v1/questions/abc", "/"]
known += [f"/v1/documents/{document_id(DOCUMENTS_BUCKET, KNOWN_KEY)}", f"/v1/documents/{'0' * 32}"]
queries = st.dictionaries(
    st.sampled_from(["collection", "cursor", "limit", "x"]), st.text(max_size=40) | st.sampled_from(["c", "d", "7", ""])
)
paths = st.one_of(
    *[st.sampled_from(known)] * 4,
    st.text(max_size=100).map(lambda text: f"/v1/questions/{text}"),
    st.text(max_size=40).map(lambda text: f"/v1/documents/{text}"),
    queries.map(lambda asked: f"/v1/documents?{urlencode(asked)}"),
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
methods = st.sampled_from(["POST"] * 12 + ["GET"] * 5 + ["DELETE"] * 2 + ["PUT", "PATCH", "OPTIONS"])

# Anything to anywhere, and what is nearly right to where it belongs.
sent = st.one_of(
    st.tuples(methods, paths, bodies),
    st.tuples(st.just("POST"), st.sampled_from(["/v1/ask", "/v1/questions"]), requests.map(encoded)),
    st.tuples(st.just("POST"), st.just("/v1/documents"), uploads.map(encoded)),
    st.tuples(st.sampled_from(["GET", "DELETE"]), paths, st.just(b"")),
)


def test_no_request_gets_a_5xx_and_every_refusal_is_a_problem(record_property: Callable[[str, str], None]) -> None:
    statuses: Counter[int] = Counter()
    scripted = Scripted()
    environment = {"SELFRAG_COLLECTIONS": '["c"]'}
    with (
        running_stack(environment, {}, handlers=scripted.handlers()),
        serving() as url,
        httpx2.Client(base_url=url, timeout=40) as api,
    ):
        bootstrap.manifest().claim(document_id(DOCUMENTS_BUCKET, KNOWN_KEY), KNOWN_KEY, "c", "an execution")

        @settings(max_examples=REQUESTS, deadline=None, suppress_health_check=list(HealthCheck))
        @given(sent, headers)
        def every_reply_is_in_the_terms_of_the_api(what: tuple[str, str, bytes], head: dict[str, str]) -> None:
            method, path, body = what
            content: dict[str, Any] = {"content": body} if method not in ("GET", "OPTIONS") else {}
            reply = api.request(method, url + quote(path, safe="/?=&%:"), headers=head, **content)
            statuses[reply.status_code] += 1
            assert reply.status_code < 500, reply.text
            if reply.status_code >= 400:
                assert reply.headers["content-type"] == "application/problem+json"
                assert reply.json()["status"] == reply.status_code

        every_reply_is_in_the_terms_of_the_api()
    assert sum(statuses.values()) >= REQUESTS
    assert {200, 201, 202, 400, 403, 404} <= set(statuses)
    counted = ", ".join(f"{status}: {count}" for status, count in sorted(statuses.items()))
    record_property("figures", f"{sum(statuses.values())} fuzzed requests by status: {counted}")
