"""Embedders: a text is embedded once, and texts about the same are near."""

import math
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing

import numpy as np
import pytest

from selfrag_cli.local.home import connect
from selfrag_cli.local.index import SCHEMA, CachedEmbedder, E5Embedder
from tests.support.fakes import FakeEmbedder


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    with closing(connect(SCHEMA)) as opened:
        yield opened


def test_a_passage_is_embedded_once_however_often_it_is_wanted(connection: sqlite3.Connection) -> None:
    fake = FakeEmbedder()
    kept = CachedEmbedder(fake, connection)
    first = kept.passages(["one", "two", "one"])
    assert first[0] == first[2] != first[1]
    assert CachedEmbedder(fake, connection).passages(["two", "three", "one"])[::2] == first[1::-1]
    assert fake.embedded == ["one", "two", "three"]


def test_another_embedder_does_not_get_the_vectors_of_the_first(connection: sqlite3.Connection) -> None:
    CachedEmbedder(FakeEmbedder("one"), connection).passages(["text"])
    other = FakeEmbedder("two")
    CachedEmbedder(other, connection).passages(["text"])
    assert other.embedded == ["text"]


def test_no_passages_have_no_vectors(connection: sqlite3.Connection) -> None:
    assert CachedEmbedder(FakeEmbedder(), connection).passages([]) == []


def test_threads_may_embed_at_once(connection: sqlite3.Connection) -> None:
    fake = FakeEmbedder()
    kept = CachedEmbedder(fake, connection)
    with ThreadPoolExecutor(8) as threads:
        vectors = list(threads.map(lambda n: kept.passages([f"text {n % 3}"])[0], range(24)))
    assert vectors[:3] * 8 == vectors
    assert sorted(fake.embedded) == ["text 0", "text 1", "text 2"]


def test_what_several_threads_want_is_embedded_at_the_same_time(connection: sqlite3.Connection) -> None:
    both = threading.Barrier(2)

    class Meeting(FakeEmbedder):
        def passages(self, texts: Sequence[str]) -> list[list[float]]:
            both.wait(20)
            return super().passages(texts)

    kept = CachedEmbedder(Meeting(), connection)
    with ThreadPoolExecutor(2) as threads:
        vectors = list(threads.map(lambda text: kept.passages([text])[0], ["one", "two"]))
    assert vectors == CachedEmbedder(FakeEmbedder(), connection).passages(["one", "two"])


@pytest.mark.parametrize("fails", [False, True], ids=["it succeeds", "it fails"])
def test_what_another_thread_embeds_just_now_is_waited_for(connection: sqlite3.Connection, fails: bool) -> None:
    asked: list[Future[list[list[float]]]] = []

    class Slow(FakeEmbedder):
        def passages(self, texts: Sequence[str]) -> list[list[float]]:
            if not asked:
                asked.append(threads.submit(kept.passages, ["text"]))
                if fails:
                    raise ZeroDivisionError
            return super().passages(texts)

    slow = Slow()
    kept = CachedEmbedder(slow, connection)
    with ThreadPoolExecutor(1) as threads:
        if fails:
            with pytest.raises(ZeroDivisionError):
                kept.passages(["text"])
            # The other one met the error, or came after it and did it itself.
            assert asked[0].exception(20) is None or isinstance(asked[0].exception(), ZeroDivisionError)
        else:
            assert kept.passages(["text"]) == asked[0].result(20)
    kept.passages(["text"])
    assert slow.embedded == ["text"]


def test_vectors_of_e5_have_length_one_and_know_what_a_text_is_about() -> None:
    embedder = E5Embedder()
    query = embedder.query("How many days of holiday do I get?")
    leave, buoy = embedder.passages(["Annual leave is 26 working days.", "The buoy weighs 86 kilograms."])
    assert math.hypot(*query) == pytest.approx(1, abs=1e-3)
    assert np.dot(query, leave) > np.dot(query, buoy)


@pytest.mark.parametrize("text", ["", "\0", "\ud800", "word " * 600])
def test_e5_takes_any_text(text: str) -> None:
    assert len(E5Embedder().query(text)) == len(E5Embedder().passages([text])[0]) == 384


def test_a_nul_does_not_end_a_text_for_e5() -> None:
    embedder = E5Embedder()
    assert embedder.query("Annual\0 leave") == embedder.query("Annual leave")


def test_e5_embeds_queries_together_as_it_does_alone() -> None:
    queries = ["a", "What is the hotel limit?", "有給休暇は何日ありますか"]
    assert E5Embedder().queries(queries) == [E5Embedder().query(query) for query in queries]


def test_a_passage_has_one_vector_whatever_is_embedded_beside_it_and_at_the_same_time() -> None:
    texts = [f"Rule {n}: " + "annual leave is granted in working days. " * n for n in range(1, 25, 4)]
    alone = [E5Embedder().passages([text])[0] for text in texts]
    with ThreadPoolExecutor(3) as threads:
        for together in threads.map(lambda _: E5Embedder().passages(texts), range(3)):
            assert together == alone
