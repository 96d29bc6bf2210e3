"""Thresholds of a step's cascade, chosen on one half of the labelled rows and verified on the other."""

import hashlib
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, fsum, lgamma, log, log1p

from pydantic import BaseModel, computed_field

from selfrag.domain.decisions import Thresholds
from selfrag.judging.graders import GraderKind

# The bounds of errors are one-sided, of 95%.
_ALPHA = 0.05
_STEPS = 1000
# An outcome has a confidence of 0 to 1, so none is below.
_NEVER = -1.0


@dataclass(frozen=True)
class Outcome:
    """A graded row: whether people and the judge pass it, and the probability that a cascade's thresholds apply to."""

    should_pass: bool
    passed: bool
    confidence: float | None = None


@dataclass(frozen=True)
class ErrorLimits:
    """The most false passes, of rows that should fail, and false strips, of rows that should pass, as shares."""

    false_passes: float = 0.02
    false_strips: float = 0.02


class ErrorCount(BaseModel):
    """A number of errors among the rows in which they could be made, and the upper bound of their rate."""

    count: int
    of: int

    @computed_field  # type: ignore[prop-decorator]
    @property
    def bound(self) -> float:
        """Return the one-sided upper bound of the rate (Clopper and Pearson 1934)."""
        if self.count == self.of:
            return 1.0
        rates = range(1, 100_000)
        return rates[bisect_left(rates, True, key=lambda rate: self.is_below(rate / 100_000))] / 100_000

    def is_below(self, limit: float) -> bool:
        """Return whether the upper bound of the rate is at or below a limit."""
        return self.count < self.of and _binomial_cdf(self.count, self.of, limit) <= _ALPHA

    def repeats_below(self, limit: float) -> bool:
        """Return whether as many rows again keep the limit, too, 19 times in 20.

        Above a threshold that lets so many errors through, those of either half come next with equal chances.
        """
        return _binomial_cdf(self.count, self.count + 1 + int(limit * self.of), 0.5) <= _ALPHA


def _binomial_cdf(count: int, of: int, rate: float) -> float:
    """Return the probability of at most so many errors at this rate."""
    chances = (lgamma(of + 1) - lgamma(k + 1) - lgamma(of - k + 1) + k * log(rate) + (of - k) * log1p(-rate)
               for k in range(count + 1))  # fmt: skip
    return fsum(map(exp, chances))


class HalfReport(BaseModel):
    """A half of the rows: those that the decision model alone decides, and its errors among them."""

    rows: int
    decided: int
    false_passes: ErrorCount
    false_strips: ErrorCount

    def has_errors_within(self, limits: ErrorLimits) -> bool:
        """Return whether the errors on a half that thresholds were not chosen on keep their limits."""
        most_passes = limits.false_passes * self.false_passes.of
        most_strips = limits.false_strips * self.false_strips.of
        return self.false_passes.count <= most_passes and self.false_strips.count <= most_strips


class Adoption(BaseModel):
    """The judge that a step gets and why, its thresholds, and both halves under them."""

    step: str
    grader: GraderKind
    reason: str
    thresholds: Thresholds | None = None
    chosen_on: HalfReport | None = None
    held_out: HalfReport | None = None


def choose_judge(step: str, outcomes: Sequence[tuple[str, Outcome]], limits: ErrorLimits) -> Adoption:
    """Return the judge of a step by the decision model's outcomes, each with the id of its row.

    It is the cascade if thresholds chosen on one half of the rows also hold on the other, else Claude.
    """
    # Retrieve asks Claude wherever no option is probable.
    if_low = step != "decide_retrieval"
    halves: tuple[list[Outcome], list[Outcome]] = ([], [])
    for name, outcome in outcomes:
        halves[hashlib.sha256(name.encode()).digest()[0] % 2].append(outcome)
    first, second = halves
    thresholds = choose_thresholds(first, limits, if_low=if_low)
    if thresholds is None:
        alike = report_half(first, 1.0, 0.0)
        of = f"{alike.false_passes.of} rows that should fail and {alike.false_strips.of} that should pass"
        return Adoption(step=step, grader="claude", reason=f"no threshold holds on the first half: it has {of}")
    lower = thresholds.lower if if_low else _NEVER
    chosen_on, held_out = report_half(first, thresholds.upper, lower), report_half(second, thresholds.upper, lower)
    grader: GraderKind = "claude"
    if not held_out.decided:
        reason = "the decision model would decide no row alone"
    elif not held_out.has_errors_within(limits):
        reason = "the thresholds do not hold on the other half"
    else:
        grader, reason = "cascade", "the thresholds hold on both halves"
    return Adoption(
        step=step, grader=grader, reason=reason, thresholds=thresholds, chosen_on=chosen_on, held_out=held_out
    )


def choose_thresholds(outcomes: Sequence[Outcome], limits: ErrorLimits, *, if_low: bool = True) -> Thresholds | None:
    """Return the thresholds that pass on the fewest rows while the bounds of both errors keep their limits, or None.

    The search starts with the strictest, so that the bounds hold although there are many candidates.
    """

    def hold(upper: int, lower: int | None) -> bool:
        half = report_half(outcomes, upper / _STEPS, _NEVER if lower is None else lower / _STEPS)
        pairs = ((half.false_passes, limits.false_passes), (half.false_strips, limits.false_strips))
        return all(errors.is_below(limit) and errors.repeats_below(limit) for errors, limit in pairs)

    uppers = range(_STEPS // 2, _STEPS + 1)
    at = bisect_left(uppers, True, key=lambda upper: hold(upper, None))
    if at == len(uppers):
        return None
    upper = uppers[at]
    if not if_low:
        return Thresholds(upper=upper / _STEPS, lower=0.0)
    lowers = range(_STEPS // 2, -1, -1)
    below = bisect_left(lowers, True, key=lambda lower: hold(upper, lower))
    return None if below == len(lowers) else Thresholds(upper=upper / _STEPS, lower=lowers[below] / _STEPS)


def report_half(outcomes: Sequence[Outcome], upper: float, lower: float) -> HalfReport:
    """Return the rows that the decision model decides alone with these thresholds, and its errors."""
    decided = [item for item in outcomes if item.confidence is not None and not lower < item.confidence < upper]
    should_pass = sum(outcome.should_pass for outcome in outcomes)
    passes = sum(outcome.passed and not outcome.should_pass for outcome in decided)
    strips = sum(outcome.should_pass and not outcome.passed for outcome in decided)
    return HalfReport(
        rows=len(outcomes),
        decided=len(decided),
        false_passes=ErrorCount(count=passes, of=len(outcomes) - should_pass),
        false_strips=ErrorCount(count=strips, of=should_pass),
    )
