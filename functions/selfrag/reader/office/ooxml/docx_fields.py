"""The fields of a Word document: what they ask for is not shown, what they stand for is."""

from selfrag.reader.zipped import attribute

_PAGE_NUMBERS = ("PAGE", "NUMPAGES", "SECTIONPAGES")
_MAX_ASKED = 100


class Fields:
    """Follows the fields that are open; `page_number` stands for what they show of pages."""

    def __init__(self, page_number: str) -> None:
        self._page_number = page_number
        self._open: list[str] = []  # what each asks for
        self._asking = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        kind = attribute(attributes, "fldCharType")
        if name == "fldSimple":
            self._open.append(attribute(attributes, "instr")[:_MAX_ASKED])
        elif kind == "begin":
            self._open.append("")
        elif kind == "end" and self._open:
            self._open.pop()
        self._asking = name == "instrText"

    def end(self, name: str) -> None:
        """An element ends."""
        self._asking = False
        if name == "fldSimple" and self._open:
            self._open.pop()

    def text(self, text: str) -> None:
        """Take in what a field asks for."""
        if self._asking and self._open:
            self._open[-1] = (self._open[-1] + text)[:_MAX_ASKED]

    def shown(self, text: str) -> str:
        """Return what is shown of a text inside the fields that are open."""
        asked = self._open[-1].split() if self._open else []
        return self._page_number if asked and asked[0].upper() in _PAGE_NUMBERS else text
