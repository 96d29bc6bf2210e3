"""Whatever is sent to the API, it answers in its own terms: no 5xx, and every refusal is a problem."""

import http.client
import json
import socket
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import BufferedReader, BytesIO
from typing import Any, get_args
from urllib.parse import quote, urlencode

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from selfrag.bootstrap import ingestion
from selfrag.domain.documents import document_id
from selfrag.domain.policy import Policy
from selfrag.domain.strategies import Strategy
from selfrag_cli.local.serving.gateway import serving
from tests.support.aws.resources import DOCUMENTS_BUCKET, bind
from tests.support.aws.stack import running_stack
from tests.support.steps import Scripted

pytestmark = pytest.mark.long

REQUESTS = 2000


def encoded(value: Any) -> bytes:
    return json.dumps(value).encode()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=8,
)
questions = st.text(max_size=60) | st.text(min_size=1990, max_size=2010) | json_values
policy_fields = st.sampled_from([*Policy.model_fields, "x"])
strategies = st.fixed_dictionaries({"strategy": st.sampled_from(get_args(Strategy))})
policies = st.one_of(
    st.dictionaries(policy_fields, json_values, max_size=3),
    st.builds(lambda *parts: parts[0] | parts[1], st.dictionaries(policy_fields, json_values, max_size=1), strategies),
    st.just({}),
    json_values,
)
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
METHODS = ["POST"] * 12 + ["GET"] * 5 + ["DELETE"] * 2 + ["PUT", "PATCH", "OPTIONS", "HEAD", "TRACE", "BREW"]
methods = st.sampled_from(METHODS)

# Arbitrary requests to any path, and nearly valid ones to the right path.
sent = st.one_of(
    st.tuples(methods, paths, bodies),
    st.tuples(st.just("POST"), st.sampled_from(["/v1/ask", "/v1/questions"]), requests.map(encoded)),
    st.tuples(st.just("POST"), st.just("/v1/documents"), uploads.map(encoded)),
    st.tuples(st.sampled_from(["GET", "DELETE"]), paths, st.just(b"")),
)


def test_no_request_gets_a_5xx_and_every_refusal_is_a_problem(record_property: Callable[[str, str], None]) -> None:
    statuses: Counter[int] = Counter()
    scripted = Scripted()
    with (
        running_stack({}, {}, handlers=scripted.handlers()) as stack,
        serving(0, stack.watch) as url,
        httpx2.Client(base_url=url, timeout=40) as api,
    ):
        bind("principal#", "c")
        ingestion.manifest().claim(document_id(DOCUMENTS_BUCKET, KNOWN_KEY), KNOWN_KEY, "c", "an execution")

        @settings(max_examples=REQUESTS, deadline=None, suppress_health_check=list(HealthCheck))
        @given(sent, headers)
        def every_reply_is_in_the_terms_of_the_api(what: tuple[str, str, bytes], head: dict[str, str]) -> None:
            method, path, body = what
            content: dict[str, Any] = {"content": body} if method not in ("GET", "OPTIONS", "HEAD") else {}
            reply = api.request(method, url + quote(path, safe="/?=&%:"), headers=head, **content)
            statuses[reply.status_code] += 1
            assert reply.status_code < 500, reply.text
            if reply.status_code >= 400:
                assert reply.headers["content-type"] == "application/problem+json"
                assert method == "HEAD" or reply.json()["status"] == reply.status_code
            if reply.status_code == 405:
                assert method not in reply.headers["allow"].split(", ")

        every_reply_is_in_the_terms_of_the_api()
    assert sum(statuses.values()) >= REQUESTS
    assert {200, 201, 202, 204, 400, 403, 404, 405} <= set(statuses)
    counted = ", ".join(f"{status}: {count}" for status, count in sorted(statuses.items()))
    record_property("figures", f"{sum(statuses.values())} fuzzed requests by status: {counted}")


