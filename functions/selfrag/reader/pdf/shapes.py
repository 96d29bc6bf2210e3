"""The shapes on a page: boxes in points, words, stretches of a line, and drawn lines."""

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
        """From the left side to the right one."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """From the bottom to the top."""
        return self.top - self.bottom

    @property
    def middle(self) -> float:
        """Halfway between the bottom and the top."""
        return (self.bottom + self.top) / 2

    def turned(self, quarters: int) -> "Box":
        """Return the box after this many quarter turns clockwise of the page about its corner."""
        box = self
        for _ in range(quarters % 4):
            box = Box(box.bottom, -box.right, box.top, -box.left)
        return box

    def beside(self, other: "Box") -> bool:
        """Return whether both stand on one line: the lower one is covered by half in height."""
        shared = min(self.top, other.top) - max(self.bottom, other.bottom)
        return shared > 0.5 * min(self.height, other.height)

    def meets(self, other: "Box", near: float = 0) -> bool:
        """Return whether both have a place in common, or come so near to each other."""
        across = self.left <= other.right + near and other.left <= self.right + near
        return across and self.bottom <= other.top + near and other.bottom <= self.top + near

    def holds(self, other: "Box") -> bool:
        """Return whether the middle of the other box is in this one."""
        return self.left <= (other.left + other.right) / 2 <= self.right and self.bottom <= other.middle <= self.top


def around(boxes: Sequence[Box]) -> Box:
    """Return the smallest box that holds these."""
    lefts, bottoms, rights, tops = zip(*boxes, strict=True)
    return Box(min(lefts), min(bottoms), max(rights), max(tops))


@dataclass(slots=True)
class Word:
    """A word, or a run of text without spaces in a script that has none; `index` is its first character's number.

    `base` is the height of the line on which its letters stand; `spaced` tells whether a space or the end of a line is
    before it; `slanted` that it stands at an angle of its own, which none of `quarters` turns sets upright.
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
    """An annotation of a page: the value of a form field with the field's name, a note, or a comment without its text.

    `checked` is None for what is no button; the text of a button is the value that it stands for.
    """

    box: Box
    text: str
    name: str = ""
    checked: bool | None = None
    comment: bool = False
    attached: tuple[str, bytes] | None = None  # the name and the content of a file


@dataclass(slots=True)
class PdfSegment:
    """Words on one line without a wide gap: a line of a column, or a cell of a table. `size` is that of most of it.

    `base` is the height of the line on which they stand; `fixed` tells of letters that are all of one width.
    """

    text: str
    box: Box
    size: float
    base: float
    bold: bool
    fixed: bool

    def is_over(self, other: "PdfSegment") -> bool:
        """Return whether both stand above each other, or would if they were on two lines."""
        return self.box.left < other.box.right and other.box.left < self.box.right


class Rule(NamedTuple):
    """A straight line that is drawn; `flat` if it lies, else it stands."""

    box: Box
    flat: bool


@dataclass(slots=True)
class PdfSheet:
    """A page: stretches in the file's order, and lines; the share of it that its largest picture covers; if it is lost.

    `across` are the stretches that run in another direction than most of them, `frames` are around tables.
    `printed` tells of words in the page itself, not in fields and notes, `comments` that there are some,
    `unseen` how many words a person cannot see.
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
