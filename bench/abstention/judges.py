"""Judges of relevance as the product has them: each gives a question the score of its best passage."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from bench.abstention.rows import Row
from bench.retrieval.vectors import kept_on_disk
from selfrag.domain.passages import Passage, embedded_text
from selfrag.domain.steps import GradeRelevanceTask
from selfrag.domain.verdicts import RULE_MODEL
from selfrag.judging.graders import Grader, GraderKind
from selfrag.ports.model import Prompt
from selfrag.question.grade_relevance.logic import grade
from selfrag.runtime.clock import Clock
from selfrag_cli.lab.judge import Case, GraderOverrides, judge_cases, open_graders
from selfrag_cli.local.index import E5Embedder
from selfrag_cli.local.stand_in.claude import RuleClaude
from selfrag_cli.local.stand_in.similarity import Similarity

_STEP, _PARALLEL, _TOGETHER = "grade_relevance", 8, 8
MODELS: tuple[GraderKind, ...] = ("decider", "claude", "cascade")

# Returns the score of each row's best passage, None where a verdict is missing.
Judge = Callable[[Sequence[Row]], list[float | None]]


class Vectors:
    """Vectors of questions and passages; `place` says where those of passages are stored."""

    def __init__(self, rows: Sequence[Row], on_passage: Callable[[int, int], object]) -> None:
        texts = list(dict.fromkeys(_text(passage) for row in rows for passage in row.passages))
        self._passages: dict[str, NDArray[np.float32]] = {}
        with kept_on_disk(E5Embedder()) as (embedder, self.place):
            for start in range(0, len(texts), _TOGETHER):
                some = texts[start : start + _TOGETHER]
                self._passages |= zip(some, np.asarray(embedder.passages(some), np.float32), strict=True)
                on_passage(start, len(texts))
            self._questions = {row.question: np.asarray(embedder.query(row.question), np.float32) for row in rows}

    def questions(self, rows: Sequence[Row]) -> NDArray[np.float64]:
        """Return the vectors of these questions."""
        return np.array([self._questions[row.question] for row in rows], np.float64)

    def similarity(self, question: str, passage: Passage) -> float:
        """Return the cosine that the search gives to the stand-in."""
        return float(self._questions[question] @ self._passages[_text(passage)])


def cosine_judge(vectors: Vectors) -> Judge:
    """Return the cosine itself as a judge."""
    return lambda rows: [max(vectors.similarity(row.question, each) for each in row.passages) for row in rows]


def stand_in_judge(similarity: Similarity) -> Judge:
    """Return the judge of a laptop without a key, without its cache."""
    grader = Grader(_STEP, Prompt("", ""), RuleClaude({_STEP: RULE_MODEL}, Clock(), similarity))

    def judge(row: Row) -> float | None:
        tasks = [GradeRelevanceTask.model_validate(_fields(row, passage)) for passage in row.passages]
        return _best([grade(task, grader).verdict.score for task in tasks])

    return lambda rows: list(map(judge, rows))


@contextmanager
def model_judge(kind: GraderKind, max_cost: float | None, on_verdict: Callable[[int, int], object]) -> Iterator[Judge]:
    """Yield a judge of the settings; the home's cache stores its verdicts, so that each is paid once."""
    with open_graders(GraderOverrides(graders={_STEP: kind}), {}) as grade_case:

        def judge(rows: Sequence[Row]) -> list[float | None]:
            pairs = [(at, passage) for at, row in enumerate(rows) for passage in row.passages]
            cases = {(at, passage.passage_id): Case(_STEP, _fields(rows[at], passage)) for at, passage in pairs}
            results = judge_cases(cases, grade_case, _PARALLEL, max_cost, on_verdict)
            scores = {name: result.model_dump()["verdict"]["score"] for name, result in results.items()}
            return [_best([scores.get((at, each.passage_id)) for each in row.passages]) for at, row in enumerate(rows)]

        yield judge


def _text(passage: Passage) -> str:
    return embedded_text(passage.title, passage.text)


def _fields(row: Row, passage: Passage) -> Mapping[str, object]:
    return {"question": row.question, "passage": passage.model_dump()}


def _best(scores: Sequence[float | None]) -> float | None:
    graded = [score for score in scores if score is not None]
    return max(graded) if len(graded) == len(scores) else None
