"""Full text is scored by BM25 over the searched collections, and equal scores keep a stable order."""

import math
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import bm25s
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfrag.retrieval.passage_tokens import passage_tokens
from selfrag.text.search_tokens import tokens
from selfrag_cli.local.home import connect
from selfrag_cli.local.index import SCHEMA, EmbeddedIndex
from tests.unit.cli.local_index.made import entry, found, near

WORDS = ["leave", "days", "pay", "有給休暇", "休暇", "the", "Ärger", "x1", "?!"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)


@pytest.fixture
def index() -> Iterator[EmbeddedIndex]:
    with closing(connect(SCHEMA)) as connection:
        yield EmbeddedIndex(connection)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("ab"), TEXTS), min_size=1, max_size=12), TEXTS, st.sampled_from(["a", "ab"]))
def test_scores_are_those_of_bm25_over_the_collections_searched(
    passages: list[tuple[str, str]], query: str, searched: str
) -> None:
    entries = [entry(f"p{n:02}", text, collection) for n, (collection, text) in enumerate(passages)]
    with TemporaryDirectory() as directory, closing(connect(SCHEMA, Path(directory))) as connection:
        index = EmbeddedIndex(connection)
        index.add(entries)
        scores = found(index, query, list(searched))
    within = [made.passage for made in entries if made.passage.collection in searched]
    assert dict(scores) == pytest.approx(
        by_bm25s({passage.passage_id: passage_tokens(passage) for passage in within}, query), rel=1e-6
    )
    assert scores == sorted(scores, key=lambda one: (-one[1], one[0]))


def by_bm25s(texts: dict[str, list[str]], query: str) -> dict[str, float]:
    """Return the library's scores of the passages that share a token with the query."""
    vocabulary: dict[str, int] = {}
    ids = [[vocabulary.setdefault(token, len(vocabulary)) for token in text] for text in texts.values()]
    wanted = [vocabulary[token] for token in tokens(query) if token in vocabulary]
    if not wanted:
        return {}
    library = bm25s.BM25(k1=0.9, b=0.4, method="lucene", backend="numpy")
    library.index((ids, vocabulary), create_empty_token=False, show_progress=False)
    scores = library.get_scores_from_ids(wanted)
    return {name: float(score) for name, score in zip(texts, scores, strict=True) if score > 0}


FEW_WORDS = st.lists(st.sampled_from(["leave", "pay", "休暇", "2×4", "!"]), max_size=20).map(" ".join)
# Passages are added or replaced by name and collection, or removed.
CHANGES = st.lists(
    st.tuples(st.integers(0, 9), st.one_of(st.none(), st.tuples(st.sampled_from("ab"), FEW_WORDS))), min_size=1
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(CHANGES, FEW_WORDS, st.sampled_from(["a", "b", "ab"])), min_size=1, max_size=4))
def test_ranking_is_exactly_that_of_bm25_while_passages_come_and_go(
    rounds: list[tuple[list[tuple[int, tuple[str, str] | None]], str, str]],
) -> None:
    stored: dict[str, tuple[str, list[str]]] = {}
    ids: dict[str, str] = {}
    with TemporaryDirectory() as directory, closing(connect(SCHEMA, Path(directory))) as connection:
        index = EmbeddedIndex(connection)
        for changes, query, searched in rounds:
            for number, change in changes:
                name = f"p{number}"
                if change:
                    made = entry(name, change[1], change[0])
                    ids |= index.add([made]).ids
                    stored[name] = (change[0], passage_tokens(made.passage))
                elif stored.pop(name, None):
                    index.delete([ids[name]])
            within = {name: words for name, (collection, words) in sorted(stored.items()) if collection in searched}
            assert found(index, query, list(searched)) == plain_bm25(within, tokens(query))


def plain_bm25(texts: dict[str, list[str]], query: Sequence[str]) -> list[tuple[str, float]]:
    """Return the passages that share a word with the query, best first, scores in the index's precision."""
    scores = dict.fromkeys(texts, np.float32(0))
    mean = sum(map(len, texts.values())) / max(len(texts), 1)
    for word in query:
        matches = [name for name, words in texts.items() if word in words]
        rarity = np.float32(math.log(1 + (len(texts) - len(matches) + 0.5) / (len(matches) + 0.5)))
        for name in matches:
            count = texts[name].count(word)
            share = count / (0.9 * ((1 - 0.4) + 0.4 * len(texts[name]) / mean) + count)
            scores[name] += np.float32(float(rarity) * share)
    ranked = [(name, float(score)) for name, score in scores.items() if score > 0]
    return sorted(ranked, key=lambda hit: (-hit[1], hit[0]))


def test_equal_scores_are_ordered_by_id_for_any_size(index: EmbeddedIndex) -> None:
    index.add([entry(f"p{n}") for n in (5, 1, 4)])
    index.add([entry(f"p{n}") for n in (2, 3)])
    for size in (1, 2, 5, 9):
        expected = [f"p{n}" for n in range(1, 6)][:size]
        assert [passage_id for passage_id, _ in found(index, "leave", size=size)] == expected
        assert [passage_id for passage_id, _ in near(index, size)] == expected


def test_a_limit_does_not_change_what_a_word_is_worth(index: EmbeddedIndex) -> None:
    index.add(
        [entry(f"p{n}", "Leave days." if n < 3 else "Pay days.", tags=["old"] if n % 2 else []) for n in range(9)]
    )
    everything = dict(found(index, "leave days"))
    limited = found(index, "leave days", tags=["old"])
    assert [passage_id for passage_id, _ in limited] == ["p1", "p3", "p5", "p7"]
    assert all(everything[passage_id] == score for passage_id, score in limited)


def test_filtered_search_finds_passage_ranked_below_all_others(index: EmbeddedIndex) -> None:
    index.add([entry(f"p{n:03}", "Leave leave leave.", tags=["other"]) for n in range(200)])
    index.add([entry("p999", "Leave, pay, travel and all the rest of it.", tags=["wanted"])])
    assert [passage_id for passage_id, _ in found(index, "leave", size=1, tags=["wanted"])] == ["p999"]
    assert found(index, "leave", tags=["unknown"]) == []
    assert found(index, "leave", tags=[]) == []
