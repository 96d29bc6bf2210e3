"""The passage index against a strict stand-in of an OpenSearch Serverless vector collection."""

import json
import math
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.credentials import Credentials
from opensearchpy import OpenSearch, Urllib3AWSV4SignerAuth
from opensearchpy.exceptions import OpenSearchException, TransportError

from selfrag import bootstrap
from selfrag.adapters.opensearch import writing
from selfrag.adapters.opensearch.collection import STORED, mapping
from selfrag.adapters.opensearch.searching import OpenSearchPassages
from selfrag.domain.errors import Misconfigured, RequestRejected, SelfragError, TemporarilyUnavailable
from selfrag.domain.passages import Bounds, Passage
from selfrag.ports.index import Entry, Index, best
from tests.support.opensearch_double import ACCESS_KEY, REGION, SECRET_KEY, OpenSearchDouble

DIMENSIONS = 8
SECRET = "the salary of Mallory is 4,711"
PATH = "/passages"


def unit(*numbers: float) -> list[float]:
    """A vector of length 1 in this direction."""
    vector = [*numbers, *[0.0] * (DIMENSIONS - len(numbers))]
    return [x / math.hypot(*vector) for x in vector]


def entry(
    passage_id: str, text: str = "words", vector: list[float] | None = None, collection: str = "mine", **more: Any
) -> Entry:
    passage = Passage(passage_id=passage_id, document="d.md", text=text, title="T", collection=collection, **more)
    return Entry(passage, vector or unit(1.0), position=3)


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


def stored(service: OpenSearchDouble) -> Counter[str]:
    """How often each passage is in the index."""
    documents = service.indices["passages"].documents
    return Counter(d.source["passage_id"] for d in documents if d.until == math.inf)


def found(index: OpenSearchPassages, text: str = "words", *collections: str, size: int = 50) -> tuple[list[str], ...]:
    """The ids that full text found, and those that the vector found."""
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


# What the service refuses: the double refuses it, and the adapter never asks for it.

NEW = {"passage_id": "x", "collection": "mine"}
QUERY = {"query": {"terms": {"collection": ["mine"]}}}
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
    "a vector field without index.knn": (400, "PUT", "/other", WITHOUT_KNN),
    "an engine other than Faiss": (400, "PUT", "/other", LUCENE),
    "a space that Faiss lacks": (400, "PUT", "/other", BAD_SPACE),
    "more dimensions than 16,000": (400, "PUT", "/other", mapping(16_001)),
    "a field of an unknown type": (400, "PUT", "/other", {"mappings": {"properties": {"x": {"type": "words"}}}}),
    "an analyzer that is not there": (
        400,
        "PUT",
        "/other",
        {"mappings": {"properties": {"x": {"type": "text", "analyzer": "sudachi"}}}},
    ),
    "an unknown setting": (400, "PUT", "/other", {"settings": {"index": {"colour": "red"}}}),
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
    "a search in an index that is not there": (404, "POST", "/other/_search", QUERY),
}


def signed(service: OpenSearchDouble, secret: str = SECRET_KEY, name: str = "aoss", region: str = REGION) -> OpenSearch:
    """A client that asks for whatever it likes."""
    auth = Urllib3AWSV4SignerAuth(Credentials(ACCESS_KEY, secret), region, name)
    return OpenSearch(hosts=[service.url], http_auth=auth, max_retries=0)


@pytest.mark.parametrize("refusal", REFUSALS)
def test_what_the_service_refuses_is_refused_here_and_never_asked_for(
    refusal: str, service: OpenSearchDouble, index: OpenSearchPassages
) -> None:
    the_whole_life(index)
    assert service.refused == [("POST", f"{PATH}/_search", 404)], "only the search before the index was made"
    status, method, target, body = REFUSALS[refusal]
    with pytest.raises(TransportError) as refused:
        signed(service).transport.perform_request(method, target, body=body)
    assert refused.value.status_code == status
    assert service.refused[1:] == [(method, target.partition("?")[0], status)]


