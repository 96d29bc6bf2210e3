"""Documents over the HTTP API: uploaded with a form, listed, shown and deleted, each tenant's own."""

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

import boto3
import httpx2
import pytest
import requests

from selfrag.domain.documents import document_id
from selfrag_cli.local.serving.gateway import serving
from selfrag_cli.local.serving.invocation import threaded_handler
from tests.support.aws.resources import DOCUMENTS_BUCKET, DOCUMENTS_TABLE, bind
from tests.support.documents.files import pdf
from tests.support.ingesting import Ingestion, ingestion
from tests.support.roles.recorded import as_caller
from tests.support.serving import problem

KEYS = {"key-a": ["a", "a2"], "key-b": ["b"]}


@dataclass(frozen=True)
class Tenant:
    """One caller of the API."""

    api: httpx2.Client
    key: str

    def __call__(self, method: str, path: str, **content: object) -> httpx2.Response:
        return self.api.request(method, path, headers={"x-api-key": self.key}, **content)  # type: ignore[arg-type]

    def listed(self, query: str = "") -> list[str]:
        reply = self("GET", f"/v1/documents{query}")
        assert reply.status_code == 200, reply.text
        return [document["key"] for document in reply.json()["documents"]]


@dataclass(frozen=True)
class Service:
    """The API over a stack that ingests."""

    documents: Ingestion
    a: Tenant
    b: Tenant
    other: Tenant
    asks: Tenant
    loads: Tenant


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with (
        ingestion() as documents,
        serving(0, documents.stack.watch, handler=as_caller("ask", threaded_handler())) as url,
        httpx2.Client(base_url=url, timeout=40) as api,
    ):
        for key, collections in KEYS.items():
            bind(f"key#{key}", *collections)
        bind("principal#", "shared")
        bind("key#key-asks", "a", actions=["ask"])
        bind("key#key-loads", "a", actions=["upload"])
        yield Service(
            documents,
            Tenant(api, "key-a"),
            Tenant(api, "key-b"),
            Tenant(api, ""),
            Tenant(api, "key-asks"),
            Tenant(api, "key-loads"),
        )


@pytest.fixture(autouse=True)
def empty(service: Service) -> None:
    table, s3 = boto3.resource("dynamodb").Table(DOCUMENTS_TABLE), boto3.resource("s3").Bucket(DOCUMENTS_BUCKET)
    for item in table.scan()["Items"]:
        table.delete_item(Key={"id": item["id"], "part": item["part"]})
    s3.objects.all().delete()


def put(service: Service, key: str, text: str = "# Leave\n\nLeave is 25 days.\n") -> str:
    service.documents.put(key, text.encode())
    service.documents.done(key)
    return document_id(DOCUMENTS_BUCKET, key)


def sent(upload: dict[str, Any], content: bytes) -> requests.Response:
    """Send a file to an address that the API gave."""
    return requests.request(upload["method"], upload["url"], headers=upload["headers"], data=content, timeout=5)


def test_a_key_that_may_ask_cannot_upload_replace_or_delete(service: Service) -> None:
    where = f"/v1/documents/{put(service, 'a/leave.md')}"
    replace, upload = ({"key": key, "size": 1} for key in ("a/leave.md", "a/new.md"))
    refused = [
        service.asks("POST", "/v1/documents", json=upload),
        service.asks("POST", "/v1/documents", json=replace),
        service.asks("DELETE", where),
        # Forbidden and missing documents are indistinguishable.
        service.asks("DELETE", f"/v1/documents/{'0' * 32}"),
    ]
    assert {problem(reply, 403)["hint"] for reply in refused} == {
        "Have the operator add the action upload to the binding of your key."
    }
    assert service.a("GET", where).json()["status"] == "ready"
    assert service.asks("GET", where).json()["status"] == "ready"
    assert service.asks("GET", f"{where}/original").status_code == 200
    assert [service.asks("GET", "/v1/documents").json()["writable"], service.asks.listed()] == [False, ["a/leave.md"]]


