"""Reading order of a page: columns one after the other, spanning text before and after."""

from collections.abc import Iterator, Sequence
from statistics import median

from selfrag.reader.pdf.shapes import PdfSegment, Rule, around

_MIN_LINES, _SURE_LINES, _MIN_LETTERS = 3, 4, 12
_FULL = 0.6  # share of a column's width that lines of running text fill, unlike table cells
_RAGGED, _DENSE = 0.15, 0.7  # share of the width that ragged prose leaves free; share of its lines that are full
_STEPS = 40
_HALF_GUTTER = 2.5  # points
_NARROWEST = 0.2  # of the width of both columns
_DEEPEST = 6


def reading_order(segments: Sequence[PdfSegment], rules: Sequence[Rule], depth: int = 0) -> Iterator[list[PdfSegment]]:
    """Yield single-column regions in reading order."""
    parts = _columns(sorted(segments, key=lambda segment: -segment.box.top), rules) if depth < _DEEPEST else None
    if parts is None:
        if segments:
            yield list(segments)
        return
    for part in parts:
        yield from reading_order(part, rules, depth + 1)


def _columns(segments: list[PdfSegment], rules: Sequence[Rule]) -> tuple[list[PdfSegment], ...] | None:
    """Split segments into above, left, right and below; None without two columns."""
    if len(segments) < 2 * _MIN_LINES:
        return None
    whole = around([segment.box for segment in segments])
    tries = [whole.left + whole.width * (_NARROWEST + (1 - 2 * _NARROWEST) * step / _STEPS) for step in range(_STEPS)]
    best, most = None, 0
    for gutter in tries:
        for first, end in _find_uncrossed(segments, gutter):
            left = [segment for segment in segments[first:end] if segment.box.right <= gutter]
            right = [segment for segment in segments[first:end] if segment.box.left >= gutter]
            score = min(_letters(left), _letters(right))
            if score > most and _are_columns(left, right) and not _is_crossed_by_rule(left, right, rules):
                best, most = (segments[:first], left, right, segments[end:]), score
    return best


def _find_uncrossed(segments: Sequence[PdfSegment], gutter: float) -> Iterator[tuple[int, int]]:
    """Yield the longest runs of segments that do not cross a gutter."""
    first = 0
    for at, segment in enumerate(segments):
        if segment.box.left < gutter + _HALF_GUTTER and segment.box.right > gutter - _HALF_GUTTER:
            if at - first >= 2 * _MIN_LINES:
                yield first, at
            first = at + 1
    if len(segments) - first >= 2 * _MIN_LINES:
        yield first, len(segments)


def _are_columns(left: Sequence[PdfSegment], right: Sequence[PdfSegment]) -> bool:
    least = min(len(left), len(right))
    if least < _MIN_LINES or (least < _SURE_LINES and not (_goes_on(left) and _goes_on(right))):
        return False
    both = (left, right), (right, left)
    return all(_is_running_text(column) for column in (left, right)) or any(_is_beside(*sides) for sides in both)


def _is_beside(prose: Sequence[PdfSegment], listing: Sequence[PdfSegment]) -> bool:
    """Return whether a code listing runs parallel to justified prose at similar density, unlike table cells."""
    box = around([segment.box for segment in prose])
    full = sum(segment.box.right > box.right - _RAGGED * box.width for segment in prose)
    goes_on = sum(segment.text[0].islower() for segment in prose)
    dense = len({round(segment.base) for segment in listing}) >= _DENSE * len(prose)
    is_prose = _is_running_text(prose) and full >= _DENSE * len(prose) and 3 * goes_on >= len(prose)
    return dense and is_prose and all(segment.fixed for segment in listing)


def _goes_on(column: Sequence[PdfSegment]) -> bool:
    """Return whether half of the lines continue a sentence; otherwise a short column may be table cells."""
    return 2 * sum(segment.text[0].islower() for segment in column[1:]) >= len(column) - 1


def _is_running_text(column: Sequence[PdfSegment]) -> bool:
    full = _FULL * around([segment.box for segment in column]).width
    is_long = median(len(segment.text) for segment in column) >= _MIN_LETTERS
    return is_long and median(segment.box.width for segment in column) >= full


def _is_crossed_by_rule(left: Sequence[PdfSegment], right: Sequence[PdfSegment], rules: Sequence[Rule]) -> bool:
    """Return whether a line crosses both columns, as below a table header."""
    left_box, right_box = around([segment.box for segment in left]), around([segment.box for segment in right])
    lowest, highest = max(left_box.bottom, right_box.bottom), min(left_box.top, right_box.top)
    flat = (rule.box for rule in rules if rule.flat and lowest < rule.box.middle < highest)
    return any(line.left < left_box.right and line.right > right_box.left for line in flat)


def _letters(column: Sequence[PdfSegment]) -> int:
    return sum(len(segment.text) for segment in column)
