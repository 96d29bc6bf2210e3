"""Requests that the service refuses: the double refuses them, and the adapter never sends them."""

import json
from typing import Any

import pytest
from opensearchpy import OpenSearch
from opensearchpy.exceptions import OpenSearchException, TransportError

from selfrag.adapters.opensearch.collection import mapping
from selfrag.adapters.opensearch.search import OpenSearchPassages
from tests.contract.endpoint import ADDRESS, SERVERLESS
from tests.contract.entries import PATH, QUERY, signed, the_whole_life, unit
from tests.support.doubles.opensearch_double import OpenSearchDouble

OTHER = "/another"  # not shared between tests
NEW = {"passage_id": "x", "collection": "mine"}
BAD_SPACE: Any = mapping(8)
BAD_SPACE["mappings"]["properties"]["vector"]["method"]["space_type"] = "cosinesimil"
LUCENE: Any = mapping(8)
LUCENE["mappings"]["properties"]["vector"]["method"]["engine"] = "lucene"
WITHOUT_KNN = {**mapping(8), "settings": {}}


def lines(*parts: Any) -> str:
    return "".join(json.dumps(part) + "\n" for part in parts)


REFUSALS: dict[str, tuple[int, str, str, Any]] = {
    "an id of ours in PUT _doc": (400, "PUT", f"{PATH}/_doc/mine", NEW),
    "an id of ours in POST _doc": (404, "POST", f"{PATH}/_doc/mine", NEW),
    "an id of ours in _create": (400, "POST", f"{PATH}/_create/mine", NEW),
    "an update": (404, "POST", f"{PATH}/_update/mine", {"doc": NEW}),
    "an upsert": (404, "POST", f"{PATH}/_update/mine", {"doc": NEW, "doc_as_upsert": True}),
    "a delete by query": (404, "POST", f"{PATH}/_delete_by_query", QUERY),
    "an update by query": (404, "POST", f"{PATH}/_update_by_query", QUERY),
    "a refresh": (404, "POST", f"{PATH}/_refresh", None),
    "a refresh of a bulk": (400, "POST", f"{PATH}/_bulk?refresh=true", lines({"index": {}}, NEW)),
    "a refresh that waits": (400, "POST", f"{PATH}/_doc?refresh=wait_for", NEW),
    "the cluster's health": (404, "GET", "/_cluster/health", None),
    "the cluster's settings": (404, "PUT", "/_cluster/settings", {}),
    "a bulk without its last newline": (400, "POST", f"{PATH}/_bulk", lines({"index": {}}, NEW)[:-1]),
    "a bulk that is not JSON": (400, "POST", f"{PATH}/_bulk", "{\n"),
    "a request of more than 10 MiB": (413, "POST", f"{PATH}/_bulk", " " * (10 * 1024 * 1024 + 1)),
    "an index that exists": (400, "PUT", PATH, mapping(8)),
    "a vector field without index.knn": (400, "PUT", OTHER, WITHOUT_KNN),
    "an engine other than Faiss": (400, "PUT", OTHER, LUCENE),
    "a space that Faiss lacks": (400, "PUT", OTHER, BAD_SPACE),
    "more dimensions than 16,000": (400, "PUT", OTHER, mapping(16_001)),
    "a field of an unknown type": (400, "PUT", OTHER, {"mappings": {"properties": {"x": {"type": "words"}}}}),
    "an analyzer that is not there": (
        400,
        "PUT",
        OTHER,
        {"mappings": {"properties": {"x": {"type": "text", "analyzer": "sudachi"}}}},
    ),
    "an unknown setting": (400, "PUT", OTHER, {"settings": {"index": {"colour": "red"}}}),
    "an unknown query": (400, "POST", f"{PATH}/_search", {"query": {"guess": {}}}),
    "two queries in one": (400, "POST", f"{PATH}/_search", {"query": {"terms": {}, "knn": {}}}),
    "an unknown part of a query": (400, "POST", f"{PATH}/_search", {"query": {"bool": {"maybe": []}}}),
    "a query vector that is too short": (
        400,
        "POST",
        f"{PATH}/_search",
        {"query": {"knn": {"vector": {"vector": [1.0], "k": 4}}}},
    ),
    "no neighbours at all": (
        400,
        "POST",
        f"{PATH}/_search",
        {"query": {"knn": {"vector": {"vector": unit(1.0), "k": 0}}}},
    ),
    "more hits than the window": (400, "POST", f"{PATH}/_search", {**QUERY, "size": 10_001}),
    "more than 1,024 clauses": (
        400,
        "POST",
        f"{PATH}/_search",
        {"query": {"multi_match": {"query": "語" * 1100, "fields": ["text"], "type": "most_fields"}}},
    ),
    "a vector that is too short": (400, "POST", f"{PATH}/_doc", {**NEW, "vector": [1.0]}),
    "a search in an index that is not there": (404, "POST", f"{OTHER}/_search", QUERY),
}