def test_a_key_that_may_upload_cannot_ask(service: Service) -> None:
    where = f"/v1/documents/{put(service, 'a/leave.md')}"
    question = {"question": "How many days of leave?"}
    for method, path, content in (
        ("POST", "/v1/ask", question),
        ("POST", "/v1/questions", question),
        ("GET", "/v1/questions/some-id", None),
        ("POST", "/v1/questions/some-id/feedback", {"useful": True}),
    ):
        refused = problem(service.loads(method, path, json=content), 403)
        assert refused["hint"] == "Have the operator add the action ask to the binding of your key."
    listed = service.loads("GET", "/v1/documents").json()
    assert (listed["writable"], [document["key"] for document in listed["documents"]]) == (True, ["a/leave.md"])
    assert service.loads("POST", "/v1/documents", json={"key": "a/new.md", "size": 1}).status_code == 201
    assert service.loads("DELETE", where).status_code == 202


def test_an_uploaded_document_is_shown_and_a_deleted_one_is_gone(service: Service) -> None:
    content = b"# Leave\n\nLeave is 26 days abroad.\n"
    reply = service.a("POST", "/v1/documents", json={"key": "a/leave.md", "size": len(content)})
    assert reply.status_code == 201, reply.text
    to_come = reply.json()
    where = reply.headers["location"]
    assert (to_come["key"], where) == ("a/leave.md", f"/v1/documents/{to_come['id']}?key=a%2Fleave.md")
    assert service.a("GET", where).json()["status"] == "awaited"
    problem(service.b("GET", where), 404)
    problem(service.a("GET", where.replace("leave", "other")), 404)
    known = where.partition("?")[0]
    problem(service.a("GET", known), 404)

    upload = to_come["upload"]
    assert sent(upload, content).status_code == 200
    service.documents.done("a/leave.md")
    assert "Leave\nLeave is 26 days abroad." in service.documents.texts()
    shown = service.a("GET", where).json()
    assert shown.pop("updated_at").endswith("Z")
    assert shown == {
        "id": to_come["id"], "key": "a/leave.md", "collection": "a", "status": "ready", "title": "Leave",
        "passages": 1, "pages": 0, "reason": "", "warnings": [], "tags": [], "date": None,
        "suggestion": None,
    }  # fmt: skip
    assert service.a.listed() == ["a/leave.md"]

    deleted = service.a("DELETE", where)
    assert (deleted.status_code, deleted.json()["status"]) == (202, "removing")
    assert boto3.client("s3").list_objects_v2(Bucket=DOCUMENTS_BUCKET)["KeyCount"] == 0
    assert service.a("GET", known).json()["status"] == "removing"
    assert [one["status"] for one in service.a("GET", "/v1/documents").json()["documents"]] == ["removing"]
    service.documents.done("a/leave.md")
    problem(service.a("GET", known), 404)
    problem(service.a("DELETE", where), 404)
    assert service.a.listed() == []
    assert "Leave\nLeave is 26 days abroad." not in service.documents.texts()


def test_only_owning_tenant_gets_download_link(service: Service) -> None:
    where = f"/v1/documents/{put(service, 'a/x/längere Reise.md')}/original"
    given = service.a("GET", where).json()
    assert set(given) == {"url", "expires_at"}
    asked = parse_qs(urlsplit(given["url"]).query)
    assert asked["X-Amz-Expires"] == ["60"]
    kept = requests.get(given["url"], timeout=5)
    assert kept.text == "# Leave\n\nLeave is 25 days.\n"
    name = "attachment; filename*=UTF-8''l%C3%A4ngere%20Reise.md"
    assert asked["response-content-disposition"] == [name]
    absent = service.b("GET", f"/v1/documents/{'0' * 32}/original")
    for other in (service.b, service.other):
        refused = other("GET", where)
        assert [problem(one, 404)["detail"] for one in (refused, absent)] == ["There is no such document."] * 2
    service.a("DELETE", where.removesuffix("/original"))
    problem(service.a("GET", where), 404)


