"""Office document properties: title, keywords and save date."""

from selfrag.domain.documents import Labels
from selfrag.reader.archive import PartReader, XmlArchive
from selfrag.reader.labels import labels

MAX_PROPERTY = 10_000
_DATES = ("modified", "date", "created", "creation-date")
# Save dates of the templates of python-docx and python-pptx; their documents have no other.
_TEMPLATES = {"2013-12-23", "2013-01-27"}


class Properties(PartReader):
    """Reads the properties of Office and OpenDocument alike."""

    def __init__(self) -> None:
        self._name = ""
        self._values = dict.fromkeys(("title", "keywords", "keyword", "subject", *_DATES), "")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._name = name
        if self._values.get(self._name):
            self.text(",")

    def end(self, name: str) -> None:
        self._name = ""

    def text(self, text: str) -> None:
        # Tags and dates are short; joining many pieces would take quadratic time.
        if self._name in self._values and len(self._values[self._name]) < MAX_PROPERTY:
            self._values[self._name] += text

    @property
    def title(self) -> str:
        return " ".join(self._values["title"].split())

    def labels(self) -> Labels:
        days = {labels([], self._values[name]).date or "" for name in _DATES} - _TEMPLATES
        return labels([self._values["keywords"], self._values["keyword"]], max(days, default=""))


def properties(archive: XmlArchive, name: str) -> Properties:
    """Read the properties of an archive part; empty if unreadable, since the text matters more."""
    reader = Properties()
    return reader if archive.parse_optional(name, reader) else Properties()
