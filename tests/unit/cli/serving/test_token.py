"""A server with a token answers nobody without it, and every reply is closed to other origins."""

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from selfrag_cli.local.home import FILE, connect, hold_lock
from selfrag_cli.local.serving.gateway import serving
from tests.support.serving import problem

TOKEN = "a" * 43
seen: list[dict[str, str]] = []


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    seen.append(event["headers"])
    return {"statusCode": 200, "body": event["path"], "multiValueHeaders": {}}


@pytest.fixture
def api() -> Iterator[httpx2.Client]:
    with (
        serving(0, lambda name, seen, seconds: None, handler=handler, token=TOKEN) as url,
        httpx2.Client(base_url=url, timeout=20) as client,
    ):
        yield client


@pytest.mark.parametrize("key", [{}, {"x-api-key": TOKEN[1:]}, {"x-api-key": b"\xff"}])
@pytest.mark.parametrize(
    "path", ["/v1/documents", "/v1/ask", "/v1/questions/x", "//v1/documents", "/v1/health/", "/V1/documents"]
)
def test_without_the_token_nothing_is_answered(api: httpx2.Client, key: Any, path: str) -> None:
    for method in ("GET", "POST", "DELETE"):
        refused = api.request(method, f"{str(api.base_url).rstrip('/')}{path}", headers=key)
        assert "Open the link that `selfrag serve` has printed" in problem(refused, 401)["hint"]
        assert refused.headers["www-authenticate"].startswith("ApiKey")


def test_token_is_not_passed_on_and_public_paths_need_none(api: httpx2.Client) -> None:
    assert api.get("/v1/documents", headers={"x-api-key": TOKEN}).text == "/v1/documents"
    assert "x-api-key" not in seen[-1]
    assert [api.get(path).status_code for path in ("/", "/v1/health", "/v1/openapi.json")] == [200, 200, 200]
    assert api.options("/v1/ask").status_code == 200


def test_every_reply_forbids_cross_origin_use_and_type_sniffing(api: httpx2.Client) -> None:
    replies = [api.get("/v1/health"), api.get("/v1/ask"), api.get("/v1/health", headers={"host": "evil.test"})]
    assert [reply.status_code for reply in replies] == [200, 401, 403]
    for reply in replies:
        assert reply.headers.get_list("x-content-type-options") == ["nosniff"]
        assert reply.headers.get_list("cross-origin-resource-policy") == ["same-origin"]


def test_the_state_is_the_owners_alone_whatever_its_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path))
    tmp_path.chmod(0o755)

    def modes() -> set[int]:
        return {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}

    for _ in range(2):
        connection = connect("CREATE TABLE IF NOT EXISTS kept (it TEXT)")
        with connection:
            connection.execute("INSERT INTO kept VALUES ('a')")
        with hold_lock("x"):
            assert {path.name for path in tmp_path.iterdir()} == {FILE, f"{FILE}-wal", f"{FILE}-shm", "x.lock"}
            assert modes() == {0o600}
        # As an earlier release made them.
        for path in tmp_path.iterdir():
            path.chmod(0o644)
        connect().close()
        with hold_lock("x"):
            assert modes() == {0o600}
        connection.close()