@pytest.mark.parametrize(
    ("action", "source"),
    [
        ({"index": {"_id": "mine"}}, NEW),
        ({"create": {"_id": "mine"}}, NEW),
        ({"update": {"_id": "mine"}}, {"doc": NEW, "doc_as_upsert": True}),
        ({"index": {}}, {**NEW, "vector": [1.0]}),
        ({"index": {}}, {"a field": "that is not mapped"}),
    ],
)
def test_what_the_service_refuses_in_an_item_is_refused_here_and_never_asked_for(
    action: Any, source: Any, service: OpenSearchDouble, index: OpenSearchPassages
) -> None:
    the_whole_life(index)
    assert ("POST", "_bulk item", 400) not in service.refused
    reply = signed(service).bulk(index="passages", body=[action, source])
    assert reply["errors"]
    assert [v["status"] for v in reply["items"][0].values()] == [400]
    assert ("POST", "_bulk item", 400) in service.refused


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


# Searching


def test_the_index_can_be_searched_and_written_to_and_a_process_makes_one(index: OpenSearchPassages) -> None:
    typed: Index = index
    assert typed is bootstrap.index(), "one client for all questions of a process"


def test_both_searches_give_their_own_scores_best_first_in_one_request(
    service: OpenSearchDouble, index: OpenSearchPassages
) -> None:
    index.add([entry("far", "annual leave", unit(0.0, 1.0)), entry("near", "a car", unit(1.0, 0.1))])
    index.add([entry("opposite", "leaves leave leaving", unit(-1.0))])
    service.requests.clear()
    both = index.search("annual leave", unit(1.0), 50, Bounds(["mine"]))
    assert service.requests == [("POST", f"{PATH}/_msearch")]
    assert [p.passage_id for p, _ in both.by_vector] == ["near", "far", "opposite"]
    assert [round(score, 3) for _, score in both.by_vector] == [1.995, 1.0, 0.5]
    assert [p.passage_id for p, _ in both.by_text] == ["far", "opposite"], "english stems: leaves, leaving"
    assert both.by_text[0][1] > both.by_text[1][1] > 0
    assert best(both, 1)[0].passage_id == "far"


def test_a_passage_comes_back_as_it_was_written_and_without_its_vector(index: OpenSearchPassages) -> None:
    written = entry("p", "text with \u2028 and 日本")
    index.add([written])
    assert index.search("text", unit(1.0), 1, Bounds(["mine"])).by_text[0][0] == written.passage
    assert index.fetch(["p"], Bounds(["mine"])) == [written.passage]


def test_at_most_size_passages_of_each_are_found(index: OpenSearchPassages) -> None:
    index.add([entry(f"p{n}") for n in range(20)])
    assert [len(ids) for ids in found(index, size=7)] == [7, 7]


def test_a_japanese_query_finds_by_its_bigrams(index: OpenSearchPassages) -> None:
    index.add([entry("leave", "有給休暇は年に25日です。"), entry("travel", "出張費の精算は月末まで。")])
    by_text, _ = found(index, "有給休暇は何日ですか")
    assert by_text[0] == "leave"
    assert found(index, "精算")[0] == ["travel"]


def test_a_question_of_2000_japanese_characters_is_searched(
    service: OpenSearchDouble, index: OpenSearchPassages
) -> None:
    index.add([entry("leave", "有給休暇は年に25日です。")])
    assert found(index, "有給休暇の申請期限を教えて" * 150)[0] == ["leave"]


def test_a_search_may_be_limited_to_tags_and_a_time(index: OpenSearchPassages) -> None:
    index.add(
        [
            entry("new", tags=["hr", "travel"], date="2026-02-01"),
            entry("old", tags=["travel"], date="2019-07-31"),
            entry("plain"),
        ]
    )
    everything = ["new", "old", "plain"]

    def within(**bounds: Any) -> list[str]:
        limited = Bounds(["mine"], **bounds)
        both = index.search("words", unit(1.0), 5, limited)
        fetched = [p.passage_id for p in index.fetch(everything, limited)]
        for one in (both.by_text, both.by_vector):
            assert sorted(p.passage_id for p, _ in one) == fetched
        return fetched

    assert within() == everything
    assert within(tags=["hr", "safety"]) == ["new"]
    assert within(tags=["travel"], until="2019-07-31") == ["old"]
    assert within(since="2019-08-01") == ["new"]
    assert within(since="2019-07-31", until="2026-02-01") == ["new", "old"]


