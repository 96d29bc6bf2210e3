"""Uploads to the served API and deletions, as far as the directory; test_serve.py has them ingested."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import Any

import httpx2
import pytest
import time_machine

from selfrag import bootstrap
from selfrag.domain.documents import document_id
from selfrag.domain.errors import InvalidInput
from selfrag.domain.questions import UploadRequest
from selfrag.ports.objects import LINK_SECONDS, UPLOAD_SECONDS
from selfrag_cli.local.serving.background import Documents
from selfrag_cli.local.serving.bucket import UPLOADS_PATH, DirectoryBucket, Folder
from selfrag_cli.local.serving.gateway import serving
from selfrag_cli.local.stack import DOCUMENTS_BUCKET, opened_stores
from selfrag_cli.local.stores.bindings import LocalBindings
from selfrag_cli.local.stores.manifest import LocalManifest, opened_manifest
from tests.support.serving import problem


def no_watch(name: str, seen: int, seconds: float) -> None:
    """No question is asked here."""


CONTENT = b"# Leave\r\n\r\nLeave is 25 days.\n"
KEY = "hr/people/leave.md"
SAFE = {
    "content-disposition": "attachment; filename*=UTF-8''leave.md",
    "content-type": "application/octet-stream",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
    "cache-control": "no-store",
}
Form = dict[str, Any]


@dataclass(frozen=True)
class Service:
    """The API over a directory."""

    api: httpx2.Client
    directory: Path
    manifest: LocalManifest
    changes: list[tuple[str, str]] = field(default_factory=list)

    def form(self, key: str = KEY, size: int = len(CONTENT)) -> Form:
        reply = self.api.post("/v1/documents", json={"key": key, "size": size, "content_type": "text/markdown"})
        assert reply.status_code == 201, reply.text
        form: Form = reply.json()["upload"]
        return form

    def send(self, form: Form, content: bytes = CONTENT) -> httpx2.Response:
        return self.api.put(form["url"], content=content)

    def files(self) -> dict[str, bytes]:
        found = [path for path in self.directory.parent.rglob("*") if path.is_file()]
        return {path.relative_to(self.directory).as_posix(): path.read_bytes() for path in found}


@pytest.fixture
def manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalManifest]:
    """Yield the API's stores in a home next to the directory."""
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path / "state"))
    with opened_manifest() as opened:
        parts: bootstrap.Parts = {"manifest": opened, "bindings": LocalBindings("hr")}
        with opened_stores({}, {}, parts):
            yield opened


@pytest.fixture
def service(manifest: LocalManifest, tmp_path: Path) -> Iterator[Service]:
    """Yield the API over a directory."""
    directory = tmp_path / "there" / "docs"
    directory.mkdir(parents=True)
    changes: list[tuple[str, str]] = []
    folder = Folder(directory, "hr")
    with (
        serving(
            0, no_watch, bucket=lambda url: DirectoryBucket(folder, url, lambda *change: changes.append(change))
        ) as url,
        httpx2.Client(base_url=url, timeout=20) as api,
    ):
        yield Service(api, directory, manifest, changes)


def test_uploaded_file_is_stored_in_directory_and_reported(service: Service) -> None:
    for content in (CONTENT, CONTENT[::-1]):
        form = service.form()
        base = str(service.api.base_url).rstrip("/")
        assert (form["method"], form["headers"]) == ("PUT", {})
        assert re.fullmatch(re.escape(f"{base}{UPLOADS_PATH}") + r"[\w-]{43}", form["url"])
        reply = service.send(form, content)
        assert (reply.status_code, reply.content) == (204, b"")
        assert re.fullmatch(r'"[0-9a-f]{32}"', reply.headers["etag"])
        assert service.files() == {"people/leave.md": content}
        assert service.changes[-1] == (KEY, reply.headers["etag"])
    # The connection is as it was: what follows is not taken for a part of the upload.
    assert service.api.get("/v1/health").json() == {"status": "ok"}


