"""Requests and texts with the replies and words of OpenSearch 2.19.1: the double gives the same."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opensearchpy import OpenSearch
from opensearchpy.exceptions import TransportError

from tests.contract.endpoint import ADDRESS
from tests.contract.entries import signed
from tests.support.doubles.opensearch_analysis import ANALYZERS
from tests.support.doubles.opensearch_double import OpenSearchDouble

pytestmark = pytest.mark.skipif(bool(ADDRESS), reason="they are about the double alone")
SAMPLES = Path(__file__).parent / "samples"
REQUESTS: list[Any] = json.loads((SAMPLES / "requests.json").read_text())["samples"]
TEXTS: list[Any] = json.loads((SAMPLES / "tokens.json").read_text())["samples"]
BY_NAME = {sample["name"]: sample for sample in REQUESTS}
# What a collection of OpenSearch Serverless, which the double stands for, does otherwise; or the double alone.
DIFFERENT = {
    "create: cosinesimil of faiss": "Serverless knew no such space before 2.19, and refuses it",
    "create: engine lucene": "Serverless has Faiss alone",
    "create: engine nmslib": "Serverless has Faiss alone",
    "bulk: not JSON": "the double has one name for all that cannot be read",
    "bulk: into a full disk's index": "the double's items fail at will, and are told as injected",
    "knn: a zero vector": "all are as near: HNSW keeps any four of them, the double the first four",
}


def parts(of: dict[str, Any]) -> Any:
    """Return what a caller can tell replies apart by: no times, no shards, no ids, no sentences."""
    match of:
        case {"error": {"type": kind}}:
            return kind
        case {"responses": replies}:
            return [(reply["status"], parts(reply)) for reply in replies]
        case {"hits": {"hits": hits, "total": total, "max_score": best}}:
            scored = [(hit["_source"], pytest.approx(hit["_score"], rel=1e-5)) for hit in hits]
            return total, best and pytest.approx(best, rel=1e-5), scored
        case {"items": items}:
            return of["errors"], [
                (kind, item["status"], item["_id"] is None, item.get("error", {}).get("type"))
                for one in items
                for kind, item in one.items()
            ]
    return {name: value for name, value in of.items() if name in ("acknowledged", "index", "passages", "result")}


def play(client: OpenSearch, sample: Any, ids: dict[str, str]) -> tuple[int, Any]:
    """Return the status and the body of the double's reply."""
    asked = sample["request"]
    path = asked["path"]
    for theirs, ours in ids.items():
        path = path.replace(theirs, ours)
    try:
        body = client.transport.perform_request(asked["method"], path, body=asked["body"])
    except TransportError as error:
        return int(error.status_code), error.info
    return (200 if body else 404, "") if asked["method"] == "HEAD" else (200, body)


@pytest.fixture(scope="module")
def replies() -> Iterator[dict[str, tuple[int, Any]]]:
    """Return the double's reply to each request, in the order in which the engine got them."""
    ids: dict[str, str] = {}
    with OpenSearchDouble() as service:
        client = signed(service)
        replies = {}
        for sample in REQUESTS:
            match sample["name"]:
                case "bulk: into a full disk's index":
                    service.knobs.item_failure_rate = 1.0
                case "search: a closed index":
                    service.indices["passages"].closed = True
            _, body = replies[sample["name"]] = play(client, sample, ids)
            if sample["name"] == "bulk":
                of_each = zip(sample["reply"]["body"]["items"], body["items"], strict=True)
                ids = {theirs["index"]["_id"]: ours["index"]["_id"].replace("%", "%25") for theirs, ours in of_each}
        yield replies


@pytest.mark.parametrize("name", BY_NAME)
def test_the_double_replies_as_the_engine_did(name: str, replies: dict[str, tuple[int, Any]]) -> None:
    expected = BY_NAME[name]["reply"]
    status, body = replies[name]
    same = status == expected["status"] and (body == expected["body"] or parts(body) == parts(expected["body"]))
    if name in DIFFERENT:
        assert not same, "take it out of the list"
    else:
        assert (status, parts(body) if body else body) == (
            expected["status"],
            parts(expected["body"]) if expected["body"] else "",
        )


@pytest.mark.parametrize("sample", TEXTS, ids=lambda sample: f"{sample['analyzer']}: {sample['text']!a}")
def test_the_double_finds_the_words_that_the_engine_finds(sample: Any) -> None:
    assert ANALYZERS[sample["analyzer"]](sample["text"]) == sample["tokens"]
