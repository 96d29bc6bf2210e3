"""Measures of a search: recall and rank of the right paragraph, and latency."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

# MRR looks no further than this.
DEPTH = 10


@dataclass(frozen=True)
class Answered:
    """One question: the texts that were found, best first, the right one, and the time that it took."""

    found: Sequence[str]
    right: str
    milliseconds: float


@dataclass(frozen=True)
class Figures:
    """The measures of one kind of search over all questions; times in milliseconds."""

    recall_at_1: float
    recall_at_4: float
    mrr: float
    median_ms: float
    p95_ms: float


def figures(answered: Sequence[Answered]) -> Figures:
    """Return the measures over at least one question; any passage with the expected text counts as right."""
    ranks = [_rank(one) for one in answered]
    times = sorted(one.milliseconds for one in answered)
    return Figures(
        recall_at_1=fmean(rank <= 1 for rank in ranks),
        recall_at_4=fmean(rank <= 4 for rank in ranks),
        mrr=fmean(1 / rank for rank in ranks),
        median_ms=median(times),
        p95_ms=times[math.ceil(0.95 * len(times)) - 1],
    )


def _rank(one: Answered) -> float:
    """From 1 for the best; infinite if the right text is not among those that count."""
    return next((rank for rank, text in enumerate(one.found[:DEPTH], 1) if text == one.right), math.inf)
