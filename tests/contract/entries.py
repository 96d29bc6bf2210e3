"""Entries for the tests of the contract, and searches for them."""

import math
import random
from collections import Counter
from typing import Any

from botocore.credentials import Credentials
from opensearchpy import OpenSearch, Urllib3AWSV4SignerAuth

from selfrag.adapters.opensearch.search import OpenSearchPassages
from selfrag.domain.passages import Bounds, Passage
from selfrag.ports.index import IndexEntry
from tests.support.doubles.opensearch_double import ACCESS_KEY, REGION, SECRET_KEY, OpenSearchDouble

DIMENSIONS = 8
PATH = "/passages"
QUERY = {"query": {"terms": {"collection": ["mine"]}}}


def unit(*numbers: float) -> list[float]:
    """Return a vector of length 1 in this direction."""
    vector = [*numbers, *[0.0] * (DIMENSIONS - len(numbers))]
    return [x / math.hypot(*vector) for x in vector]


def entry(
    passage_id: str, text: str = "words", vector: list[float] | None = None, collection: str = "mine", **more: Any
) -> IndexEntry:
    fields = {"document": "d.md", "title": "T", **more}
    passage = Passage(passage_id=passage_id, text=text, collection=collection, **fields)
    return IndexEntry(passage, vector or unit(1.0), position=3)


def stored(service: OpenSearchDouble) -> Counter[str]:
    """Return how often each passage is in the index."""
    documents = service.indices["passages"].documents
    return Counter(d.source["passage_id"] for d in documents if d.until == math.inf)


def found(index: OpenSearchPassages, text: str = "words", *collections: str, size: int = 50) -> tuple[list[str], ...]:
    """Return the ids that full text found, and those that the vector found."""
    both = index.search(text, unit(1.0), size, Bounds(collections or ("mine",)))
    return [p.passage_id for p, _ in both.by_text], [p.passage_id for p, _ in both.by_vector]


def the_whole_life(index: OpenSearchPassages) -> None:
    """Everything that the adapter can do, on an index that may not exist yet."""
    long_japanese = "".join(random.Random(3).choices("有給休暇申請期限東京大阪日本語検索", k=2000))
    assert index.search(long_japanese, unit(1.0), 50, Bounds(["mine"])) is not None
    assert index.fetch(["p0"], Bounds(["mine"])) == []
    added = index.add([entry(f"p{n}", f"half a \ud800 pair, a \x00, a % and {n}") for n in range(9)])
    assert len(added.ids) == 9
    index.search("", unit(1.0), 10_000, Bounds(["mine", "yours"]))
    index.search(long_japanese, unit(-1.0), 1, Bounds([]))
    assert index.fetch(["p0"], Bounds(["mine"]))
    assert index.service_ids(["p0"], ["mine"])
    index.delete([*added.ids.values(), *added.ids.values(), "never/was?"])
    index.add([])


def signed(service: OpenSearchDouble, secret: str = SECRET_KEY, name: str = "aoss", region: str = REGION) -> OpenSearch:
    """Return a client that asks for whatever it likes."""
    auth = Urllib3AWSV4SignerAuth(Credentials(ACCESS_KEY, secret), region, name)
    return OpenSearch(hosts=[service.url], http_auth=auth, max_retries=0)
