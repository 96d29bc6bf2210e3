"""Table frames made of drawn lines."""

from collections import Counter
from collections.abc import Iterator, Sequence

from selfrag.reader.pdf.shapes import Box, PdfSegment, Rule, around

_NEAR = 3  # points: tolerance for lines that meet
_MIN_FLAT = 3
_EDGE = 12  # points from a side: the border lines of a plain text box are this near


def frames_of(rules: Sequence[Rule]) -> list[Box]:
    """Return table frames: connected lines that form rows and columns."""
    groups = list[tuple[Box, list[Rule]]]()
    for rule in rules:
        met, others = [(rule.box, [rule])], list[tuple[Box, list[Rule]]]()
        for group in groups:
            (met if group[0].meets(rule.box, _NEAR) else others).append(group)
        groups = [*others, (around([box for box, _ in met]), [member for _, held in met for member in held])]
    return [
        box
        for box, held in groups
        if any(not rule.flat and box.left + _EDGE < rule.box.left < box.right - _EDGE for rule in held)
        and len(flat_lines(held, 0)) >= _MIN_FLAT
    ]


def around_frames(segments: Sequence[PdfSegment], frames: Sequence[Box]) -> Iterator[tuple[list[PdfSegment], bool]]:
    """Yield the segments above, in and below each frame, and whether they are framed.

    A frame with text at its side is not separated.
    """
    left = list(segments)
    for frame in sorted(frames, key=lambda frame: -frame.top):
        level = [segment for segment in left if frame.bottom < segment.box.middle < frame.top]
        if level and all(is_in(segment, frame) for segment in level):
            yield [segment for segment in left if segment.box.middle >= frame.top], False
            yield level, True
            left = [segment for segment in left if segment.box.middle <= frame.bottom]
    yield left, False


def is_in(segment: PdfSegment, frame: Box) -> bool:
    """Return whether a segment begins in a frame."""
    return frame.bottom < segment.box.middle < frame.top and frame.left - 5 < segment.box.left < frame.right


def flat_lines(rules: Sequence[Rule], least: float) -> list[int]:
    """Return the heights of horizontal lines of this total length, from below."""
    lengths = Counter[int]()
    for rule in rules:
        if rule.flat:
            lengths[round(rule.box.bottom / _NEAR)] += round(rule.box.width)
    heights = list[int]()
    for height in sorted(height for height, length in lengths.items() if length >= least):
        if not heights or height > heights[-1] + 1:
            heights.append(height)
    return [height * _NEAR for height in heights]
