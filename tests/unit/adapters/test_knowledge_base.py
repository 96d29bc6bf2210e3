"""Promises about a knowledge base of Bedrock: what Retrieve is asked for, and what becomes of its results."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import boto3
import pytest
from botocore.config import Config

from selfrag.adapters.knowledge_base import WITHHELD, KnowledgeBase
from selfrag.bootstrap.knowledge_base import KnowledgeBaseSettings
from selfrag.domain.errors import Misconfigured, RequestRejected, SelfragError, TemporarilyUnavailable
from selfrag.domain.passages import Bounds, Passage
from selfrag.retrieval.search import search
from selfrag.runtime.settings import read
from tests.support.doubles.knowledge_base_double import ID, KnowledgeBaseDouble, chunk

C = Bounds(["c"])
CHUNKS = [chunk(f"Leave rule {n} is {n} days.", f"s3://docs/{n}.md", collection="c") for n in range(130)]


@contextmanager
def connected(
    *chunks: Any, collection: str = "", user: str = "", base: str = ID, page_size: int = 1000
) -> Iterator[tuple[KnowledgeBase, KnowledgeBaseDouble]]:
    with KnowledgeBaseDouble(*chunks, page_size=page_size) as double:
        client = boto3.client(
            "bedrock-agent-runtime", region_name="us-east-1", endpoint_url=double.url,
            aws_access_key_id="test", aws_secret_access_key="test", config=Config(retries={"total_max_attempts": 1}),
        )  # fmt: skip
        yield KnowledgeBase(client, base, collection, user), double


def hits(index: KnowledgeBase, bounds: Bounds = C, size: int = 10, text: str = "leave") -> list[Passage]:
    return [passage for passage, _ in index.search(text, None, size, bounds).by_vector]


def test_result_becomes_a_passage_with_its_text_and_metadata() -> None:
    text = "  Leave is 25 days.\n\tNot 26. "
    data = {"collection": "c", "tags": ["people", 7], "date": 20260131.0, "x-amz-bedrock-kb-document-page-number": 3.0}
    with connected(chunk(text, "s3://docs/leave.pdf", **data)) as (index, _):
        (passage,) = hits(index)
    assert (passage.text, passage.document, passage.collection) == (text, "s3://docs/leave.pdf", "c")
    assert (passage.page, passage.date, passage.tags, passage.document_id) == (3, "2026-01-31", ["people"], None)
    assert passage.passage_id.startswith("kb-")


def test_passage_id_is_stable_and_depends_on_source_chunk_and_text() -> None:
    same = chunk("Leave.", "s3://a", **{"collection": "c", "x-amz-bedrock-kb-chunk-id": "1%3A0"})
    others = [
        chunk("Leave!", "s3://a", **{"collection": "c", "x-amz-bedrock-kb-chunk-id": "1%3A0"}),
        chunk("Leave.", "s3://b", **{"collection": "c", "x-amz-bedrock-kb-chunk-id": "1%3A0"}),
        chunk("Leave.", "s3://a", **{"collection": "c", "x-amz-bedrock-kb-chunk-id": "2%3A0"}),
        chunk("Leave.", "s3://a", collection="c"),
    ]
    with connected(same, *others) as (index, _):
        first = [passage.passage_id for passage in hits(index)]
        assert len(set(first)) == 5
        assert [passage.passage_id for passage in hits(index)] == first
    with connected(same, {**same, "score": 0.5}) as (index, _):
        assert len(hits(index)) == 1


@pytest.mark.parametrize(
    ("kind", "place", "name"),
    [
        ("S3", {"s3Location": {"uri": "s3://b/k"}}, "s3://b/k"),
        ("WEB", {"webLocation": {"url": "https://x.example"}}, "https://x.example"),
        ("CONFLUENCE", {"confluenceLocation": {"url": "https://c.example"}}, "https://c.example"),
        ("SALESFORCE", {"salesforceLocation": {"url": "https://s.example"}}, "https://s.example"),
        ("SHAREPOINT", {"sharePointLocation": {"url": "https://p.example"}}, "https://p.example"),
        ("KENDRA", {"kendraDocumentLocation": {"uri": "kendra://1"}}, "kendra://1"),
        ("CUSTOM", {"customDocumentLocation": {"id": "42"}}, "42"),
        ("SQL", {"sqlLocation": {"query": "SELECT 1"}}, "SELECT 1"),
        ("ONEDRIVE", {"oneDriveLocation": {"url": "https://o.example"}}, "https://o.example"),
        ("GOOGLEDRIVE", {"googleDriveLocation": {"url": "https://g.example"}}, "https://g.example"),
        ("CUSTOM", {}, "s3://docs/leave.md"),
    ],
)
def test_the_document_of_each_kind_of_location_is_its_address(kind: str, place: Any, name: str) -> None:
    result = {**chunk("Leave.", collection="c"), "location": {"type": kind, **place}}
    with connected(result) as (index, _):
        assert [passage.document for passage in hits(index)] == [name]


def test_search_excludes_other_collections_even_if_filter_is_ignored() -> None:
    theirs = chunk("Leave of others.", collection="d")
    nobodys = chunk("Leave of nobody.")
    with connected(theirs, nobodys, chunk("Leave.", collection="c")) as (index, double):
        assert [passage.text for passage in hits(index)] == ["Leave."]
        assert double.filters == [{"in": {"key": "collection", "value": ["c"]}}]
        double.changes = {"retrievalResults": [theirs, nobodys]}
        assert hits(index) == []


def test_single_collection_knowledge_base_needs_no_attribute_and_serves_no_other() -> None:
    with connected(chunk("Leave."), collection="c") as (index, double):
        assert [passage.collection for passage in hits(index)] == ["c"]
        assert double.filters == [None]
        assert hits(index, Bounds(["d"])) == []
        assert len(double.requests) == 1


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        (Bounds(["c"], documents=["s3://docs/hr/a.md"]), ["a"]),
        (Bounds(["c"], documents=["s3://docs/hr/"]), ["a", "b"]),
        (Bounds(["c"], documents=["s3://docs/hr/a.md", "s3://docs/it/"]), ["a", "x"]),
        (Bounds(["c"], tags=["people"]), ["a", "x"]),
        (Bounds(["c"], tags=["people", "old"]), ["a", "b", "x"]),
        (Bounds(["c"], since="2026-01-31"), ["a", "b"]),
        (Bounds(["c"], until="2026-01-31"), ["a"]),
        (Bounds(["c"], ["s3://docs/hr/"], ["old"], "2026-02-01", "2026-12-31"), ["b"]),
    ],
)
def test_documents_folders_tags_and_days_bound_a_search(bounds: Bounds, expected: list[str]) -> None:
    chunks = [
        chunk("a", "s3://docs/hr/a.md", collection="c", tags=["people"], date=20260131),
        chunk("b", "s3://docs/hr/b.md", collection="c", tags=["old"], date=20260301),
        # A text has no order, so its day is none.
        chunk("x", "s3://docs/it/x.md", collection="c", tags=["people"]),
        chunk("y", "s3://docs/y.md", collection="d", tags=["people", "old"], date=20260131),
    ]
    with connected(*chunks) as (index, double):
        assert sorted(passage.text for passage in hits(index, bounds)) == expected
        # The adapter drops results that the filters let pass by mistake.
        double.changes = {"retrievalResults": chunks}
        assert sorted(passage.text for passage in hits(index, bounds)) == expected


def test_search_follows_pages_and_later_search_brings_other_passages() -> None:
    with connected(*CHUNKS, page_size=30) as (index, double):
        first = search(index, [("leave", None)], 50, C, 0.0)
        assert len(first.passages) == 50
        assert [request.get("nextToken") for request in double.requests] == [None, "30"]
        earlier = [passage.passage_id for passage in first.passages]
        later = search(index, [("leave", None)], 50, Bounds(["c"], without=earlier), 0.0)
        assert len(later.passages) == 50
        assert not set(earlier).intersection(passage.passage_id for passage in later.passages)
        double.requests.clear()
        everything = [*earlier, *(passage.passage_id for passage in later.passages)]
        assert search(index, [("leave", None)], 4, Bounds(["c"], without=everything), 0.0).passages == []
        # Retrieve gives no more than a hundred, so it is not asked for them again.
        assert len(double.filters) == 1


def test_results_without_text_are_omitted_with_a_reason() -> None:
    def of(**content: Any) -> Any:
        return {**chunk("", collection="c"), "content": content}

    results = [
        of(type="IMAGE", byteContent="data:image/png;base64,AA"),
        of(type="ROW", row=[{"columnName": "days", "columnValue": "25", "type": "LONG"}]),
        of(type="AUDIO", audio={"s3Uri": "s3://a", "transcription": "Leave."}),
        of(type="VIDEO", video={"s3Uri": "s3://v", "summary": "Leave."}),
        of(type="IMAGE"),
        of(type="TEXT", text=" \n"),
        {"content": {"text": "Leave."}},
        of(text="Leave."),
    ]
    with connected(*results) as (index, double):
        double.changes = {"retrievalResults": results}
        candidates = index.search("leave", None, 10, C)
    assert [passage.text for passage, _ in candidates.by_vector] == ["Leave."]
    assert list(candidates.warnings) == [
        "Results of the knowledge base that hold no text to cite were left out: 2 IMAGE, 1 ROW, 1 AUDIO, 1 VIDEO, "
        "2 without text or location."
    ]


def test_results_changed_by_guardrail_are_withheld_with_warning() -> None:
    with connected(chunk("Leave.", collection="c")) as (index, double):
        double.changes = {"guardrailAction": "NONE"}
        assert len(hits(index)) == 1
        double.changes = {"guardrailAction": "INTERVENED"}
        candidates = index.search("leave", None, 10, C)
    assert (candidates.by_vector, candidates.warnings) == ([], [WITHHELD])


@pytest.mark.parametrize(
    ("code", "kind", "refused"),
    [
        ("ThrottlingException", TemporarilyUnavailable, True),
        ("ServiceQuotaExceededException", TemporarilyUnavailable, True),
        ("ConflictException", TemporarilyUnavailable, True),
        ("DependencyFailedException", TemporarilyUnavailable, True),
        ("InternalServerException", TemporarilyUnavailable, False),
        ("BadGatewayException", TemporarilyUnavailable, False),
        ("AccessDeniedException", Misconfigured, True),
        ("ResourceNotFoundException", Misconfigured, True),
        ("ValidationException", RequestRejected, True),
    ],
)
def test_each_error_of_the_service_is_one_of_ours_and_repeats_nothing(
    code: str, kind: type[SelfragError], refused: bool
) -> None:
    with connected() as (index, double):
        double.error = code
        with pytest.raises(kind) as raised:
            hits(index)
    assert (type(raised.value), raised.value.refused) == (kind, refused)
    assert "the knowledge base" in str(raised.value)
    assert "asked for by the test" not in str(raised.value)


def test_missing_knowledge_base_and_invalid_id_are_misconfigured(monkeypatch: pytest.MonkeyPatch) -> None:
    with connected(base="KB76543210") as (index, _), pytest.raises(Misconfigured, match="ResourceNotFoundException"):
        hits(index)
    monkeypatch.setenv("SELFRAG_KNOWLEDGE_BASE_ID", "short")
    with pytest.raises(Misconfigured, match="SELFRAG_KNOWLEDGE_BASE_ID"):
        read(KnowledgeBaseSettings)


def test_the_user_is_named_where_the_deployment_has_one() -> None:
    with connected(chunk("Leave.", collection="c"), user="all@example.com") as (index, double):
        double.users = ["all@example.com"]
        assert len(hits(index)) == 1
        assert double.requests[0]["userContext"] == {"userId": "all@example.com"}
    with connected(chunk("Leave.", collection="c")) as (index, double):
        hits(index)
        assert "userContext" not in double.requests[0]


def test_knowledge_base_fetches_no_passages_by_id() -> None:
    with connected(*CHUNKS) as (index, double):
        assert index.fetch(["kb-1"], C) == []
        assert double.requests == []
