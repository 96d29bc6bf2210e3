"""Page geometry: boxes in points, words, line segments and drawn lines."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


class Box(NamedTuple):
    """A rectangle; y grows upwards."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.top - self.bottom

    @property
    def middle(self) -> float:
        return (self.bottom + self.top) / 2

    def turn(self, quarters: int) -> "Box":
        """Return the box after clockwise quarter turns of the page about its corner."""
        box = self
        for _ in range(quarters % 4):
            box = Box(box.bottom, -box.right, box.top, -box.left)
        return box

    def shares_line(self, other: "Box") -> bool:
        """Return whether both boxes share a line: they overlap by half the lower one's height."""
        shared = min(self.top, other.top) - max(self.bottom, other.bottom)
        return shared > 0.5 * min(self.height, other.height)

    def meets(self, other: "Box", near: float = 0) -> bool:
        """Return whether the boxes overlap or are within `near` of each other."""
        across = self.left <= other.right + near and other.left <= self.right + near
        return across and self.bottom <= other.top + near and other.bottom <= self.top + near

    def holds(self, other: "Box") -> bool:
        """Return whether this box contains the other's middle."""
        return self.left <= (other.left + other.right) / 2 <= self.right and self.bottom <= other.middle <= self.top


def around(boxes: Sequence[Box]) -> Box:
    """Return the bounding box."""
    lefts, bottoms, rights, tops = zip(*boxes, strict=True)
    return Box(min(lefts), min(bottoms), max(rights), max(tops))


@dataclass(slots=True)
class Word:
    """A word, or unspaced text of a script without spaces; `index` is its first character.

    `base` is its baseline; `spaced` is True after a space or line end; `slanted` if no quarter turn sets it upright.
    """

    text: str
    box: Box
    size: float
    quarters: int
    index: int
    base: float
    spaced: bool = True
    slanted: bool = False


class Annotation(NamedTuple):
    """A form field's value with its name, a note, or a comment without text.

    `checked` is None except for buttons, whose text is their value.
    """

    box: Box
    text: str
    name: str = ""
    checked: bool | None = None
    comment: bool = False
    attached: tuple[str, bytes] | None = None  # file name and content


@dataclass(slots=True)
class PdfSegment:
    """Words of one line without a wide gap: a line of a column or a table cell.

    `size` is that of most of the text, `base` the baseline; `fixed` marks monospaced text.
    """

    text: str
    box: Box
    size: float
    base: float
    bold: bool
    fixed: bool

    def is_over(self, other: "PdfSegment") -> bool:
        """Return whether the segments overlap horizontally."""
        return self.box.left < other.box.right and other.box.left < self.box.right


class Rule(NamedTuple):
    """A drawn straight line; `flat` if horizontal, else vertical."""

    box: Box
    flat: bool


@dataclass(slots=True)
class PdfSheet:
    """A page: segments in file order, lines, the largest picture's share, and whether it is unreadable.

    `across` has sideways segments, `frames` surround tables. `printed` is True if the page itself, apart from fields
    and notes, has words; `comments` if it has comments; `unseen` counts invisible words.
    """

    segments: list[PdfSegment] = field(default_factory=list)
    across: list[PdfSegment] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    frames: list[Box] = field(default_factory=list)
    picture: float | None = None
    printed: bool = False
    comments: bool = False
    unseen: int = 0
    lost: bool = False
    attached: list[tuple[str, bytes]] = field(default_factory=list)
