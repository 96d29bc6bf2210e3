"""The order in which a page is read: columns one after the other, and what spans them before and after."""

from collections.abc import Iterator, Sequence
from statistics import median

from selfrag.reader.pdf.shapes import Rule, Segment, around

_LEAST_LINES, _LEAST_LETTERS = 4, 12
_FULL = 0.6  # of a column's width: the lines of running text reach further, the cells of a table do not
_RAGGED, _DENSE = 0.15, 0.7  # of the width that prose leaves free at its right, and of its lines
_STEPS = 40
_HALF_GUTTER = 2.5  # points
_NARROWEST = 0.2  # of the width of both columns
_DEEPEST = 6


def in_order(segments: Sequence[Segment], rules: Sequence[Rule], depth: int = 0) -> Iterator[list[Segment]]:
    """Yield the stretches of a page as one region after the other, each of one column."""
    found = _columns(sorted(segments, key=lambda one: -one.box.top), rules) if depth < _DEEPEST else None
    if found is None:
        if segments:
            yield list(segments)
        return
    for part in found:
        yield from in_order(part, rules, depth + 1)


def _columns(segments: list[Segment], rules: Sequence[Rule]) -> tuple[list[Segment], ...] | None:
    """Return what is above two columns, the left one, the right one, and what is below; None without columns."""
    if len(segments) < 2 * _LEAST_LINES:
        return None
    whole = around([one.box for one in segments])
    tries = [whole.left + whole.width * (_NARROWEST + (1 - 2 * _NARROWEST) * step / _STEPS) for step in range(_STEPS)]
    best, most = None, 0
    for gutter in tries:
        for first, end in _uncrossed(segments, gutter):
            left = [one for one in segments[first:end] if one.box.right <= gutter]
            right = [one for one in segments[first:end] if one.box.left >= gutter]
            score = min(_letters(left), _letters(right))
            if score > most and _are_columns(left, right) and not _ruled(left, right, rules):
                best, most = (segments[:first], left, right, segments[end:]), score
    return best


def _uncrossed(segments: Sequence[Segment], gutter: float) -> Iterator[tuple[int, int]]:
    """Yield the longest runs of stretches from the top of which none crosses a gutter."""
    first = 0
    for at, one in enumerate(segments):
        if one.box.left < gutter + _HALF_GUTTER and one.box.right > gutter - _HALF_GUTTER:
            if at - first >= 2 * _LEAST_LINES:
                yield first, at
            first = at + 1
    if len(segments) - first >= 2 * _LEAST_LINES:
        yield first, len(segments)


def _are_columns(left: Sequence[Segment], right: Sequence[Segment]) -> bool:
    if min(len(left), len(right)) < _LEAST_LINES:
        return False
    both = (left, right), (right, left)
    return all(_is_running_text(column) for column in (left, right)) or any(_is_beside(*sides) for sides in both)


def _is_beside(prose: Sequence[Segment], listing: Sequence[Segment]) -> bool:
    """Return whether a listing stands beside prose, which fills its lines, and as densely: a table's code does not."""
    box = around([one.box for one in prose])
    full = sum(one.box.right > box.right - _RAGGED * box.width for one in prose)
    goes_on = sum(one.text[0].islower() for one in prose)
    dense = len({round(one.base) for one in listing}) >= _DENSE * len(prose)
    return dense and all(one.fixed for one in listing) and full >= _DENSE * len(prose) and 3 * goes_on >= len(prose)


def _is_running_text(column: Sequence[Segment]) -> bool:
    width = around([one.box for one in column]).width
    return (
        median(one.box.width for one in column) >= _FULL * width
        and median(len(one.text) for one in column) >= _LEAST_LETTERS
    )


def _ruled(left: Sequence[Segment], right: Sequence[Segment], rules: Sequence[Rule]) -> bool:
    """Return whether a line runs through both, as below the names of a table's columns."""
    one, other = around([each.box for each in left]), around([each.box for each in right])
    lowest, highest = max(one.bottom, other.bottom), min(one.top, other.top)
    flat = (rule.box for rule in rules if rule.flat and lowest < rule.box.middle < highest)
    return any(line.left < one.right and line.right > other.left for line in flat)


def _letters(column: Sequence[Segment]) -> int:
    return sum(len(one.text) for one in column)
