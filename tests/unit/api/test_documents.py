"""Documents at the edge: which keys may be uploaded, and how a list of documents is paged."""

import base64
import json
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError, NoCredentialsError
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from selfrag.adapters.objects import S3Uploads
from selfrag.api.documents import listing
from selfrag.domain.documents import MAX_DOCUMENT_BYTES, collection_of
from selfrag.domain.errors import InvalidInput, Misconfigured, SelfragError, TemporarilyUnavailable
from selfrag.domain.fields import MAX_KEY_CHARACTERS
from selfrag.domain.questions import UploadRequest
from selfrag.domain.records import Record


class FakeManifest:
    """Documents by collection, in pages as DynamoDB gives them."""

    def __init__(self, **records: list[Record]) -> None:
        self.records = records
        self.asked = 0

    def list_documents(self, collection: str, limit: int, after: tuple[str, str] | None = None) -> Any:
        self.asked += 1
        known = self.records.get(collection, [])
        rest = [record for record in known if after is None or (record.key, record.id) > after]
        page = rest[:limit]
        last = (page[-1].key, page[-1].id) if len(rest) >= limit else None
        return [record for record in page if record.status != "removed"], last


def record(key: str, status: Any = "ready") -> Record:
    return Record(id=f"id-{key}", key=key, collection=collection_of(key), status=status, updated_at=1)


def all_pages(manifest: Any, collections: list[str], limit: int) -> list[str]:
    keys: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        found = listing.page(manifest, collections, limit, cursor)
        assert len(found.documents) <= limit
        assert found.collections == sorted(collections)
        keys += [document.key for document in found.documents]
        cursor = found.cursor
    return keys


@given(
    st.dictionaries(st.sampled_from("abcd"), st.lists(st.sampled_from(["ready", "removed", "failed"]), max_size=9)),
    st.integers(1, 5),
)
def test_the_pages_hold_every_document_once_and_no_removed_one(known: dict[str, list[str]], limit: int) -> None:
    records = {c: [record(f"{c}/{n}.md", status) for n, status in enumerate(states)] for c, states in known.items()}
    asked = ["d", "a", "b"]
    expected = [r.key for c in sorted(asked) for r in records.get(c, []) if r.status != "removed"]
    assert all_pages(FakeManifest(**records), asked, limit) == expected


def test_a_request_ends_however_many_documents_were_removed() -> None:
    manifest = FakeManifest(a=[record(f"a/{n:04}.md", "removed") for n in range(500)], b=[record("b/x.md")])
    found = listing.page(manifest, ["a", "b"], 10, "")  # type: ignore[arg-type]
    assert (found.documents, manifest.asked) == ([], listing.MAX_QUERIES)
    assert all_pages(manifest, ["a", "b"], 10) == ["b/x.md"]


def cursor(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode()


@pytest.mark.parametrize(
    "bad",
    [
        "x", "é", "\ud800", "====", cursor(1), cursor({}), cursor([]), cursor(["a", "k"]), cursor(["a", 1, 2]),
        cursor(["b", "b/x.md", "1"]), cursor(["a", "", "1"]), cursor(["a", "k", ""]), cursor(["a", "k" * 1025, "1"]),
        cursor(["a", "\ud800", "1"]), cursor([["a"], "k", "1"]), base64.urlsafe_b64encode(b"[" * 9000).decode(),
    ],
)  # fmt: skip
def test_a_cursor_that_was_not_given_out_is_refused(bad: str) -> None:
    with pytest.raises(InvalidInput, match="cursor"):
        listing.page(FakeManifest(), ["a"], 10, bad)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "key", ["c/a.md", "c/x/y z.PDF", "c/..notes.txt", "c/日本語.html", "c/a" + "b" * 492 + ".docx"]
)
def test_keys_of_documents_are_taken_as_they_are(key: str) -> None:
    assert UploadRequest(key=key, size=1).key == key


@pytest.mark.parametrize(
    "key",
    [
        "", "a.md", "/a.md", "c/", "c//a.md", "c/../d/a.md", "../a.md", "c/./a.md", "c/a\n.md", "c/a\x00.md",
        "c/x\u202emd.fdp.md", "c/\u2066x.md", "c/-rf.md", "c/-r/a.md", "-c/a.md",
        "c/\ud800.md", "c/a\u2028.md", "c/a.exe", "c/md", "c/.md", "c/${filename}.md",
        "c/" + "a" * (MAX_KEY_CHARACTERS - 4) + ".md", "c/" + "日" * 400 + ".md",
    ],
)  # fmt: skip
def test_keys_that_could_mean_something_else_are_refused(key: str) -> None:
    with pytest.raises(ValidationError):
        UploadRequest(key=key, size=1)


def test_key_of_an_unsupported_kind_is_refused_with_advice() -> None:
    with pytest.raises(ValidationError, match=r"it is a Word document of the old kind; save it as \.docx"):
        UploadRequest(key="c/a.DOC", size=1)


@given(st.text(max_size=40), st.sampled_from([".md", ".pdf", ".exe", ""]))
def test_a_key_that_is_taken_names_its_collection(start: str, end: str) -> None:
    try:
        key = UploadRequest(key=f"mine/{start}{end}", size=1).key
    except ValidationError:
        return
    assert collection_of(key) == "mine"


@pytest.mark.parametrize(
    "changed", [{"size": 0}, {"size": MAX_DOCUMENT_BYTES + 1}, {"content_type": "a\r\nb: c"}, {"acl": "x"}]
)
def test_an_upload_of_no_size_or_of_too_much_is_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        UploadRequest.model_validate({"key": "c/a.md", "size": 1, **changed})


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ClientError({"ResponseMetadata": {"HTTPStatusCode": 403}}, "DeleteObject"), Misconfigured),
        (ClientError({"ResponseMetadata": {"HTTPStatusCode": 503}}, "DeleteObject"), TemporarilyUnavailable),
        (EndpointConnectionError(endpoint_url="x"), TemporarilyUnavailable),
        (NoCredentialsError(), Misconfigured),
    ],
)
def test_bucket_failures_are_typed_errors(error: Exception, kind: type[SelfragError]) -> None:
    class Broken:
        def delete_object(self, **request: Any) -> None:
            raise error

        def head_object(self, **request: Any) -> None:
            raise error

    with pytest.raises(kind):
        S3Uploads(Broken(), "bucket").delete("c/a.md")
    with pytest.raises(kind):
        S3Uploads(Broken(), "bucket").target(UploadRequest(key="c/a.md", size=1))
