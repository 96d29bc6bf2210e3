"""The index's fields: display fields are stored and not searched, and an index of a former release keeps working."""

from typing import Any

import pytest
from opensearchpy import OpenSearch
from opensearchpy.exceptions import TransportError

from selfrag.adapters.opensearch.collection import mapping
from selfrag.adapters.opensearch.search import OpenSearchPassages
from selfrag.domain.passages import Bounds, CitedWhole
from tests.contract.entries import DIMENSIONS, PATH, entry, found
from tests.support.doubles.opensearch_double import OpenSearchDouble

PLACE: dict[str, Any] = {"locator": "sheet Prices", "rows": [CitedWhole(start=0, end=5, name="row 14")]}
SHOWN = ("locator", "rows")


def as_before() -> dict[str, Any]:
    """Return the index as releases made it that knew no locators and no rows."""
    body = mapping(DIMENSIONS)
    body["mappings"]["properties"] = {k: v for k, v in body["mappings"]["properties"].items() if k not in SHOWN}
    return body


def test_a_passage_comes_back_with_its_place_and_its_rows(index: OpenSearchPassages) -> None:
    index.add([entry("p", **PLACE), entry("q")])
    placed, plain = index.fetch(["p", "q"], Bounds(["mine"]))
    assert (placed.locator, placed.rows) == ("sheet Prices", PLACE["rows"])
    assert (plain.locator, plain.rows) == ("", [])


def test_index_of_a_former_release_gets_new_fields_and_keeps_its_passages(
    client: OpenSearch, index: OpenSearchPassages
) -> None:
    client.indices.create(index=index._index, body=as_before())
    index.add([entry("q", "words"), entry("p", "words", **PLACE)])
    there = next(iter(client.indices.get_mapping(index=index._index).values()))["mappings"]["properties"]
    assert {name: there[name] for name in SHOWN} == {
        "locator": {"type": "keyword", "index": False, "doc_values": False},
        "rows": {"type": "object", "enabled": False},
    }
    assert index.fetch(["p"], Bounds(["mine"]))[0].rows == PLACE["rows"]
    assert sorted(found(index)[0]) == ["p", "q"]


def test_the_fields_of_an_index_are_looked_at_once(requests: list[tuple[str, str]], index: OpenSearchPassages) -> None:
    for passage_id in ("p", "q"):
        index.add([entry(passage_id)])
    second = OpenSearchPassages(index._client, index._index, DIMENSIONS)
    for passage_id in ("r", "s"):
        second.add([entry(passage_id)])
    assert requests.count(("GET", f"{PATH}/_mapping")) == 1
    assert requests.count(("PUT", f"{PATH}/_mapping")) == 0


def test_a_field_that_is_only_shown_takes_rows_in_any_shape(service: OpenSearchDouble, index: Any) -> None:
    index.add([])
    held = service.indices["passages"]
    for rows in ([], [{"start": 0}], {"a": [1, "b"]}, "none"):
        held.check({"rows": rows})


@pytest.mark.parametrize(
    ("field", "status"),
    [
        ({"page": {"type": "keyword"}}, 400),
        ({"locator": {"type": "keyword"}}, 400),
        ({"rows": {"type": "object", "enabled": True}}, 500),
        ({"new": {"type": "keyword", "index": "perhaps"}}, 400),
        ({"new": {"type": "object", "index": False}}, 400),
    ],
    ids=["another type", "searched after all", "read after all", "no switch", "a parameter of another type"],
)
def test_a_field_cannot_change_what_it_is(
    field: Any, status: int, client: OpenSearch, index: OpenSearchPassages
) -> None:
    index.add([])
    with pytest.raises(TransportError) as refused:
        client.indices.put_mapping(index=index._index, body={"properties": field})
    assert refused.value.status_code == status


def test_display_fields_are_not_searchable(client: OpenSearch, index: OpenSearchPassages) -> None:
    index.add([entry("p", **PLACE)])
    with pytest.raises(TransportError) as refused:
        client.search(index=index._index, body={"query": {"terms": {"locator": ["sheet Prices"]}}})
    assert refused.value.status_code == 400
