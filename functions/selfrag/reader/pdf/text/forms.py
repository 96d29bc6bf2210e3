"""Form fields and notes merged into a page's text: each value follows its label."""

import re
from collections.abc import Iterator, Sequence
from statistics import median

from selfrag.reader.pdf.shapes import Annotation, Box, PdfSegment

_SIZE, _LETTER, _LEADING = 12.0, 0.5, 1.2  # points, for pages without words; otherwise in sizes: a letter, a line
_BESIDE, _BESIDE_A_BUTTON, _ABOVE = 20, 3, 1.5  # maximum distance of a label from its field, in sizes
_OVER, _ALIGNED = 2, 12  # points: overlap of label and field, and tolerance for aligned left edges
_WORD, _NO_WORD, _ENDS = re.compile(r"[^\W\d_]{3,}"), re.compile(r"[\W_]+"), re.compile(r"[:?：？]$")
# Generated field names and button values without meaning to a reader.
_GENERIC = re.compile(
    r"(?:(?:text|check|radio|list|combo|form|field|box|button|group|fill|undefined|untitled|dropdown|[fctp])[\W\d]*+)*+"
    r"|[\W\d]*+|on|off|yes|ja|oui|choice\W?\d*+",
    re.IGNORECASE,
)


def merge_annotations(
    segments: Sequence[PdfSegment], annotations: Sequence[Annotation], frames: Sequence[Box]
) -> list[PdfSegment]:
    """Merge field values and notes into the segments, each after its label or below its field name.

    Values that the page already shows are skipped; those in tables use the column names.
    """
    size, values, taken = median([segment.size for segment in segments] or [_SIZE]), list[PdfSegment](), set[int]()
    for held in annotations:
        above = held.box.top + _ABOVE * size
        near = [segment for segment in segments if segment.box.bottom < above and segment.box.top > held.box.bottom]
        inside = "".join(segment.text for segment in near if held.box.holds(segment.box))
        if held.checked is None and _letters(held.text) in _letters(inside):
            continue
        framed, generic = any(frame.holds(held.box) for frame in frames), _GENERIC.fullmatch(held.name)
        labels = [] if framed else [label for label in _labels(held, near, size) if id(label) not in taken]
        alike = [label for label in labels if _is_alike(label.text, held.name)]
        sure = labels and (held.checked is not None or (held.name and (generic or _ENDS.search(labels[0].text))))
        label = labels[0] if sure and (held.checked is not None or not alike) else next(iter(alike), None)
        named = generic or alike or (framed and any(_is_over(held, segment) for segment in segments))
        lines = _lines(held, "" if named else held.name, size, label)
        if label is not None:
            taken.add(id(label))
            value, sign = lines.pop(0), " " if _ENDS.search(label.text) else ": "
            label.text = label.text + sign + value.text if held.checked is None else f"{value.text} {label.text}"
            left, right = min(label.box.left, value.box.left), max(label.box.right, value.box.right)
            label.box = label.box._replace(left=left, right=right)
        values += lines
    return [*segments, *values]


def _labels(held: Annotation, near: Sequence[PdfSegment], size: float) -> Iterator[PdfSegment]:
    """Yield the nearest label candidates: right of a button; left of or above a field."""
    button, nearest = held.checked is not None, dict[int, tuple[float, PdfSegment]]()
    for segment in near:
        label, beside = segment.box, segment.box.shares_line(held.box)
        gaps = (
            (label.left - held.box.right, beside and button, _BESIDE_A_BUTTON),
            (held.box.left - label.right, beside, _BESIDE_A_BUTTON if button else _BESIDE),
            (label.bottom - held.box.top, abs(label.left - held.box.left) <= _ALIGNED, _ABOVE),
        )
        for side, (gap, level, far) in enumerate(gaps):
            if level and -_OVER <= gap <= far * size and (side not in nearest or gap < nearest[side][0]):
                nearest[side] = gap, segment
    yield from (nearest[side][1] for side in sorted(nearest))


def _lines(held: Annotation, name: str, size: float, label: PdfSegment | None) -> list[PdfSegment]:
    """Return a value's lines at their displayed position: a single line in the middle of its field."""
    texts = [" ".join(line.split()) for line in held.text.splitlines() if line.strip()]
    if held.checked is not None:
        value = [] if label or _GENERIC.fullmatch(held.text) else texts
        texts = [" ".join(["[x]" if held.checked else "[ ]", *value])]
        name = name if held.checked or label is None else ""
    height = _LEADING * size if len(texts) < 2 else min(_LEADING * size, held.box.height / len(texts))
    top = held.box.top if len(texts) > 1 else held.box.middle + height / 2
    if name and (label is None or held.checked is not None):
        texts[0] = f"{name}: {texts[0]}"
    lines = list[PdfSegment]()
    for number, text in enumerate(texts):
        right = min(held.box.left + _LETTER * size * len(text), max(held.box.right, held.box.left + 1))
        box = Box(held.box.left, top - (number + 1) * height, right, top - number * height)
        lines.append(PdfSegment(text, box, size, box.bottom + 0.2 * height, False, False))
    return lines


def _is_over(held: Annotation, segment: PdfSegment) -> bool:
    """Return whether a segment in the field's row or column matches the field's name."""
    across = segment.box.left < held.box.right and held.box.left < segment.box.right
    return (across or segment.box.shares_line(held.box)) and _is_alike(segment.text, held.name)


def _letters(text: str) -> str:
    return _NO_WORD.sub("", text).casefold()


def _is_alike(label: str, name: str) -> bool:
    """Return whether a label and a field name share a word, or one contains the other."""
    short, long = sorted((_letters(label), _letters(name)), key=len)
    words = {word.casefold() for word in _WORD.findall(label)} & {word.casefold() for word in _WORD.findall(name)}
    return bool(words) or (len(short) > 1 and short in long)