def test_passages_of_another_collection_are_never_found_or_fetched(index: OpenSearchPassages) -> None:
    mine = [entry(f"mine{n}", "words", unit(0.0, 1.0)) for n in range(3)]
    theirs = [entry(f"theirs{n}", "words words words", unit(1.0), "theirs") for n in range(300)]
    added = index.add([*mine, *theirs])
    assert len(added.ids) == 303
    # Theirs are the better ones of both searches, and more than are asked for: the filter stands before the cut.
    by_text, by_vector = found(index, "words", size=3)
    assert sorted(by_text) == sorted(by_vector) == ["mine0", "mine1", "mine2"]
    assert index.fetch(["theirs0", "mine1", "gone"], Bounds(["mine"])) == [mine[1].passage]
    assert index.service_ids(["theirs0", "mine1"], ["mine"]) == {"mine1": [added.ids["mine1"]]}


def test_a_caller_without_collections_finds_nothing(index: OpenSearchPassages) -> None:
    index.add([entry("p"), entry("unnamed", collection="")])
    nothing = index.search("words", unit(1.0), 50, Bounds([]))
    assert (nothing.by_text, nothing.by_vector, index.fetch(["p", "unnamed"], Bounds([]))) == ([], [], [])


def test_an_index_that_is_not_there_yet_is_an_empty_one(service: OpenSearchDouble, index: OpenSearchPassages) -> None:
    nothing = index.search("words", unit(1.0), 50, Bounds(["mine"]))
    assert (nothing.by_text, nothing.by_vector) == ([], [])
    assert index.fetch(["p"], Bounds(["mine"])) == []
    assert index.service_ids(["p"], ["mine"]) == {}
    assert service.indices == {}, "a search makes no index"
    service.knobs.statuses.append(404)
    assert index.search("words", unit(1.0), 50, Bounds(["mine"])) == nothing, "also when the whole request says so"


def test_a_write_is_found_when_the_service_shows_it(service: OpenSearchDouble, index: OpenSearchPassages) -> None:
    service.knobs.searches_until_visible = 3
    added = index.add([entry("p")])
    assert [found(index) for _ in range(5)] == [([], [])] * 3 + [(["p"], ["p"])] * 2
    index.delete(added.ids.values())
    assert [found(index)[0] for _ in range(4)] == [["p"]] * 3 + [[]]


