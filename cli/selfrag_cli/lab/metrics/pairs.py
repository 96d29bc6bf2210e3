"""Two answers to the same question: which is the better one, and on which questions they differ most."""

from collections.abc import Sequence

from selfrag_cli.lab.metrics.measures import Measured

# First by the measure that says most of a sentence.
BY = ("match", "f1", "citation_recall", "citation_precision")


def better(one: Measured, other: Measured) -> int:
    """Return 1 if the other answer to a question is the better one, -1 if this is, 0 if neither is known to be."""
    return next((1 if gap > 0 else -1 for gap in _gaps(one, other) if gap), 0)


def most_different(one: Sequence[Measured], other: Sequence[Measured], most: int = 10) -> list[int]:
    """Return the places of the questions on which two variants differ most, and at all; the most different first."""
    gaps = [tuple(abs(gap) for gap in _gaps(*pair)) for pair in zip(one, other, strict=True)]
    places = sorted((place for place, gap in enumerate(gaps) if any(gap)), key=lambda place: gaps[place], reverse=True)
    return places[:most]


def _gaps(one: Measured, other: Measured) -> list[float]:
    return [
        other[name].count / other[name].of - one[name].count / one[name].of if one[name].of and other[name].of else 0.0
        for name in BY
    ]
