"""The lists of an OpenDocument text as they are counted, and its outline of headings."""

from selfrag.reader.office.numbering import MAX_LEVELS, Counters
from selfrag.reader.office.odf.styles import OdfStyles
from selfrag.reader.zipped import attribute

_OUTLINE = ""


class Lists:
    """Follows the lists that are open, and gives the number of each item and heading once."""

    def __init__(self, styles: OdfStyles) -> None:
        self._styles = styles
        self._open: list[str] = []  # the style of each
        self._begun = 0
        self._counters = Counters()
        self._label = ""

    def begin_list(self, said: dict[str, str]) -> None:
        """A list, which may stand in an item of another one, whose style it shares if it has none."""
        style = attribute(said, "style-name") or (self._open[-1] if self._open else "")
        goes_on = attribute(said, "continue-numbering") == "true" or attribute(said, "continue-list")
        self._begun += not self._open and not goes_on
        self._open.append(style)

    def end_list(self) -> None:
        """The list ends."""
        self._open.pop()

    def begin_item(self, said: dict[str, str]) -> None:
        """An item of the list that is open."""
        if self._open:
            self._label = self._counted(self._open[-1], f"{self._begun}", len(self._open) - 1)

    def count_heading(self, level: int) -> None:
        """A heading, by its level in the outline; 0 is the highest. One that is an item of a list is counted there."""
        if not self._label:
            self._label = self._counted(_OUTLINE, _OUTLINE, level)

    def label(self) -> str:
        """Return the number of the item or heading that began last; "" when it was given."""
        label, self._label = self._label, ""
        return label

    def _counted(self, style: str, name: str, level: int) -> str:
        level = min(level, MAX_LEVELS - 1)
        return self._styles.label(style, self._counters.next(name, level, self._styles.starts(style)))
