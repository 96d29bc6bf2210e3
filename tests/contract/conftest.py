"""A strict stand-in of an OpenSearch Serverless vector collection, and the index that is set to use it."""

from collections.abc import Iterator

import pytest

from selfrag import bootstrap
from selfrag.adapters.opensearch.searching import OpenSearchPassages
from tests.contract.entries import DIMENSIONS
from tests.support.doubles.opensearch_double import ACCESS_KEY, REGION, SECRET_KEY, OpenSearchDouble


@pytest.fixture
def service() -> Iterator[OpenSearchDouble]:
    with OpenSearchDouble() as double:
        yield double


@pytest.fixture(autouse=True)
def environment(service: OpenSearchDouble, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "SELFRAG_COLLECTION_ENDPOINT": service.url,
        "SELFRAG_VECTOR_DIMENSIONS": str(DIMENSIONS),
        "AWS_ACCESS_KEY_ID": ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
        "AWS_DEFAULT_REGION": REGION,
    }.items():
        monkeypatch.setenv(name, value)
    for name in ("AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def index() -> OpenSearchPassages:
    return bootstrap.index()