def test_a_large_file_arrives_whole(service: Service) -> None:
    content = bytes(range(256)) * 20_000
    assert service.send(service.form(size=len(content)), content).status_code == 204
    assert service.files() == {"people/leave.md": content}


@pytest.mark.parametrize("content", [CONTENT[1:], CONTENT + b"x", b"", b"x" * 11_000_000])
def test_a_file_of_another_size_is_refused_and_changes_nothing(service: Service, content: bytes) -> None:
    form = service.form()
    refused = service.send(form, content)
    assert f"requested with {len(CONTENT)}" in problem(refused, 400)["detail"]
    chunked = service.api.put(form["url"], content=iter([content]))
    assert f"requested with {len(CONTENT)}" in problem(chunked, 400)["detail"]
    assert (service.files(), service.changes) == ({}, [])
    assert service.send(form).status_code == 204


def test_upload_address_accepts_one_file_until_expiry(service: Service) -> None:
    form, late = service.form(), service.form()
    assert service.send(form).status_code == 204
    unknown = {"url": form["url"][:-1] + ("a" if form["url"][-1] != "a" else "b")}
    with time_machine.travel(timedelta(seconds=UPLOAD_SECONDS + 1)):
        for other in (form, unknown, late):
            assert "takes no file" in problem(service.send(other, CONTENT[::-1]), 403)["detail"]
    assert service.files() == {"people/leave.md": CONTENT}


def test_an_address_takes_a_file_in_one_way(service: Service) -> None:
    url = service.form()["url"]
    refused = service.api.post(url, files={"file": CONTENT})
    assert (problem(refused, 405)["title"], refused.headers["allow"]) == ("Method Not Allowed", "PUT, OPTIONS")
    assert service.api.options(url).headers["allow"] == "PUT, OPTIONS"


@pytest.mark.parametrize(
    ("key", "status", "word"),
    [
        ("hr/.hidden.md", 400, "hidden"),
        ("hr/.git/x.md", 400, "hidden"),
        ("hr/linked/x.md", 400, "in its way"),
        ("hr/" + "x" * 300 + ".md", 400, "255 bytes"),
        ("pay/x.md", 403, "collection"),
    ],
)
def test_no_form_is_given_for_what_no_document_here_can_be(service: Service, key: str, status: int, word: str) -> None:
    (service.directory / "linked").symlink_to(service.directory.parent)
    assert word in problem(service.api.post("/v1/documents", json={"key": key, "size": 1}), status)["detail"]


@pytest.mark.parametrize("label", [{"tags": ["hr"]}, {"date": "2026-01-31"}])
def test_no_form_is_given_for_what_a_directory_does_not_keep(service: Service, label: dict[str, Any]) -> None:
    reply = service.api.post("/v1/documents", json={"key": KEY, "size": 1, **label})
    assert "write them into the document" in problem(reply, 400)["detail"]


@pytest.mark.parametrize("host", ["rebound.example", "127.0.0.1.rebound.example:8080", "[::2]", ""])
def test_a_page_whose_name_was_made_to_lead_here_reads_nothing(service: Service, host: str) -> None:
    form = service.form()
    for reply in (
        service.api.get("/v1/documents", headers={"host": host}),
        service.api.put(form["url"], content=CONTENT, headers={"host": host}),
    ):
        assert "name of this machine" in problem(reply, 403)["detail"]
    assert (service.files(), service.changes) == ({}, [])
    assert service.api.get("/v1/documents", headers={"host": "LocalHost:80"}).status_code == 200


def test_a_link_made_after_the_form_was_given_leads_nowhere(service: Service) -> None:
    form = service.form("hr/folder/x.md")
    (service.directory / "folder").symlink_to(service.directory.parent)
    assert "in its way" in problem(service.send(form), 400)["detail"]
    assert (service.files(), service.changes) == ({}, [])


def test_a_deleted_document_is_no_file_any_more(service: Service) -> None:
    assert service.send(service.form()).status_code == 204
    where = f"/v1/documents/{document_id(DOCUMENTS_BUCKET, KEY)}"
    problem(service.api.delete(where), 404)
    Documents("hr", service.manifest).changed(KEY, '"etag"')
    for _ in range(2):
        assert service.api.delete(where).status_code == 202
        assert service.files() == {}
        assert service.changes[-1] == (KEY, "")


