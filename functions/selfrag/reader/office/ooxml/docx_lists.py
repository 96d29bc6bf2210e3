"""The numbers of a Word document's lists."""

from dataclasses import dataclass, field

from typing_extensions import override

from selfrag.reader.archive import PartReader
from selfrag.reader.office.numbering import MAX_LEVELS, Counters, numeral, whole
from selfrag.reader.office.ooxml.docx_parts import list_level

_BULLETS = ("bullet", "none")
_MAX_LABEL = 50


@dataclass
class _DocxList:
    starts: list[int] = field(default_factory=lambda: [1] * MAX_LEVELS)
    written: list[str] = field(default_factory=lambda: ["decimal"] * MAX_LEVELS)
    texts: list[str] = field(default_factory=lambda: [""] * MAX_LEVELS)


class Numbering(PartReader):
    """The lists of a document, and how far each of them is counted."""

    def __init__(self) -> None:
        self._kinds: dict[str, _DocxList] = {}
        self._lists: dict[str, str] = {}
        self._restarts: dict[str, list[int]] = {}
        self._kind = _DocxList()
        self._list = ""
        self._level = 0
        self._counters = Counters()

    @override
    def start(self, name: str, attributes: dict[str, str]) -> None:
        value = attributes.get("val", "")
        if name == "abstractNum":
            self._kind = self._kinds[attributes.get("abstractNumId", "")] = _DocxList()
        elif name in ("lvl", "lvlOverride"):
            self._level = list_level(attributes.get("ilvl", ""))
        elif name == "start":
            self._kind.starts[self._level] = whole(value)
        elif name == "numFmt":
            self._kind.written[self._level] = value
        elif name == "lvlText":
            self._kind.texts[self._level] = value[:_MAX_LABEL]
        elif name == "num":
            self._list, self._kind = attributes.get("numId", ""), _DocxList()
        elif name == "abstractNumId":
            self._lists[self._list] = value
        elif name == "startOverride":
            self._restarts.setdefault(self._list, []).append(self._level)

    def label(self, name: str, level: int) -> str:
        """Count a paragraph of a list; gives its number as it is shown, "" for a bullet."""
        kind = self._kinds.get(self._lists.get(name, ""))
        if not kind or kind.written[level] in _BULLETS:
            return ""
        for again in self._restarts.pop(name, ()):
            self._counters.restart(self._lists[name], again)
        numbers = self._counters.next(self._lists[name], level, kind.starts)
        shown = kind.texts[level]
        for at, number in enumerate(numbers):
            shown = shown.replace(f"%{at + 1}", numeral(number, kind.written[at]))
        return shown.strip()
