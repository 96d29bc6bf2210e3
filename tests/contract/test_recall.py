"""The search of a real engine, on questions whose paragraph is known: SELFRAG_TEST_SQUAD names a file of them.

It is in SQuAD's format; the figures that are asked for are those of XQuAD in English, 1,190 questions.
"""

import os
import time
from pathlib import Path
from typing import Any

import pytest

from bench.retrieval.measures import Answered, figures
from bench.retrieval.squad import read_task
from bench.retrieval.vectors import kept_on_disk
from selfrag.domain.passages import Bounds, Passage, embedded_text
from selfrag.ports.index import IndexEntry
from selfrag.retrieval.search import CANDIDATES
from selfrag_cli.local.index import E5Embedder
from tests.contract.endpoint import ADDRESS, index_of_its_own
from tests.support.best_passages import best

DATA = os.environ.get("SELFRAG_TEST_SQUAD", "")


@pytest.mark.skipif(not ADDRESS, reason="the double is no measure of a search: SELFRAG_TEST_OPENSEARCH")
@pytest.mark.skipif(not Path(DATA).is_file(), reason="SELFRAG_TEST_SQUAD names no file of questions")
def test_the_right_paragraph_is_found_first_for_95_questions_in_100(record_property: Any) -> None:
    task = read_task(Path(DATA))
    with kept_on_disk(E5Embedder()) as (embedder, _):
        texts = [embedded_text(paragraph.title, paragraph.text) for paragraph in task.paragraphs]
        vectors = [list(map(float, vector)) for vector in embedder.passages(texts)]
        entries = [
            IndexEntry(
                Passage(passage_id=str(n), document="d.md", text=one.text, title=one.title, collection="mine"),
                vector,
                n,
            )
            for n, (one, vector) in enumerate(zip(task.paragraphs, vectors, strict=True))
        ]
        with index_of_its_own(len(vectors[0])) as (index, _):
            assert len(index.add(entries).ids) == len(entries)
            answered = []
            for question, right in task.questions:
                vector = list(map(float, embedder.query(question)))
                began = time.perf_counter()
                candidates = index.search(question, vector, CANDIDATES, Bounds(["mine"]))
                found = best(candidates, 10, E5Embedder.spread_floor)
                taken = 1000 * (time.perf_counter() - began)
                answered.append(Answered([passage.text for passage in found], right, taken))
    of_all = figures(answered)
    record_property(
        "figures",
        f"{len(answered)} questions, {len(entries)} paragraphs: recall@1 {of_all.recall_at_1:.3f}, "
        f"recall@4 {of_all.recall_at_4:.3f}, MRR {of_all.mrr:.3f}, median {of_all.median_ms:.0f} ms",
    )
    assert of_all.recall_at_1 >= 0.95
    assert of_all.recall_at_4 >= 0.99
