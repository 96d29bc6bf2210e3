"""The properties of an office document: its title, keywords, and when it was saved."""

from selfrag.domain.documents import Labels
from selfrag.reader.archive import PartReader, XmlArchive
from selfrag.reader.labels import labels

MAX_PROPERTY = 10_000
_DATES = ("modified", "date", "created", "creation-date")
# The days on which the templates of python-docx and python-pptx were saved: documents made by them have no other.
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
        # A few tags and a day are short; putting many pieces together would take time with the square of their length.
        if self._name in self._values and len(self._values[self._name]) < MAX_PROPERTY:
            self._values[self._name] += text

    @property
    def title(self) -> str:
        """Return the title, on one line; "" if there is none."""
        return " ".join(self._values["title"].split())

    def labels(self) -> Labels:
        """Return the labels that the properties give."""
        days = {labels([], self._values[name]).date or "" for name in _DATES} - _TEMPLATES
        return labels([self._values["keywords"], self._values["keyword"]], max(days, default=""))


def properties(archive: XmlArchive, name: str) -> Properties:
    """The properties in this part of an archive; none if they cannot be read: they are not worth losing the text."""
    reader = Properties()
    return reader if archive.parse_optional(name, reader) else Properties()