# Lines of a client on a connection: valid, nearly valid and arbitrary.
blanks = st.sampled_from([" "] * 8 + ["", "  ", "\t"])
targets = st.sampled_from(
    ["/v1/health"] * 4 + ["/", "*", "http://127.0.0.1/v1/health", "//x", "http://[", "/" + "x" * 9]
)
versions = st.sampled_from(
    ["HTTP/1.1"] * 8 + ["HTTP/1.0"] * 3 + ["HTTP/0.9", "HTTP/2.0", "HTTP/1", "http/1.1", "", "x"]
)
request_lines = st.tuples(st.sampled_from([*METHODS, "", "G(T", "get"]), blanks, targets, blanks, versions).map("".join)
head_lines = st.sampled_from(
    [
        "Connection: close", "Connection: keep-alive", "Connection: te, close", "Content-Length: 0",
        "Content-Length: 2", "Content-Length: x", "Content-Length: -1", "Content-Length: 2, 2",
        "Transfer-Encoding: chunked", "Transfer-Encoding: gzip", "Expect: 100-continue", "Expect: x",
        "Accept-Encoding: gzip", "Host : x", " folded",
        "Content-Type: application/json", ": x", f"X: {'x' * 70_000}", "Origin: https://a.example", "",
    ]
)  # fmt: skip
hosts = st.sampled_from([["Host: 127.0.0.1"]] * 8 + [[], ["Host: a", "Host: b"], ["Host: rebound.example"], ["Host:"]])
ends = st.sampled_from(["\r\n"] * 8 + ["\n", "\r"])
written = st.builds(
    lambda line, host, lines, end, body: (end.join([line, *host, *lines]) + 2 * end).encode("latin-1") + body,
    request_lines, hosts, st.lists(head_lines, max_size=3), ends, st.sampled_from([b"", b"{}", b"0\r\n\r\n"]),
)  # fmt: skip


def test_any_bytes_on_a_connection_get_http_replies_and_problems() -> None:
    statuses: Counter[int] = Counter()
    with running_stack({}, {}, handlers=Scripted().handlers()) as stack, serving(0, stack.watch) as url:
        port = int(url.rpartition(":")[2])

        @settings(max_examples=REQUESTS // 4, deadline=None, suppress_health_check=list(HealthCheck))
        @given(st.lists(written | st.binary(max_size=60), min_size=1, max_size=3))
        def every_reply_can_be_read(sent: list[bytes]) -> None:
            for reply, body in replies(port, b"".join(sent)):
                statuses[reply.status] += 1
                assert reply.status < 500 or reply.status in (501, 505)
                if reply.status >= 400:
                    assert reply.headers["content-type"] == "application/problem+json"
                    assert not body or json.loads(body)["status"] == reply.status

        every_reply_can_be_read()
    assert {200, 400, 403, 404, 405, 431} <= set(statuses)


def replies(port: int, sent: bytes) -> Iterator[tuple[http.client.HTTPResponse, bytes]]:
    """Yield the replies on a connection until it closes; HEAD has no body."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        # Refused connections close at once, so a sending client may see a reset.
        with suppress(OSError):
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
        stream = connection.makefile("rb")
        while head := _line(stream):
            assert head.startswith(b"HTTP/1.1 "), head
            lines = [head, *iter(stream.readline, b"\r\n"), b"\r\n"]
            if head.startswith(b"HTTP/1.1 100 "):
                continue
            reply = http.client.HTTPResponse(Written(b"".join(lines)))  # type: ignore[arg-type]
            reply.begin()
            length = int(reply.headers.get("content-length", "0"))
            # To HEAD there is no body: what follows the head is the next reply, or nothing.
            follows = stream.peek(1)[:1]
            yield reply, stream.read(length) if follows in (b"{", b"<", b"\x1f") else b""


def _line(stream: BufferedReader) -> bytes:
    try:
        return stream.readline()
    except ConnectionError:
        return b""


class Written:
    """Bytes for http.client to read."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def makefile(self, mode: str) -> BytesIO:
        return BytesIO(self._content)