def test_pdf_links_open_inline_and_other_files_download(service: Service) -> None:
    for key, content in (("a/rules.pdf", pdf("Rules of the harbour.")), ("a/page.html", b"<p>Leave is 25 days.")):
        service.documents.put(key, content)
        service.documents.done(key)
    shown, downloaded = (
        parse_qs(urlsplit(service.a("GET", f"/v1/documents/{identity}/original?inline=true").json()["url"]).query)
        for identity in (document_id(DOCUMENTS_BUCKET, key) for key in ("a/rules.pdf", "a/page.html"))
    )
    assert shown["response-content-type"] == ["application/pdf"]
    assert shown["response-content-disposition"][0].startswith("inline;")
    assert downloaded["response-content-disposition"][0].startswith("attachment;")
    assert "response-content-type" not in downloaded


def test_only_its_tenant_reads_the_text_of_a_document_in_order(service: Service) -> None:
    days = [
        f"Rule {number} of the harbour says that berth {number} is closed on day {number}." for number in range(260)
    ]
    long = "".join(f"# Rule {number}\n\n{text * 9}\n\n" for number, text in enumerate(days))
    where = f"/v1/documents/{put(service, 'a/rules.md', long)}"
    first = service.a("GET", f"{where}/text").json()
    assert (first["start"], len(first["passages"])) == (0, 100)
    assert first["total"] > 200
    second = service.a("GET", f"{where}/text?start=100").json()
    said = "".join(passage["text"] for passage in (*first["passages"], *second["passages"]))
    assert [said.index(text) for text in days[:190]] == sorted(said.index(text) for text in days[:190])
    cited = second["passages"][50]["passage_id"]
    around = service.a("GET", f"{where}/text?around={cited}").json()
    assert around["passages"][150 - around["start"]]["passage_id"] == cited
    assert service.a("GET", f"{where}/text?start=999999").json()["passages"] == []
    for other in (service.b, service.other):
        problem(other("GET", f"{where}/text"), 404)
    problem(service.a("GET", f"{where}/text?start=-1"), 400)
    service.a("DELETE", where)
    problem(service.a("GET", f"{where}/text"), 404)


def test_an_upload_may_say_tags_and_a_date(service: Service) -> None:
    content = b"# Leave\n\nLeave is 25 days.\n"
    asked = {"key": "a/leave.md", "size": len(content), "tags": ["HR", "休暇"], "date": "2026-01-31"}
    to_come = service.a("POST", "/v1/documents", json=asked).json()
    upload = to_come["upload"]
    assert sent(upload, content).status_code == 200
    service.documents.done("a/leave.md")
    shown = service.a("GET", f"/v1/documents/{to_come['id']}").json()
    assert (shown["tags"], shown["date"]) == (["hr", "休暇"], "2026-01-31")


def test_the_address_is_good_for_one_object_of_one_size_and_type(service: Service) -> None:
    asked = {"key": "a/x/leave days.md", "size": 7, "content_type": "text/markdown", "date": "2026-01-31"}
    upload = service.a("POST", "/v1/documents", json=asked).json()["upload"]
    signed = parse_qs(urlsplit(upload["url"]).query)
    assert (upload["method"], signed["X-Amz-Expires"]) == ("PUT", ["900"])
    assert urlsplit(upload["url"]).path.endswith("/a/x/leave%20days.md")
    assert upload["headers"] == {
        "Content-Type": "text/markdown", "x-amz-meta-date": "2026-01-31", "If-None-Match": "*"
    }  # fmt: skip
    # S3 refuses other values of signed headers.
    named = {*(name.lower() for name in upload["headers"]), "content-length", "host"}
    assert set(signed["X-Amz-SignedHeaders"][0].split(";")) == named


