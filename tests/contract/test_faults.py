"""The error for each fault of the collection."""

from dataclasses import replace
from typing import Any

import pytest
from opensearchpy import OpenSearch
from opensearchpy.exceptions import TransportError

from selfrag import bootstrap
from selfrag.adapters.opensearch.search import OpenSearchPassages
from selfrag.domain.errors import (
    BadDocument,
    InvalidInput,
    Misconfigured,
    RequestRejected,
    SelfragError,
    TemporarilyUnavailable,
)
from selfrag.domain.passages import Bounds
from tests.contract.endpoint import ADDRESS, SERVERLESS
from tests.contract.entries import entry, unit
from tests.support.doubles.opensearch_double import OpenSearchDouble

SECRET = "the salary of Mallory is 4,711"
CALLS: dict[str, Any] = {
    "search": lambda index: index.search(SECRET, unit(1.0), 4, Bounds(["mine"])),
    "fetch": lambda index: index.fetch([SECRET], Bounds(["mine"])),
    "service_ids": lambda index: index.service_ids([SECRET], ["mine"]),
    "add": lambda index: index.add([entry("p", SECRET)]),
    "delete": lambda index: index.delete([SECRET]),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (429, TemporarilyUnavailable),
        (500, TemporarilyUnavailable),
        (503, TemporarilyUnavailable),
        (504, TemporarilyUnavailable),
        (401, Misconfigured),
        (403, Misconfigured),
        (400, RequestRejected),
        (413, RequestRejected),
    ],
)
def test_each_status_has_its_error_and_one_request(
    call: str, status: int, kind: type[SelfragError], service: OpenSearchDouble, index: OpenSearchPassages
) -> None:
    service.knobs.statuses.append(status)
    with pytest.raises(SelfragError) as raised:
        CALLS[call](index)
    assert type(raised.value) is kind
    assert len(service.requests) == 1, "the state machine retries, the client does not"


def test_no_message_repeats_a_query_or_a_passage(
    service: OpenSearchDouble, index: OpenSearchPassages, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(method: str, *arguments: Any) -> Any:
        if method == "HEAD":
            return 200, {}
        return 400, {"error": {"type": SECRET, "reason": SECRET, "root_cause": [{"reason": SECRET}]}, "status": 400}

    monkeypatch.setattr(service, "_route", refuse)
    for call in CALLS.values():
        with pytest.raises(SelfragError) as raised:
            call(index)
        assert SECRET not in str(raised.value)
        assert raised.value.__cause__ is None
        assert raised.value.__suppress_context__


@pytest.mark.skipif(bool(ADDRESS) and not SERVERLESS, reason="an OpenSearch without security lets everybody in")
def test_wrong_credentials_are_the_operators_to_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another")
    with pytest.raises(Misconfigured, match="403"):
        bootstrap.index().search("words", unit(1.0), 4, Bounds(["mine"]))


def test_a_collection_that_cannot_be_reached_may_come_back(
    service: OpenSearchDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SELFRAG_COLLECTION_ENDPOINT", "http://127.0.0.1:1")
    for call in CALLS.values():
        with pytest.raises(TemporarilyUnavailable, match="cannot be reached"):
            call(bootstrap.index())


def test_a_collection_that_does_not_reply_in_time_may_come_back(
    service: OpenSearchDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SELFRAG_COLLECTION_TIMEOUT_SECONDS", "0.05")
    with service._lock, pytest.raises(TemporarilyUnavailable, match="in time"):
        bootstrap.index().search("words", unit(1.0), 4, Bounds(["mine"]))


def test_a_collection_that_slept_is_waited_for(index: OpenSearchPassages) -> None:
    assert index._client.transport.kwargs["timeout"] >= 30
    assert index._client.transport.max_retries == 0


def test_a_vector_of_another_length_is_refused_before_it_is_sent(
    service: OpenSearchDouble, index: OpenSearchPassages
) -> None:
    with pytest.raises(Misconfigured, match="3 dimensions, the index holds 8"):
        index.search("words", [1.0, 0.0, 0.0], 4, Bounds(["mine"]))
    with pytest.raises(Misconfigured, match="3 dimensions, the index holds 8"):
        index.add([entry("good"), entry("p", vector=[1.0, 0.0, 0.0])])
    assert service.requests == []


TOO_LONG = "見" * 10_923  # 32,769 bytes


@pytest.mark.parametrize(
    ("field", "value", "name"),
    [
        ("heading", TOO_LONG, "a heading"),
        ("tags", ["short", TOO_LONG], "a tag"),
        ("document", TOO_LONG, "a document name"),
    ],
)
def test_value_too_long_for_the_index_is_rejected_before_sending(
    field: str, value: Any, name: str, requests: list[tuple[str, str]], index: OpenSearchPassages
) -> None:
    whole = entry("p")
    too_long = replace(whole, passage=whole.passage.model_copy(update={field: value}))
    with pytest.raises(BadDocument, match=f"{name} has 32,769 bytes in UTF-8; the index takes 32,766"):
        index.add([entry("good"), too_long])
    assert requests == []


def test_index_accepts_largest_fields_and_rejects_longer_ones(client: OpenSearch, index: OpenSearchPassages) -> None:
    assert list(index.add([entry("p", heading=TOO_LONG[1:], tags=["x" * 32_766])]).ids) == ["p"]
    reply = client.bulk(index=index._index, body=[{"index": {}}, {"passage_id": "q", "heading": TOO_LONG}])
    assert reply["items"][0]["index"]["status"] == 400


def test_more_documents_than_a_filter_takes_are_named_before_they_are_sent(
    requests: list[tuple[str, str]], client: OpenSearch, index: OpenSearchPassages
) -> None:
    index.add([entry("p")])
    documents = [f"{n}.md" for n in range(65_535)]
    assert [p.passage_id for p in index.fetch(["p"], Bounds(["mine"], [*documents, "d.md"]))] == ["p"]
    requests.clear()
    for ask in (
        lambda bounds: index.search("words", unit(1.0), 4, bounds),
        lambda bounds: index.fetch(["p"], bounds),
    ):
        with pytest.raises(InvalidInput, match="65,537 values of document; the index takes 65,536"):
            ask(Bounds(["mine"], [*documents, "d.md", "e.md"]))
    assert requests == []
    query = {"terms": {"document": [*documents, "d.md", "e.md"]}}
    with pytest.raises(TransportError) as refused:
        client.search(index=index._index, body={"query": query})
    assert refused.value.status_code == 400


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SELFRAG_COLLECTION_ENDPOINT", "collection.example"),
        ("SELFRAG_COLLECTION_ENDPOINT", None),
        ("SELFRAG_VECTOR_DIMENSIONS", "many"),
        ("SELFRAG_INDEX_NAME", "_all"),
        ("AWS_DEFAULT_REGION", None),
    ],
)
def test_a_wrong_setting_is_named(name: str, value: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(name, raising=False)
    if value is not None:
        monkeypatch.setenv(name, value)
    expected = name if name.startswith("SELFRAG") else "SELFRAG_COLLECTION_REGION"
    with pytest.raises(Misconfigured, match=expected):
        bootstrap.index()


def test_without_credentials_nothing_is_opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    with pytest.raises(Misconfigured, match="credentials"):
        bootstrap.index()


def test_half_a_pair_of_credentials_is_told_as_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with pytest.raises(Misconfigured, match="PartialCredentialsError"):
        bootstrap.index()
