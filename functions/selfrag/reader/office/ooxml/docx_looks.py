"""The looks of a Word document's paragraphs, sections and tables."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from selfrag.reader.zipped import attribute

_FIRST_ROW = 0x20  # the bit of a table's look that says that its first row stands out


@dataclass
class Section:
    """The beginning of a section among the blocks, and its headers and footers by the ids that refer to them."""

    begins: int
    headers: list[str] = field(default_factory=list)


@dataclass
class Look:
    """The look of a paragraph."""

    style: str = ""
    list: str = ""
    list_level: int = 0
    ends_section: bool = False


def stands_out(look: Mapping[str, str]) -> bool:
    """Return whether a table's look has a first row of its own."""
    said = attribute(look, "firstRow")
    if said:
        return said not in ("0", "false", "off")
    bits = attribute(look, "val")
    return not bits or len(bits) > 4 or bool(int(bits, 16) & _FIRST_ROW)