def test_an_address_takes_one_file_whether_the_document_is_new_or_replaced(service: Service) -> None:
    def address(text: bytes) -> dict[str, Any]:
        asked = {"key": "a/leave.md", "size": len(text)}
        upload: dict[str, Any] = service.a("POST", "/v1/documents", json=asked).json()["upload"]
        return upload

    first, second, third = b"# Leave one", b"# Leave two", b"# Leave six"
    new, late = address(first), address(third)
    assert [sent(new, first).status_code, sent(new, second).status_code, sent(late, third).status_code] == [
        200, 412, 412,
    ]  # fmt: skip
    replacement = address(second)
    assert "If-Match" in replacement["headers"]
    assert [sent(replacement, text).status_code for text in (second, third)] == [200, 412]
    assert sent(new, third).status_code == 412
    kept = boto3.client("s3").get_object(Bucket=DOCUMENTS_BUCKET, Key="a/leave.md")["Body"].read()
    assert kept == second


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ({}, "key is missing"),
        ([], 'such as {"key"'),
        ({"key": "a/x.exe", "size": 1}, "must end in one of .csv, .docx"),
        ({"key": "a/x.md", "size": 1, "question": "?"}, "the fields are key, size, content_type"),
        ({"key": "a/x.md", "size": 1, "tags": ["a, b"]}, "a tag holds letters or digits, and no comma or semicolon"),
        ({"key": "a/x.md", "size": 1, "date": "31.1.2026"}, "it must be a day such as 2026-01-31"),
    ],
)
def test_an_upload_that_cannot_be_is_refused_in_words(service: Service, body: object, word: str) -> None:
    assert word in problem(service.a("POST", "/v1/documents", json=body), 400)["detail"]


def test_a_document_that_cannot_be_read_is_listed_with_its_reason(service: Service) -> None:
    put(service, "a/broken.pdf", "no PDF")
    (document,) = service.a("GET", "/v1/documents").json()["documents"]
    assert (document["status"], document["passages"]) == ("failed", 0)
    assert "not a PDF" in document["reason"]


def test_documents_are_listed_page_by_page(service: Service) -> None:
    keys = [f"a/{n}.md" for n in range(5)] + ["a2/x.md"]
    for key in keys:
        put(service, key)
    seen, cursor = [], ""
    while cursor is not None:
        page = service.a("GET", "/v1/documents", params={"limit": 2, "cursor": cursor}).json()
        seen += [document["key"] for document in page["documents"]]
        cursor = page["cursor"]
    assert seen == keys
    assert service.a.listed("?collection=a2") == ["a2/x.md"]


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "limit=x", "cursor=x"])
def test_a_page_that_cannot_be_is_refused(service: Service, query: str) -> None:
    assert query.partition("=")[0] in problem(service.a("GET", f"/v1/documents?{query}"), 400)["detail"]


def test_tenant_cannot_see_change_or_delete_foreign_documents(service: Service) -> None:
    theirs = put(service, "b/secret.md")
    put(service, "shared/all.md")
    assert [tenant.listed() for tenant in (service.a, service.b, service.other)] == [
        [], ["b/secret.md"], ["shared/all.md"],
    ]  # fmt: skip
    for tenant in (service.a, service.other):
        problem(tenant("GET", f"/v1/documents/{theirs}"), 404)
        problem(tenant("DELETE", f"/v1/documents/{theirs}"), 404)
        refused = problem(tenant("GET", "/v1/documents?collection=b"), 403)
        unknown = problem(tenant("GET", "/v1/documents?collection=never-was"), 403)
        assert {**refused, "request_id": ""} == {**unknown, "request_id": ""}
        problem(tenant("POST", "/v1/documents", json={"key": "b/secret.md", "size": 1}), 403)
    stolen = base64.urlsafe_b64encode(json.dumps(["b", "b/a.md", "0" * 32]).encode()).decode()
    problem(service.a("GET", f"/v1/documents?cursor={stolen}"), 400)
    assert service.b("GET", f"/v1/documents/{theirs}").json()["status"] == "ready"
    assert boto3.client("s3").head_object(Bucket=DOCUMENTS_BUCKET, Key="b/secret.md")


def test_an_id_that_is_none_is_refused(service: Service) -> None:
    problem(service.a("GET", "/v1/documents/xyz"), 400)
    problem(service.a("GET", f"/v1/documents/{'0' * 32}"), 404)