def test_original_downloads_as_inert_attachment_until_link_expires(service: Service) -> None:
    assert service.send(service.form()).status_code == 204
    where = f"/v1/documents/{document_id(DOCUMENTS_BUCKET, KEY)}/original"
    problem(service.api.get(where), 404)
    Documents("hr", service.manifest).changed(KEY, '"etag"')
    link = service.api.get(where).json()["url"]
    kept = service.api.get(link)
    assert (kept.status_code, kept.content) == (200, CONTENT)
    said = {name: kept.headers[name] for name in SAFE}
    assert said == SAFE
    probed = service.api.head(link)
    assert (probed.status_code, probed.headers["content-length"]) == (200, str(len(CONTENT)))
    assert problem(service.api.put(link, content=b"x"), 405)["title"] == "Method Not Allowed"
    problem(service.api.get(f"{link[:-1]}{'a' if link[-1] != 'a' else 'b'}"), 404)
    with time_machine.travel(timedelta(seconds=LINK_SECONDS + 1)):
        problem(service.api.get(link), 404)
    (service.directory / KEY.removeprefix("hr/")).unlink()
    (service.directory / KEY.removeprefix("hr/")).symlink_to("/etc/passwd")
    for gone in (where, link):
        problem(service.api.get(gone), 404)


def test_a_pdf_is_shown_as_a_pdf_and_as_nothing_else(service: Service) -> None:
    key = "hr/page.pdf"
    (service.directory / "page.pdf").write_bytes(b"<script>ran = 1</script>")
    Documents("hr", service.manifest).changed(key, '"etag"')
    link = service.api.get(f"/v1/documents/{document_id(DOCUMENTS_BUCKET, key)}/original?inline=true").json()["url"]
    shown = service.api.get(link).headers
    assert (shown["content-type"], shown["x-content-type-options"]) == ("application/pdf", "nosniff")
    assert shown["content-disposition"].startswith("inline;")
    assert shown["content-security-policy"] == "frame-ancestors 'self'"


def test_a_server_that_was_not_started_for_it_changes_no_document(service: Service) -> None:
    known = f"/v1/documents/{document_id(DOCUMENTS_BUCKET, KEY)}"
    Documents("hr", service.manifest).changed(KEY, '"etag"')
    with (
        serving(0, no_watch, bucket=lambda url: DirectoryBucket(None, url)) as url,
        httpx2.Client(base_url=url, timeout=20) as api,
    ):
        for reply in (
            api.post("/v1/documents", json={"key": KEY, "size": 1}),
            api.delete(known),
            api.put(f"{UPLOADS_PATH}token", content=CONTENT),
        ):
            assert "--writable" in problem(reply, 403)["hint"]
        assert api.get("/v1/documents").json()["documents"][0]["key"] == KEY
        problem(api.post("/v1/documentsx", json={}), 404)
    assert (service.files(), service.changes) == ({}, [])


def test_requests_at_the_same_time_are_not_taken_for_each_other(manifest: LocalManifest) -> None:
    held, let_go = Event(), Event()

    class Holding(DirectoryBucket):
        def target(self, request: UploadRequest) -> Any:
            if request.key == "hr/first.md":
                held.set()
                assert let_go.wait(20)
            raise InvalidInput(f"{request.key} is refused.")

    with (
        serving(0, no_watch, bucket=lambda url: Holding(None, url)) as url,
        httpx2.Client(base_url=url, timeout=20) as api,
        ThreadPoolExecutor(1) as pool,
    ):
        first = pool.submit(api.post, "/v1/documents", json={"key": "hr/first.md", "size": 1})
        assert held.wait(20)
        second = api.post("/v1/documents", json={"key": "hr/second.md", "size": 1})
        let_go.set()
        for key, reply in (("hr/second.md", second), ("hr/first.md", first.result())):
            assert key in problem(reply, 400)["detail"]
