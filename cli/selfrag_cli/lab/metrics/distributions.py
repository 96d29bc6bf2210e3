"""The distribution of each grader's verdicts."""

from collections import Counter
from collections.abc import Iterable, Sequence

from selfrag_cli.lab.metrics.measures import Reply

BINS = 10
LEVELS = ("no_support", "partially_supported", "fully_supported")
SCORES = ("1", "2", "3", "4", "5")
UNGRADED = "ungraded"


def distributions(replies: Sequence[Reply]) -> dict[str, dict[str, int]]:
    """Count how often each grader gave each verdict: IsRel's scores by tenths, IsSup's levels and IsUse's scores."""
    graded = [reply.reflection for reply in replies]
    scores = (verdict.score for one in graded for verdict in one.relevance)
    utilities = (one.utility.score for one in graded if one.utility)
    return {
        "relevance": _counted([_tenth(at) for at in range(BINS)], (_label(score) for score in scores)),
        "support": _counted(LEVELS, (one.support.level for one in graded if one.support)),
        "utility": _counted(SCORES, (UNGRADED if score is None else f"{score:.0f}" for score in utilities)),
    }


def _label(score: float | None) -> str:
    return UNGRADED if score is None else _tenth(min(int(score * BINS), BINS - 1))


def _tenth(at: int) -> str:
    return f"{at / BINS:.1f} to {(at + 1) / BINS:.1f}"


def _counted(labels: Iterable[str], verdicts: Iterable[str]) -> dict[str, int]:
    counts = Counter(verdicts)
    return {label: counts[label] for label in dict.fromkeys([*labels, UNGRADED, *counts])}
