"""A running ingestion."""

from collections.abc import Iterator

import pytest

from tests.support.ingesting import Ingestion, ingestion


@pytest.fixture
def running() -> Iterator[Ingestion]:
    with ingestion() as started:
        yield started