@pytest.mark.parametrize("part", [{"timed_out": True}, {"_shards": {"failed": 1}}, {"status": 429}, {"hits": SECRET}])
def test_a_search_of_only_a_part_is_no_answer(
    part: dict[str, Any], service: OpenSearchDouble, index: OpenSearchPassages, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.add([entry("p")])
    body = {**QUERY, "_source": STORED}
    replies = service._msearch("passages", [{}, body, {}, body])
    replies["responses"][1].update(part)
    monkeypatch.setattr(service, "_msearch", lambda name, body: replies)
    with pytest.raises(TemporarilyUnavailable):
        index.search("words", unit(1.0), 50, Bounds(["mine"]))


# Writing and deleting


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("status", [429, 503])
def test_of_1000_passages_with_a_tenth_of_the_items_failing_none_is_lost_and_none_is_there_twice(
    seed: int, status: int, service: OpenSearchDouble, index: OpenSearchPassages, record_property: Any
) -> None:
    knobs = service.knobs
    knobs.item_failure_rate, knobs.item_status, knobs.dice = 0.1, status, random.Random(seed)
    entries = [entry(f"p{n}", "words " * 1_500) for n in range(1000)]
    added = index.add(entries)
    first = len(added.ids)
    # What is still refused after five tries is named, and the caller adds just that.
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
    assert service.requests.count(("POST", f"{PATH}/_bulk")) == writing.WRITE_ATTEMPTS


def test_an_item_that_is_refused_for_what_it_holds_is_not_tried_again(
    service: OpenSearchDouble, index: OpenSearchPassages
) -> None:
    service.knobs.item_failure_rate, service.knobs.item_status = 1.0, 400
    assert index.add([entry("p")]).failed == {"p": "RequestRejected"}
    assert service.requests.count(("POST", f"{PATH}/_bulk")) == 1


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


def test_after_a_refusal_half_way_the_result_says_what_is_written_and_what_is_not(
    service: OpenSearchDouble, index: OpenSearchPassages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "BATCH_BYTES", 1)
    index.add([])
    send = service._bulk

    def only_once(*arguments: Any) -> Any:
        service.knobs.statuses.append(403)
        return send(*arguments)

    monkeypatch.setattr(service, "_bulk", only_once)
    added = index.add([entry("p"), entry("q"), entry("r")])
    assert (list(added.ids), added.failed) == (["p"], {"q": "Misconfigured", "r": "Misconfigured"})


def test_a_bulk_without_a_reply_may_be_written_so_it_is_not_sent_again_but_looked_up(
    service: OpenSearchDouble, index: OpenSearchPassages
) -> None:
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
    service.knobs.statuses.extend([200, status])
    assert index.add([entry("p")]).unknown == {"p"}


def test_a_passage_that_is_there_twice_is_found_once_and_both_service_ids_are_known(
    service: OpenSearchDouble, index: OpenSearchPassages
) -> None:
    twice = [*index.add([entry("p")]).ids.values(), *index.add([entry("p")]).ids.values()]
    assert found(index) == (["p"], ["p"])
    assert [p.passage_id for p in index.fetch(["p"], Bounds(["mine"]))] == ["p"]
    assert sorted(index.service_ids(["p"], ["mine"])["p"]) == sorted(twice)
    index.delete(twice[:1])
    assert stored(service) == Counter({"p": 1})


def test_a_passage_that_is_given_twice_in_one_call_is_written_once(
    service: OpenSearchDouble, index: OpenSearchPassages
) -> None:
    index.add([entry("p"), entry("p")])
    assert stored(service) == Counter({"p": 1})


def test_every_bulk_stays_below_what_the_service_takes(service: OpenSearchDouble, index: OpenSearchPassages) -> None:
    index.add([entry(f"p{n}", "日本語" * 100_000) for n in range(8)])  # 14 MB of JSON
    assert len(stored(service)) == 8
    assert service.requests.count(("POST", f"{PATH}/_bulk")) == 4


def test_an_index_that_another_writer_just_made_is_used(service: OpenSearchDouble, index: OpenSearchPassages) -> None:
    index.add([])
    service.knobs.statuses.append(404)  # it is not seen, and then it is there
    assert list(index.add([entry("p")]).ids) == ["p"]
    assert (service.refused[-1][2], service.refused[-1][0]) == (400, "PUT")


def test_an_index_that_is_not_ready_after_it_was_made_is_tried_again_later(
    service: OpenSearchDouble, index: OpenSearchPassages
) -> None:
    service.knobs.requests_until_ready = 1
    with pytest.raises(TemporarilyUnavailable):
        index.add([entry("p")])
    assert list(index.add([entry("p")]).ids) == ["p"]


def test_a_deleted_document_stays_deleted_and_may_be_deleted_again(
    service: OpenSearchDouble, index: OpenSearchPassages
) -> None:
    ids = index.add([entry("p"), entry("q")]).ids
    assert "%" in ids["p"], "the service's ids must be escaped in a path, and signed so"
    index.delete([ids["p"], ids["p"]])
    assert found(index)[0] == ["q"]


def test_nothing_to_add_or_delete_writes_nothing(service: OpenSearchDouble, index: OpenSearchPassages) -> None:
    assert index.add([]).ids == {}
    index.delete([])
    assert stored(service) == Counter()


# Errors

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
