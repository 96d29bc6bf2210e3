"""What the stand-in compares is embedded once, whichever thread or process wants it."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cli.local.home import connect, home
from cli.local.offline.text.kept import TextVectors

SENTENCES = ["Parental leave is 18 weeks.", "A chair costs 300 euros."]


class Counting:
    """An embedder that remembers what it was asked; a question has another vector than a passage."""

    def __init__(self, name: str = "counting") -> None:
        self.name = name
        self.asked: list[str] = []
        self.again = threading.Event()

    def queries(self, texts: Sequence[str]) -> list[list[float]]:
        return self._embedded(texts, 1.0)

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        return self._embedded(texts, 2.0)

    def _embedded(self, texts: Sequence[str], kind: float) -> list[list[float]]:
        if self.asked:
            self.again.set()
        self.asked += texts
        # Where nothing keeps another thread from asking for the same now, it does.
        self.again.wait(0.3)
        return [[kind, float(len(text))] for text in texts]


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path / "state"))


def lists(vectors: TextVectors, texts: Sequence[str], are_queries: bool = False) -> list[list[float]]:
    return [vector.tolist() for vector in vectors.of(texts, are_queries)]


def test_the_sentences_of_a_passage_are_embedded_once_for_all_commands() -> None:
    first, second = Counting(), Counting()
    made = []
    for embedder in (first, second):
        vectors = TextVectors(embedder)
        with vectors.kept():
            made.append(lists(vectors, SENTENCES))
    assert made[0] == made[1] == [[2.0, 27.0], [2.0, 24.0]]
    assert (first.asked, second.asked) == (SENTENCES, [])


def test_a_text_is_embedded_once_however_many_threads_want_it() -> None:
    embedder = Counting()
    vectors = TextVectors(embedder)
    with vectors.kept(), ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: lists(vectors, SENTENCES), range(32)))
    assert all(each == found[0] for each in found)
    assert embedder.asked == SENTENCES


def test_a_text_as_a_question_and_as_a_passage_are_two_things_and_so_are_two_embedders() -> None:
    embedder, other = Counting(), Counting("another")
    vectors = TextVectors(embedder)
    with vectors.kept():
        assert lists(vectors, SENTENCES[:1]) != lists(vectors, SENTENCES[:1], are_queries=True)
    later = TextVectors(other)
    with later.kept():
        lists(later, SENTENCES)
    assert other.asked == SENTENCES


def test_outside_a_command_nothing_is_written(tmp_path: Path) -> None:
    vectors = TextVectors(Counting())
    assert lists(vectors, SENTENCES)
    assert not (tmp_path / "state").exists()


def test_a_home_whose_table_is_not_ours_any_more_costs_time_and_no_verdict() -> None:
    embedder = Counting()
    vectors = TextVectors(embedder)
    with vectors.kept():
        with connect("DROP TABLE text_vectors; CREATE TABLE text_vectors (other TEXT);", home()):
            pass
        assert lists(vectors, SENTENCES) == [[2.0, 27.0], [2.0, 24.0]]
