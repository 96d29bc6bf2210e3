"""How the graders' verdicts are spread, and how often they were right where that is known."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean
from typing import Any

from cli.lab.gold.question_sets import GoldQuestion
from cli.lab.metrics.measures import Measured, Reply
from cli.lab.metrics.sources import same_document

BINS = 10
# How far a verdict of IsSup says that the answer is right, by the weights of Self-RAG (arXiv 2310.11511, appendix A.3).
LEVELS = {"no_support": 0.0, "partially_supported": 0.5, "fully_supported": 1.0}
SCORES = ("1", "2", "3", "4", "5")
UNGRADED = "ungraded"


@dataclass(frozen=True)
class Judged:
    """A verdict: what it is called, how sure of a right one it was, and how right it was, both from 0 to 1."""

    label: str
    said: float
    right: float


def distributions(replies: Sequence[Reply]) -> dict[str, dict[str, int]]:
    """How often each grader gave each verdict: IsRel's scores by tenths, IsSup's levels and IsUse's scores."""
    graded = [reply.reflection for reply in replies]
    scores = (verdict.score for one in graded for verdict in one.relevance)
    utilities = (one.utility.score for one in graded if one.utility)
    return {
        "relevance": _counted([_tenth(at) for at in range(BINS)], (_label(score) for score in scores)),
        "support": _counted(LEVELS, (one.support.level for one in graded if one.support)),
        "utility": _counted(SCORES, (UNGRADED if score is None else f"{score:.0f}" for score in utilities)),
    }


def calibrations(golds: Sequence[GoldQuestion], replies: Sequence[Reply], found: Sequence[Measured]) -> dict[str, Any]:
    """By grader, how often its verdicts were right, and the expected calibration error.

    IsRel's score is compared with whether the passage is of a gold document; IsSup's level, and IsUse's score from 0 to
    1, with whether the answer matches. A withheld answer is not known, so its verdicts are left out.
    """
    passages = [judged for gold, reply in zip(golds, replies, strict=True) for judged in _passages(gold, reply)]
    known = [
        (reply, measures["match"].count)
        for reply, measures in zip(replies, found, strict=True)
        if measures["match"].of and reply.status in ("answered", "partial")
    ]
    return {
        "relevance": _calibrated(passages),
        "support": _calibrated([judged for reply, right in known for judged in _support(reply, right)]),
        "utility": _calibrated([judged for reply, right in known for judged in _utility(reply, right)]),
    }


def _passages(gold: GoldQuestion, reply: Reply) -> Iterator[Judged]:
    if not gold.documents and gold.answerable is not False:
        return
    for verdict in reply.reflection.relevance:
        if verdict.score is not None and verdict.document:
            right = any(same_document(verdict.document, document) for document in gold.documents)
            yield Judged(_label(verdict.score), verdict.score, float(right))


def _support(reply: Reply, right: float) -> Iterator[Judged]:
    verdict = reply.reflection.support
    if verdict and verdict.level in LEVELS:
        yield Judged(verdict.level, LEVELS[verdict.level], right)


def _utility(reply: Reply, right: float) -> Iterator[Judged]:
    verdict = reply.reflection.utility
    if verdict and verdict.score is not None:
        yield Judged(f"{verdict.score:.0f}", (verdict.score - 1) / 4, right)


def _calibrated(judged: Sequence[Judged]) -> dict[str, Any]:
    """Verdicts by what they said, and the expected calibration error (Guo et al. 2017, arXiv 1706.04599, section 2).

    That is how far the verdicts of a group are from how often they were right, in the mean over all verdicts; None if
    there are none.
    """
    in_order = sorted(judged, key=lambda one: one.said)
    together = [(label, list(ones)) for label, ones in groupby(in_order, key=lambda one: one.label)]
    groups = [
        {"label": label, "count": len(ones), "said": fmean(o.said for o in ones), "right": fmean(o.right for o in ones)}
        for label, ones in together
    ]
    error = sum(group["count"] * abs(group["said"] - group["right"]) for group in groups)
    return {"count": len(judged), "error": error / len(judged) if judged else None, "groups": groups}


def _label(score: float | None) -> str:
    return UNGRADED if score is None else _tenth(min(int(score * BINS), BINS - 1))


def _tenth(at: int) -> str:
    return f"{at / BINS:.1f} to {(at + 1) / BINS:.1f}"


def _counted(labels: Iterable[str], verdicts: Iterable[str]) -> dict[str, int]:
    counts = Counter(verdicts)
    return {label: counts[label] for label in dict.fromkeys([*labels, UNGRADED, *counts])}
