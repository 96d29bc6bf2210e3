"""The fusion of the search against the one before it, on questions in SQuAD's format and on identifiers.

python -m tests.bench.fusion FILE FILE:600 ... prints the tables of docs/bench/search.md, of all questions of a file or
of the first ones; the set `files` has the paragraphs of the first file. Without Java and Maven only the laptop's index
is measured.
"""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

from scipy.stats import binomtest

from selfrag.domain.passages import Bounds, Candidates, Passage
from selfrag.ports.index import CANDIDATES, Entry, PassageIndex, best, ranked
from selfrag_cli.lab.bench.identifiers import files, lines
from selfrag_cli.lab.bench.measures import DEPTH, Answered, figures
from selfrag_cli.lab.bench.searches import searches
from selfrag_cli.lab.bench.squad import Task, read_task
from selfrag_cli.lab.bench.vectors import kept_on_disk
from selfrag_cli.local.index import E5Embedder
from tests.support.doubles.opensearch_double import ACCESS_KEY, REGION, SECRET_KEY
from tests.support.engines.programs import missing, opensearch

Rankings = dict[str, list[Answered]]
FUSIONS = ("before", "now", "now, not folded")


def fused_before(candidates: Candidates) -> list[Passage]:
    """Return the order until November 2026: a search's own spread, and its lowest score for what it did not find."""
    hits = (candidates.by_text, candidates.by_vector)
    passages = {passage.passage_id: passage for search in hits for passage, _ in search}
    total = dict.fromkeys(passages, 0.0)
    for search in hits:
        standing = z_scores({passage.passage_id: score for passage, score in search})
        lowest = min(standing.values(), default=0.0)
        total = {key: score + standing.get(key, lowest) for key, score in total.items()}
    return [passages[key] for key in sorted(total, key=lambda key: (-total[key], key))]


def z_scores(scores: Mapping[str, float]) -> dict[str, float]:
    spread = pstdev(scores.values()) if scores else 0.0
    return {key: (score - fmean(scores.values())) / spread if spread else 0.0 for key, score in scores.items()}


def rankings(task: Task, index: PassageIndex, vectors: Mapping[str, Sequence[float]], collection: str) -> Rankings:
    """Return what each fusion makes of the same candidates."""
    answered: Rankings = {name: [] for name in FUSIONS}
    for question, right in task.questions:
        candidates = index.search(question, vectors[question], CANDIDATES, Bounds([collection]))
        floor = E5Embedder.spread_floor
        lists = (fused_before(candidates), best(candidates, DEPTH, floor), ranked(candidates, floor))
        for name, passages in zip(FUSIONS, lists, strict=True):
            answered[name].append(Answered([passage.text for passage in passages[:DEPTH]], right, 0.0))
    return answered


def row(name: str, answered: Rankings) -> str:
    """Return a line of the table: figures, questions won and lost at rank 1, p, and first hits that folding moved."""
    before, now = (figures(answered[fusion]) for fusion in FUSIONS[:2])
    first = [[one.found[:1] for one in answered[fusion]] for fusion in FUSIONS]
    right = [[hit == [one.right] for hit, one in zip(hits, answered["now"], strict=True)] for hits in first[:2]]
    won = sum(new and not old for old, new in zip(*right, strict=True))
    lost = sum(old and not new for old, new in zip(*right, strict=True))
    moved = sum(folded != whole for folded, whole in zip(*first[1:], strict=True))
    p = binomtest(won, won + lost).pvalue if won + lost else 1.0
    cells = [f"{f.recall_at_1:.3f} {f.recall_at_4:.3f} {f.mrr:.3f}" for f in (before, now)]
    return f"| {name} | {len(first[0]):,} | {' | '.join(cells)} | {won} / {lost} | {p:.2g} | {moved} |"


@contextmanager
def engine() -> Iterator[Any]:
    """Yield what makes an index of OpenSearch; None where there is no engine."""
    if missing():
        yield None
        return
    with opensearch() as url:
        keys = {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY, "AWS_DEFAULT_REGION": REGION}
        os.environ.update(keys, SELFRAG_TEST_OPENSEARCH=url, SELFRAG_TEST_ENGINE="lucene")
        from tests.contract.endpoint import index_of_its_own

        yield index_of_its_own


def main() -> None:
    """Print a table for each index."""
    named = [argument.partition(":")[::2] for argument in sys.argv[1:]]
    tasks = {Path(path).stem: read_task(Path(path), int(limit) if limit else None) for path, limit in named}
    tasks |= {"lines": lines(), "files": files(next(iter(tasks.values())).paragraphs)}
    tables: dict[str, list[str]] = {"laptop": [], "OpenSearch": []}
    with engine() as index_of_its_own, kept_on_disk(E5Embedder()) as (embedder, _):
        for name, task in tasks.items():
            questions = [question for question, _ in task.questions]
            vectors = dict(zip(questions, E5Embedder().queries(questions), strict=True))
            with searches(task.paragraphs, embedder, lambda done, total: None) as laptop:
                tables["laptop"].append(row(name, rankings(task, laptop.index, vectors, "benchmark")))
                passages = laptop.index.all_of("benchmark")
            if index_of_its_own:
                embedded = embedder.passages([f"{p.title}\n{p.text}" if p.title else p.text for p in passages])
                entries = [Entry(passage, vector) for passage, vector in zip(passages, embedded, strict=True)]
                with index_of_its_own(len(entries[0].vector)) as (index, _):
                    index.add(entries)
                    tables["OpenSearch"].append(row(name, rankings(task, index, vectors, "benchmark")))
    for where, rows in tables.items():
        print(f"\n{where}\n", *rows, sep="\n")


if __name__ == "__main__":
    main()
