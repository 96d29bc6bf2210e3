"""Figures of abstention: AUC, declined questions at a threshold, and calibration, with intervals of 95%."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from selfrag_cli.lab.graders import Rate, Z, compute_figures
from selfrag_cli.lab.thresholds import Outcome

# The share of the answerable questions that a threshold, chosen on one half of the rows, may decline.
MAX_FALSE_DECLINES = 0.1
_RIDGE = 1.0
_BINS = 10

Vectors = NDArray[np.float64]


class Area(BaseModel):
    """An area under the ROC curve with DeLong's interval."""

    auc: float
    low: float
    high: float
    n: int


class Declined(BaseModel):
    """The declined questions among those that no passage answers, and the false declines among the others."""

    right: Rate | None
    false: Rate | None


def area(scores: Sequence[float], labels: Sequence[bool]) -> Area:
    """Return the AUC of scores that should be higher where the label is true."""
    values, positive = np.asarray(scores, np.float64), np.asarray(labels, np.bool_)
    gaps = np.sign(values[positive][:, None] - values[~positive])
    auc = float((1 + gaps.mean()) / 2)
    variance = sum(gaps.mean(axis=axis).var(ddof=1) / gaps.shape[1 - axis] for axis in (0, 1)) / 4
    margin = Z * float(np.sqrt(variance))
    return Area(auc=auc, low=max(0.0, auc - margin), high=min(1.0, auc + margin), n=len(values))


def choose_threshold(scores: Sequence[float], labels: Sequence[bool]) -> float:
    """Return the highest threshold that declines at most a tenth of the answerable questions."""
    answerable = sorted(score for score, label in zip(scores, labels, strict=True) if label)
    return answerable[int(MAX_FALSE_DECLINES * len(answerable))]


def declined_of(passed: Sequence[bool], labels: Sequence[bool]) -> Declined:
    """Return the rates of decline of questions that passed or did not."""
    figures = compute_figures([Outcome(label, passes) for label, passes in zip(labels, passed, strict=True)])
    return Declined(right=figures.failing_right, false=figures.false_strips)


def calibration_error(scores: Sequence[float], labels: Sequence[bool]) -> float | None:
    """Return the expected calibration error of scores that are taken for probabilities, over ten bins."""
    values, positive = np.asarray(scores, np.float64), np.asarray(labels, np.float64)
    bins = np.minimum((values * _BINS).astype(int), _BINS - 1)
    gaps = [abs(values[bins == at].sum() - positive[bins == at].sum()) for at in range(_BINS)]
    return float(sum(gaps) / len(values)) if len(values) else None


def guess_by_question(first: Vectors, labels: Sequence[bool], held_out: Vectors) -> list[float]:
    """Return scores of questions by their vectors alone: a ridge regression on the labels of the other half."""
    inputs = first - first.mean(axis=0)
    weights = np.linalg.solve(inputs.T @ inputs + _RIDGE * np.eye(inputs.shape[1]), inputs.T @ np.asarray(labels))
    return (held_out @ weights).tolist()  # type: ignore[no-any-return]
