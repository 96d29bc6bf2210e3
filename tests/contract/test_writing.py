"""Writing and deleting: nothing is lost, and nothing is there twice."""

import random
from collections import Counter
from typing import Any

import pytest

from selfrag.adapters.opensearch import search
from selfrag.adapters.opensearch.search import OpenSearchPassages
from selfrag.domain.errors import SelfragError, TemporarilyUnavailable
from selfrag.domain.passages import Bounds
from tests.contract.entries import PATH, entry, found, stored
from tests.support.doubles.opensearch_double import OpenSearchDouble
from tests.support.grids import some_of


@pytest.mark.parametrize("seed", some_of(range(5), 0))
@pytest.mark.parametrize("status", [429, 503])
def test_failing_items_neither_lose_nor_duplicate_passages(
    seed: int, status: int, service: OpenSearchDouble, index: OpenSearchPassages, record_property: Any
) -> None:
    knobs = service.knobs
    knobs.item_failure_rate, knobs.item_status, knobs.dice = 0.1, status, random.Random(seed)
    entries = [entry(f"p{n}", "words " * 1_500) for n in range(1000)]
    added = index.add(entries)
    first = len(added.ids)
    # Entries refused five times are named, and the caller retries only those.
    while added.failed:
        assert set(added.failed.values()) == {"TemporarilyUnavailable"}
        added.ids.update((again := index.add([e for e in entries if e.passage.passage_id in added.failed])).ids)
        added.failed = again.failed
    assert stored(service) == Counter({e.passage.passage_id: 1 for e in entries})
    assert added.ids == {d.source["passage_id"]: d.id for d in service.indices["passages"].documents}
    bulks = service.requests.count(("POST", f"{PATH}/_bulk"))
    record_property("figures", f"1,000 passages, 10% failing: {first} written by one add, {bulks} bulk requests")


def test_an_item_is_tried_a_bounded_number_of_times_and_then_named(
    service: OpenSearchDouble, index: OpenSearchPassages
) -> None:
    service.knobs.item_failure_rate = 1.0
    added = index.add([entry("p"), entry("q")])
    assert added.failed == {"p": "TemporarilyUnavailable", "q": "TemporarilyUnavailable"}
    assert (added.ids, added.unknown) == ({}, set())
    assert service.requests.count(("POST", f"{PATH}/_bulk")) == search.WRITE_ATTEMPTS


def test_item_rejected_for_its_content_is_not_retried(service: OpenSearchDouble, index: OpenSearchPassages) -> None:
    service.knobs.item_failure_rate, service.knobs.item_status = 1.0, 400
    assert index.add([entry("p")]).failed == {"p": "RequestRejected"}
    assert service.requests.count(("POST", f"{PATH}/_bulk")) == 1


def test_an_item_that_failed_before_it_had_an_id_is_not_written(
    service: OpenSearchDouble, index: OpenSearchPassages
) -> None:
    index.add([])
    service.indices["passages"].closed = True
    added = index.add([entry("p")])
    assert (added.failed, added.ids, added.unknown) == ({"p": "RequestRejected"}, {}, set())


def test_index_deleted_during_a_write_is_recreated_by_the_retry(
    service: OpenSearchDouble, index: OpenSearchPassages
) -> None:
    index.add([])
    service.knobs.statuses.append(200)  # the index seems to exist, but was deleted
    del service.indices["passages"]
    assert index.add([entry("p")]).failed == {"p": "TemporarilyUnavailable"}
    assert list(index.add([entry("p")]).ids) == ["p"]


@pytest.mark.parametrize("status", [429, 403, 413])
def test_a_refused_bulk_wrote_nothing_so_that_the_step_can_be_repeated(
    status: int, service: OpenSearchDouble, index: OpenSearchPassages
) -> None:
    index.add([])
    service.knobs.statuses.extend([200, status])  # the first is for the question whether the index exists
    with pytest.raises(SelfragError):
        index.add([entry("p")])
    assert stored(service) == Counter()
    assert list(index.add([entry("p")]).ids) == ["p"]


