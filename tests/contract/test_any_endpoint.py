"""The contract can be held against any OpenSearch, and finds one that does otherwise."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.contract.endpoint import ADDRESS
from tests.support.doubles.opensearch_double import OpenSearchDouble
from tests.support.doubles.opensearch_index import Index, Json

ROOT = Path(__file__).parents[2]


def held_against(address: str) -> tuple[int, int, int]:
    """Return how many tests of the contract passed, failed, and were about the double alone."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "tests/contract"]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "SELFRAG_TEST_OPENSEARCH": address}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    counted = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|skipped|error)", done.stdout)}
    assert "error" not in counted, done.stdout
    return counted.get("passed", 0), counted.get("failed", 0), counted.get("skipped", 0)


class Unbounded(OpenSearchDouble):
    """A service that does not keep to the filters of a search."""

    def _search(self, index: Index, body: Any) -> Json:
        return super()._search(index, without_filters(body))


def without_filters(query: Any) -> Any:
    if isinstance(query, dict):
        return {key: without_filters(part) for key, part in query.items() if key != "filter"}
    return query


@pytest.mark.skipif(bool(ADDRESS), reason="it would hold the double against itself")
@pytest.mark.long
def test_contract_run_against_address_finds_deviating_service(
    record_property: Any,
) -> None:
    with OpenSearchDouble() as service:
        passed, failed, skipped = held_against(service.url)
        assert service.indices == {}, "each test removes its index"
    assert failed == 0
    assert passed > 30 < skipped
    with Unbounded() as service:
        found = held_against(service.url)[1]
    assert found >= 3
    record_property(
        "figures",
        f"the contract, held against an address: {passed} tests, {skipped} about the double alone; "
        f"{found} fail where filters are not kept to",
    )
