"""Tests of the index contract: against a strict double of a vector collection, or against SELFRAG_TEST_OPENSEARCH.

Tests that take `service` are about what only the stand-in does at will; the others run against any OpenSearch.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from opensearchpy import OpenSearch

from selfrag import bootstrap
from selfrag.adapters.opensearch.search import OpenSearchPassages
from tests.contract.endpoint import ADDRESS, SERVERLESS, index_of_its_own
from tests.contract.entries import DIMENSIONS, signed
from tests.support.doubles.opensearch_double import ACCESS_KEY, REGION, SECRET_KEY, OpenSearchDouble


@pytest.fixture
def service() -> Iterator[OpenSearchDouble]:
    if ADDRESS:
        pytest.skip("only the double has such faults, or tells of them")
    with OpenSearchDouble() as double:
        yield double


@pytest.fixture(autouse=True)
def environment(request: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SELFRAG_VECTOR_DIMENSIONS", str(DIMENSIONS))
    monkeypatch.setenv("SELFRAG_COLLECTION_ENDPOINT", ADDRESS or request.getfixturevalue("service").url)
    if SERVERLESS:
        return
    keys = {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY, "AWS_DEFAULT_REGION": REGION}
    for name, value in keys.items():
        monkeypatch.setenv(name, value)
    for name in ("AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def index_and_requests(request: Any, environment: None) -> Iterator[tuple[OpenSearchPassages, list[tuple[str, str]]]]:
    if not ADDRESS:
        yield bootstrap.index(), request.getfixturevalue("service").requests
        return
    with index_of_its_own(DIMENSIONS) as (settled, requests), bootstrap.using(index=settled):
        yield settled, requests


@pytest.fixture
def index(index_and_requests: tuple[OpenSearchPassages, list[tuple[str, str]]]) -> OpenSearchPassages:
    return index_and_requests[0]


@pytest.fixture
def requests(index_and_requests: tuple[OpenSearchPassages, list[tuple[str, str]]]) -> list[tuple[str, str]]:
    """Return the method and the path of each request so far, in which the index is called `passages`."""
    return index_and_requests[1]


@pytest.fixture
def client(request: Any, index: OpenSearchPassages) -> OpenSearch:
    """Return a client that asks for whatever it likes."""
    return index._client if ADDRESS else signed(request.getfixturevalue("service"))
