"""Pages of other origins use the served API if they are named, and no other does."""

import socket
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from selfrag.domain.errors import InvalidInput
from selfrag_cli.local.serving.gateway import origins_of, serving
from tests.support.serving import problem

PAGE, OTHER = "https://app.example.com", "https://other.example.com"
SENT: list[dict[str, Any]] = []


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Record a request; allow only POST and OPTIONS."""
    SENT.append(event)
    status, headers = (204, {"Allow": ["POST, OPTIONS"]}) if event["httpMethod"] == "OPTIONS" else (202, {})
    return {"statusCode": status, "body": "", "multiValueHeaders": {**headers, "Location": ["/v1/questions/a"]}}


def client_of(*origins: str) -> Iterator[httpx2.Client]:
    SENT.clear()
    with (
        serving(0, lambda name, seen, seconds: None, handler=handler, origins=origins_of(origins)) as url,
        httpx2.Client(base_url=url, timeout=10) as client,
    ):
        yield client


@pytest.fixture
def closed() -> Iterator[httpx2.Client]:
    yield from client_of()


@pytest.fixture
def named() -> Iterator[httpx2.Client]:
    yield from client_of(PAGE, "http://localhost:3000")


@pytest.fixture
def to_all() -> Iterator[httpx2.Client]:
    yield from client_of("*")


def about_cors(reply: httpx2.Response) -> dict[str, str]:
    names = [name for name in reply.headers if name.startswith("access-control-")]
    return {name.removeprefix("access-control-"): reply.headers[name] for name in names}


def preflight(client: httpx2.Client, origin: str) -> httpx2.Response:
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    return client.options("/v1/ask", headers={"Origin": origin, **asked})


def test_without_a_name_no_page_of_another_origin_is_let_in(closed: httpx2.Client) -> None:
    assert about_cors(preflight(closed, PAGE)) == {}
    reply = closed.get("/v1/health", headers={"Origin": PAGE})
    assert (reply.status_code, about_cors(reply), "vary" in reply.headers) == (202, {}, False)


def test_cross_origin_request_without_preflight_is_refused(closed: httpx2.Client, named: httpx2.Client) -> None:
    for client in (closed, named):
        SENT.clear()
        for origin in (OTHER, "null", "http://127.0.0.1.example.com"):
            for method in ("POST", "DELETE", "BREW"):
                reply = client.request(method, "/v1/ask", headers={"Origin": origin})
                assert "another origin" in (problem(reply, 403)["detail"])
        assert SENT == []


@pytest.mark.parametrize("host", ["127.0.0.1:9", "localhost:9000"])
def test_the_page_of_the_server_itself_is_no_stranger(closed: httpx2.Client, host: str) -> None:
    reply = closed.post("/v1/ask", headers={"Host": host, "Origin": f"http://{host}"})
    assert (reply.status_code, about_cors(reply)) == (202, {})


@pytest.mark.parametrize("origin", [PAGE, "http://localhost:3000"])
def test_named_origin_may_send_api_headers_and_read_reply_headers(named: httpx2.Client, origin: str) -> None:
    allowed = about_cors(preflight(named, origin))
    assert (allowed["allow-origin"], allowed["max-age"]) == (origin, "600")
    assert {"POST", "DELETE", "PUT"} <= set(allowed["allow-methods"].split(", "))
    assert {"Content-Type", "Idempotency-Key", "X-Api-Key", "Mcp-Method"} <= set(allowed["allow-headers"].split(", "))
    reply = named.post("/v1/ask", headers={"Origin": origin})
    exposed = about_cors(reply).pop("expose-headers").split(", ")
    assert (reply.status_code, reply.headers["access-control-allow-origin"]) == (202, origin)
    assert {"Location", "Retry-After", "X-Request-Id"} <= set(exposed)
    assert "access-control-allow-credentials" not in reply.headers


def test_other_origins_get_no_cors_headers_and_caches_vary_by_origin(named: httpx2.Client) -> None:
    assert "allow-origin" not in about_cors(preflight(named, OTHER))
    for headers in ({"Origin": OTHER}, {"Origin": PAGE}, {}):
        assert named.get("/v1/health", headers=headers).headers["vary"] == "Origin"
    assert about_cors(named.get("/v1/health")) == {}


def test_a_refusal_can_be_read_by_a_named_page_too(named: httpx2.Client) -> None:
    with serving(0, lambda name, seen, seconds: None, handler=lambda event, context: 1 / 0, origins=[PAGE]) as url:  # type: ignore[arg-type,return-value]
        reply = httpx2.get(f"{url}/v1/health", headers={"Origin": PAGE})
    assert (problem(reply, 500)["title"], about_cors(reply)["allow-origin"]) == ("Internal Server Error", PAGE)


def test_wildcard_allows_any_origin(to_all: httpx2.Client) -> None:
    reply = to_all.post("/v1/ask", headers={"Origin": OTHER})
    assert (reply.status_code, about_cors(reply)["allow-origin"]) == (202, "*")


@pytest.mark.parametrize(
    "named_so", ["app.example.com", "https://app.example.com/", "HTTPS://A.example", "null", "https://*.a.example", ""]
)
def test_invalid_origins_are_refused_in_a_sentence(named_so: str) -> None:
    with pytest.raises(InvalidInput, match="is no origin: name it as"):
        origins_of([named_so])


def test_another_name_of_this_machine_is_refused_also_in_a_preflight(named: httpx2.Client) -> None:
    headers = {"Host": "evil.example.com", "Origin": PAGE, "Access-Control-Request-Method": "POST"}
    assert named.options("/v1/ask", headers=headers).status_code == 403


@pytest.mark.parametrize("origins", [["OWN", PAGE], [PAGE, "OWN"], ["OWN", "OWN"], ["SECURE"], ["null"]])
def test_request_with_two_origins_or_foreign_origin_is_refused(closed: httpx2.Client, origins: list[str]) -> None:
    own = str(closed.base_url).rstrip("/")
    named = [("origin", name.replace("OWN", own).replace("SECURE", own.replace("http:", "https:"))) for name in origins]
    assert closed.post("/v1/ask", headers=named, json={}).status_code == 403
    assert SENT == []
    assert closed.post("/v1/ask", headers={"origin": own}, json={}).status_code == 202


def test_a_request_without_a_host_has_no_origin_of_its_own(closed: httpx2.Client) -> None:
    with socket.create_connection((closed.base_url.host, closed.base_url.port or 0), timeout=20) as connection:
        connection.sendall(b"POST /v1/ask HTTP/1.0\r\nOrigin: null\r\nContent-Length: 0\r\n\r\n")
        assert b" 403 " in connection.recv(100)
    assert SENT == []
