"""The agreement of two judges on the same things: two prompts of a grader, or two models."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, get_args

import numpy as np
from pydantic import BaseModel

from selfrag.domain.verdicts import (
    Claim,
    ClaimSupport,
    RelevanceLabel,
    RelevanceVerdict,
    SupportLevel,
    SupportVerdict,
    UtilityVerdict,
)

# The domain names its levels from the best to the worst, and with them the one that is no verdict.
RELEVANCE, SUPPORT, CLAIMS = (
    tuple(level for level in reversed(get_args(levels)) if level != "ungraded")
    for levels in (RelevanceLabel, SupportLevel, ClaimSupport)
)
UTILITY = (1, 2, 3, 4, 5)


@dataclass(frozen=True)
class Said:
    """A judge's verdict on one thing: a level, and a score where the judge gives one."""

    level: Hashable
    score: float | None = None


_KINDS: dict[str, type[BaseModel]] = {
    "relevance": RelevanceVerdict,
    "support": SupportVerdict,
    "utility": UtilityVerdict,
}

# The verdicts of two judges on the same thing; None for a judge without one.
Pair = tuple[Said | None, Said | None]


@dataclass(frozen=True)
class Agreement:
    """Of so many `pairs` of verdicts, the share that is `equal`, and how much of it is no chance (`kappa`).

    `difference` is the mean of the other's score less the one's. `kappa` is None where both always say the same one
    level, and all three are None without pairs. `ungraded` things have no verdict of one judge, and are no pair.
    """

    pairs: int
    equal: float | None
    kappa: float | None
    difference: float | None
    ungraded: int


def agreement(pairs: Iterable[Pair], levels: Sequence[Hashable]) -> Agreement:
    """Return the agreement of the judges; `levels` are all there are, in their order.

    Kappa is Cohen's with linear weights (Psychological Bulletin 70 (1968), pages 213 to 220): a verdict that is two
    levels away counts as twice as wrong as one that is next to it. Of two levels it is the plain one.
    """
    told = list(pairs)
    both = [(one, other) for one, other in told if one and other]
    if not both:
        return Agreement(0, None, None, None, len(told))
    counts = np.zeros((len(levels), len(levels)))
    for one, other in both:
        counts[levels.index(one.level), levels.index(other.level)] += 1
    gaps = [other.score - one.score for one, other in both if one.score is not None and other.score is not None]
    return Agreement(
        pairs=len(both),
        equal=float(np.trace(counts)) / len(both),
        kappa=_kappa(counts),
        difference=sum(gaps) / len(gaps) if gaps else None,
        ungraded=len(told) - len(both),
    )


def _kappa(counts: "np.ndarray[tuple[int, int], np.dtype[np.float64]]") -> float | None:
    places = np.arange(len(counts))
    weights = np.abs(places[:, None] - places[None, :])
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    by_chance = float((weights * expected).sum())
    return 1 - float((weights * counts).sum()) / by_chance if by_chance else None


class Compared:
    """Collects what two judges said of the same passages and answers, and tells how far they agree."""

    def __init__(self) -> None:
        self._pairs: dict[str, list[Pair]] = {"relevance": [], "support": [], "claims": [], "utility": []}

    def add(self, kind: str, *verdicts: Any) -> None:
        """Compare two verdicts of a kind, as JSON values, on one passage or answer.

        Of two checks of support those claims are compared, too, that both read in the answer word by word.
        """
        one, other = (_KINDS[kind].model_validate(verdict, extra="ignore") for verdict in verdicts)
        self._pairs[kind].append((_said(one), _said(other)))
        if isinstance(one, SupportVerdict) and isinstance(other, SupportVerdict):
            claims, again = _by_words(one.claims), _by_words(other.claims)
            self._pairs["claims"] += [(claims[words], again[words]) for words in claims if words in again]

    def agreements(self) -> dict[str, dict[str, Any]]:
        """Return the agreement on each kind of verdict as JSON values; a kind without verdicts is left out."""
        levels = {"relevance": RELEVANCE, "support": SUPPORT, "claims": CLAIMS, "utility": UTILITY}
        return {kind: asdict(agreement(pairs, levels[kind])) for kind, pairs in self._pairs.items() if pairs}


def _said(verdict: BaseModel) -> Said | None:
    match verdict:
        case RelevanceVerdict(score=float(score)):
            return Said(verdict.label, score)
        case SupportVerdict(ungraded=False):
            return Said(verdict.level, SUPPORT.index(verdict.level) / (len(SUPPORT) - 1))
        case UtilityVerdict(score=int(score)):
            return Said(score, score)
    return None


def _by_words(claims: Iterable[Claim]) -> dict[str, Said]:
    return {" ".join(claim.claim.split()): Said(claim.support) for claim in claims}