# Refused by OpenSearch Serverless only; every OpenSearch refuses the others.
SERVERLESS_ALONE = {
    *(refusal for refusal in REFUSALS if refusal.startswith("an id of ours")),
    *("an update", "an upsert", "a delete by query", "an update by query"),
    *("a refresh", "a refresh of a bulk", "a refresh that waits"),
    *("the cluster's health", "the cluster's settings", "a request of more than 10 MiB"),
    *("an engine other than Faiss", "a space that Faiss lacks"),
}


def needs_serverless(only_there: bool) -> None:
    """Skip refusals that only OpenSearch Serverless makes."""
    if ADDRESS and only_there and not SERVERLESS:
        pytest.skip("only OpenSearch Serverless refuses this")


@pytest.mark.parametrize("refusal", REFUSALS)
def test_double_refuses_what_the_service_refuses(refusal: str, client: OpenSearch, index: OpenSearchPassages) -> None:
    needs_serverless(refusal in SERVERLESS_ALONE)
    index.add([])
    status, method, target, body = REFUSALS[refusal]
    another = f"{index._index}-another"
    target = target.replace(PATH, f"/{index._index}").replace(OTHER, f"/{another}")
    try:
        with pytest.raises(TransportError) as refused:
            client.transport.perform_request(method, target, body=body)
    finally:
        client.indices.delete(index=another, ignore=404)
    assert refused.value.status_code == status


def test_adapter_never_sends_refused_requests(service: OpenSearchDouble, index: OpenSearchPassages) -> None:
    the_whole_life(index)
    assert service.refused == [("POST", f"{PATH}/_search", 404)], "only the search before the index was made"


ITEMS: dict[str, tuple[Any, Any]] = {
    "an id of ours in index": ({"index": {"_id": "mine"}}, NEW),
    "an id of ours in create": ({"create": {"_id": "mine"}}, NEW),
    "an upsert": ({"update": {"_id": "mine"}}, {"doc": NEW, "doc_as_upsert": True}),
    "a vector that is too short": ({"index": {}}, {**NEW, "vector": [1.0]}),
}


@pytest.mark.parametrize("item", ITEMS)
def test_invalid_bulk_item_is_rejected_with_400(item: str, client: OpenSearch, index: OpenSearchPassages) -> None:
    needs_serverless(item != "a vector that is too short")
    index.add([])
    reply = client.bulk(index=index._index, body=list(ITEMS[item]))
    assert reply["errors"]
    assert [v["status"] for v in reply["items"][0].values()] == [400]


def test_a_field_that_is_not_mapped_is_refused_by_the_double_alone(service: OpenSearchDouble, index: Any) -> None:
    # The service would make up a type for it, which is never what we mean.
    index.add([])
    reply = signed(service).bulk(index="passages", body=[{"index": {}}, {"a field": "that is not mapped"}])
    assert reply["items"][0]["index"]["status"] == 400


@pytest.mark.parametrize(
    "wrong", [{"name": "es"}, {"secret": "another"}, {"region": "eu-west-1"}], ids=["service", "secret", "region"]
)
def test_a_request_with_a_wrong_signature_is_refused(wrong: dict[str, str], service: OpenSearchDouble) -> None:
    with pytest.raises(OpenSearchException) as refused:
        signed(service, **wrong).indices.exists(index="passages")
    assert refused.value.status_code == 403  # type: ignore[attr-defined]


def test_a_request_without_a_signature_is_refused(service: OpenSearchDouble) -> None:
    with pytest.raises(TransportError) as refused:
        OpenSearch(hosts=[service.url], max_retries=0).search(index="passages", body={})
    assert refused.value.status_code == 403


def test_a_body_that_was_changed_on_the_way_is_refused(service: OpenSearchDouble, index: OpenSearchPassages) -> None:
    the_whole_life(index)
    auth = signed(service).transport.kwargs["http_auth"]
    headers = auth("POST", f"{service.url}{PATH}/_search", b"{}")
    lowered = {**{name.lower(): value for name, value in headers.items()}, "host": service.host}
    assert service.answer("POST", f"{PATH}/_search", lowered, b'{"size": 1}')[0] == 403


def test_a_signature_over_the_content_length_is_refused(service: OpenSearchDouble) -> None:
    # As opensearch-py's signer for requests makes it since 3.2.0: its issue 1047.
    signer = signed(service).transport.kwargs["http_auth"].signer
    headers = signer.sign("HEAD", f"{service.url}{PATH}", b"", {"content-length": "0"})
    lowered = {**{name.lower(): value for name, value in headers.items()}, "host": service.host}
    assert "content-length" in lowered["authorization"]
    assert service.answer("HEAD", PATH, lowered, b"")[0] == 403
