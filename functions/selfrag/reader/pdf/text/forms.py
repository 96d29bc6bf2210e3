"""Form fields and notes among the stretches of a page: each value follows the label that the page has for it."""

import re
from collections.abc import Iterator, Sequence
from statistics import median

from selfrag.reader.pdf.shapes import Annotation, Box, PdfSegment, Rule, around

_SIZE = 12.0  # points, of a page without words
_LETTER = 0.5  # of the size, the usual width of one
_LEADING = 1.2  # sizes
_BESIDE, _BESIDE_A_BUTTON, _ABOVE = 20, 3, 1.5  # sizes from a field to its label
_OVER = 2  # points by which a label may reach into its field
_ALIGNED = 12  # points between the left edges of a field and of the label above it
_BAND = 20  # points: labels are looked for in the bands of a page that a field touches
_WORD = re.compile(r"[^\W\d_]{3,}")
_NOT_WORDS = re.compile(r"[\W_]+")
# Names that programs give to fields, and values that they give to buttons, of which no reader learns anything.
_GENERIC = re.compile(
    r"(?:(?:text|check|radio|list|combo|form|field|box|button|group|fill|undefined|untitled|dropdown|f|c|t|row|p)[\W\d]*+)*+"
    r"|[\W\d]*+|on|off|yes|ja|oui|choice\W?\d*+",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[:?：？]$")


def with_annotations(
    segments: Sequence[PdfSegment], annotations: Sequence[Annotation], frames: Sequence[Box], rules: Sequence[Rule]
) -> list[PdfSegment]:
    """Return the stretches with the values of fields and the notes, each behind its label or under its field's name.

    A value that the page itself shows in its place is left as it is.
    """
    form = _Form(segments, annotations, frames, rules)
    for annotation in annotations:
        form.add(annotation)
    return form.segments


class _Form:
    """A page whose stretches take the values of its fields, one after the other."""

    def __init__(
        self,
        segments: Sequence[PdfSegment],
        annotations: Sequence[Annotation],
        frames: Sequence[Box],
        rules: Sequence[Rule],
    ) -> None:
        self.segments = list(segments)
        self._printed = [(segment.box, segment.text) for segment in segments]
        self._bands, self._fields = dict[int, list[int]](), dict[int, list[Box]]()
        for at, segment in enumerate(segments):
            for band in _bands(segment.box):
                self._bands.setdefault(band, []).append(at)
        for annotation in annotations:
            for band in _bands(annotation.box):
                self._fields.setdefault(band, []).append(annotation.box)
        self._frames, self._rules = frames, rules
        self._size = median([segment.size for segment in segments] or [_SIZE])

    def add(self, annotation: Annotation) -> None:
        """Put a value behind its label, or under its own name in its place."""
        frame = next((frame for frame in self._frames if _holds(frame, annotation.box)), None)
        near = self._near(annotation.box)
        inside = "".join(self._printed[at][1] for at in near if _holds(annotation.box, self._printed[at][0]))
        if annotation.checked is None and _letters(annotation.text) in _letters(inside):
            return
        labels = [at for at in self._labels(annotation, near) if not (frame and self._is_ruled_off(annotation.box, at))]
        alike = [at for at in labels if _is_alike(self._printed[at][1], annotation.name)]
        label = self._label(annotation, labels, alike, frame)
        named = bool(alike) or (frame is not None and self._is_headed(annotation, frame))
        name = "" if named or _GENERIC.fullmatch(annotation.name) else annotation.name
        if annotation.checked is None:
            self._add_value(annotation, label, name)
        else:
            self._add_button(annotation, label, name)

    def _label(self, annotation: Annotation, labels: list[int], alike: list[int], frame: Box | None) -> int | None:
        """Return the stretch that is a field's label: one with a word of its name, else the nearest if that is sure."""
        if not annotation.name and annotation.checked is None:
            return None
        if annotation.checked is not None:
            return labels[0] if labels and not frame else None
        if alike or not labels or frame:
            return next(iter(alike), None)
        sure = _GENERIC.fullmatch(annotation.name) or _ENDS.search(self._printed[labels[0]][1])
        return labels[0] if sure else None

    def _add_value(self, annotation: Annotation, label: int | None, name: str) -> None:
        texts = [text for line in annotation.text.splitlines() if (text := " ".join(line.split()))]
        lines = [self._line(annotation.box, text, number, len(texts)) for number, text in enumerate(texts)]
        if label is not None:
            held, value = self.segments[label], lines.pop(0)
            held.text += (" " if _ENDS.search(held.text) else ": ") + value.text
            held.box = held.box._replace(right=max(held.box.right, value.box.right))
        elif name:
            lines[0].text = f"{name}: {lines[0].text}"
        self.segments += lines

    def _add_button(self, annotation: Annotation, label: int | None, name: str) -> None:
        mark = "[x]" if annotation.checked else "[ ]"
        if label is not None:
            held = self.segments[label]
            held.text = f"{name}: {mark} {held.text}" if name and annotation.checked else f"{mark} {held.text}"
            held.box = around([held.box, annotation.box])._replace(bottom=held.box.bottom, top=held.box.top)
            return
        value = "" if _GENERIC.fullmatch(annotation.text) else annotation.text
        text = " ".join(filter(None, [f"{name}:" if name else "", mark, value]))
        self.segments.append(self._line(annotation.box, text, 0, 1))

    def _near(self, box: Box) -> list[int]:
        bands = _bands(box._replace(top=box.top + _ABOVE * self._size))
        return list(dict.fromkeys(at for band in bands for at in self._bands.get(band, ())))

    def _labels(self, annotation: Annotation, near: Sequence[int]) -> Iterator[int]:
        """Yield the nearest stretches that may be a field's label: a button's is right of it, any other's left of it.

        The next choice is a label above.
        """
        box, button = annotation.box, annotation.checked is not None
        far = (_BESIDE_A_BUTTON if button else _BESIDE) * self._size
        left, right = list[tuple[float, int]](), list[tuple[float, int]]()
        for at in near:
            label = self._printed[at][0]
            if label.beside(box) and -_OVER <= box.left - label.right <= far:
                left.append((box.left - label.right, at))
            elif button and label.beside(box) and -_OVER <= label.left - box.right <= far:
                right.append((label.left - box.right, at))
        for _, nearest in [*map(min, filter(None, (right, left)))]:
            if not self._is_another_between(box, self._printed[nearest][0]):
                yield nearest
        above = [
            (self._printed[at][0].bottom - box.top, at)
            for at in near
            if abs(self._printed[at][0].left - box.left) <= _ALIGNED
            and -_OVER <= self._printed[at][0].bottom - box.top <= _ABOVE * self._size
        ]
        if above:
            yield min(above)[1]

    def _is_another_between(self, box: Box, label: Box) -> bool:
        left, right = min(box.right, label.right) - _OVER, max(box.left, label.left) + _OVER
        others = (other for band in _bands(box) for other in self._fields.get(band, ()) if other != box)
        return any(other.left >= left and other.right <= right and other.beside(box) for other in others)

    def _is_ruled_off(self, box: Box, at: int) -> bool:
        """Return whether a line is drawn between a field and a stretch, as between the cells of a table."""
        label = self._printed[at][0]
        if label.beside(box):
            _, left, right, _ = sorted((box.left, box.right, label.left, label.right))
            standing = (rule.box for rule in self._rules if not rule.flat and rule.box.beside(label))
            return any(left - _OVER <= line.left <= right + _OVER for line in standing)
        _, bottom, top, _ = sorted((box.bottom, box.top, label.bottom, label.top))
        flat = (rule.box for rule in self._rules if rule.flat and bottom - _OVER <= rule.box.bottom <= top + _OVER)
        return any(line.left < label.right and label.left < line.right for line in flat)

    def _is_headed(self, annotation: Annotation, frame: Box) -> bool:
        """Return whether the row or the column of a field in a table says what the field is called."""
        box = annotation.box
        return any(
            _holds(frame, other)
            and (other.beside(box) or (other.left < box.right and box.left < other.right))
            and _is_alike(text, annotation.name)
            for other, text in self._printed
        )

    def _line(self, box: Box, text: str, number: int, of: int) -> PdfSegment:
        """Return a line of a value where a viewer shows it: a single one in the middle of its field."""
        height = min(_LEADING * self._size, box.height / of) if of > 1 else _LEADING * self._size
        top = box.top - number * height if of > 1 else box.middle + height / 2
        right = min(box.left + _LETTER * self._size * len(text), max(box.right, box.left + 1))
        return PdfSegment(text, Box(box.left, top - height, right, top), self._size, top - 0.8 * height, False, False)


def _bands(box: Box) -> range:
    return range(int(box.bottom // _BAND), int(box.top // _BAND) + 1)


def _holds(outer: Box, box: Box) -> bool:
    """Return whether the middle of a box is in another one."""
    return outer.left <= (box.left + box.right) / 2 <= outer.right and outer.bottom <= box.middle <= outer.top


def _letters(text: str) -> str:
    return _NOT_WORDS.sub("", text).casefold()


def _is_alike(label: str, name: str) -> bool:
    """Return whether a label on the page and the name of a field share a word, or one holds the other."""
    short, long = sorted((_letters(label), _letters(name)), key=len)
    words = {word.casefold() for word in _WORD.findall(label)} & {word.casefold() for word in _WORD.findall(name)}
    return bool(words) or (len(short) > 1 and short in long)