def test_partial_refusal_reports_written_and_unwritten_passages(
    service: OpenSearchDouble, index: OpenSearchPassages, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.add([])
    send = service._bulk

    def only_once(*arguments: Any) -> Any:
        service.knobs.statuses.append(403)
        return send(*arguments)

    monkeypatch.setattr(service, "_bulk", only_once)
    long = "x" * (search.BATCH_BYTES // 4 + 200)  # two of them, with their words, are more than one request takes
    added = index.add([entry("p", long), entry("q", long), entry("r", long)])
    assert (list(added.ids), added.failed) == (["p"], {"q": "Misconfigured", "r": "Misconfigured"})


def test_bulk_without_a_reply_is_looked_up_and_not_resent(service: OpenSearchDouble, index: OpenSearchPassages) -> None:
    service.knobs.lose_next_reply = True
    service.knobs.searches_until_visible = 1
    added = index.add([entry("p"), entry("q")])
    assert (added.ids, added.failed, added.unknown) == ({}, {}, {"p", "q"})
    assert stored(service) == Counter({"p": 1, "q": 1})
    assert index.service_ids(["p", "q"], ["mine"]) == {}, "not visible yet"
    ids = index.service_ids(["p", "q"], ["mine"])
    assert {i: len(found) for i, found in ids.items()} == {"p": 1, "q": 1}


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_bulk_that_ends_in_a_server_error_may_be_written_too(
    status: int, service: OpenSearchDouble, index: OpenSearchPassages
) -> None:
    index.add([])
    service.knobs.statuses.extend([200, status])
    assert index.add([entry("p")]).unknown == {"p"}


def test_duplicate_passage_is_found_once_with_both_service_ids(index: OpenSearchPassages) -> None:
    twice = [*index.add([entry("p")]).ids.values(), *index.add([entry("p")]).ids.values()]
    assert found(index) == (["p"], ["p"])
    assert [p.passage_id for p in index.fetch(["p"], Bounds(["mine"]))] == ["p"]
    assert sorted(index.service_ids(["p"], ["mine"])["p"]) == sorted(twice)
    index.delete(twice[:1])
    assert index.service_ids(["p"], ["mine"]) == {"p": twice[1:]}


def test_a_passage_that_is_given_twice_in_one_call_is_written_once(index: OpenSearchPassages) -> None:
    ids = index.add([entry("p"), entry("p")]).ids
    assert index.service_ids(["p"], ["mine"]) == {"p": [ids["p"]]}


def test_every_bulk_stays_below_what_the_service_takes(
    requests: list[tuple[str, str]], index: OpenSearchPassages
) -> None:
    ids = index.add([entry(f"p{n}", "日本語" * 40_000) for n in range(8)]).ids  # 18 MB of JSON, with the words
    assert index.service_ids(list(ids), ["mine"]) == {
        passage_id: [service_id] for passage_id, service_id in ids.items()
    }
    assert requests.count(("POST", f"{PATH}/_bulk")) == 4


def test_an_index_that_another_writer_just_made_is_used(service: OpenSearchDouble, index: OpenSearchPassages) -> None:
    index.add([])
    service.knobs.statuses.append(404)  # it is not seen, and then it is there
    assert list(index.add([entry("p")]).ids) == ["p"]
    assert (service.refused[-1][2], service.refused[-1][0]) == (400, "PUT")


def test_new_index_not_yet_ready_is_retried_later(service: OpenSearchDouble, index: OpenSearchPassages) -> None:
    service.knobs.requests_until_ready = 1
    with pytest.raises(TemporarilyUnavailable):
        index.add([entry("p")])
    assert list(index.add([entry("p")]).ids) == ["p"]


def test_a_deleted_document_stays_deleted_and_may_be_deleted_again(index: OpenSearchPassages) -> None:
    ids = index.add([entry("p"), entry("q")]).ids
    index.delete([ids["p"], ids["p"]])
    assert found(index) == (["q"], ["q"])


def test_an_id_that_must_be_escaped_in_a_path_is_deleted(service: OpenSearchDouble, index: OpenSearchPassages) -> None:
    ids = index.add([entry("p")]).ids
    assert "%" in ids["p"], "the double's ids are as those of the service"
    index.delete(ids.values())
    assert stored(service) == Counter()


def test_empty_add_or_delete_writes_nothing(index: OpenSearchPassages) -> None:
    assert index.add([]).ids == {}
    index.delete([])
    assert found(index) == ([], [])
