"""Writer of a document's text, line by line, with the structure of its parts."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from io import StringIO
from pathlib import PurePosixPath

from selfrag.domain.documents import Document, Heading, Labels, Part, Row, Table, has_words
from selfrag.domain.errors import BadDocument

MAX_HEADING = 200  # maximum characters of a section name
# Column names multiply a table's size; long names in a long table would do so without bound.
MAX_CHARACTERS = 20_000_000
MAX_LISTED = 10  # maximum names in a warning
Read = Callable[[str, bytes], Document]


def list_names(names: Sequence[object]) -> str:
    """Return the first names of a list and the number of others."""
    more = f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else ""
    return ", ".join(map(str, names[:MAX_LISTED])) + more


class Writer:
    """Collects lines with the positions of headings, parts, rows and tables; the text has no final newline."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.headings: list[Heading] = []
        self.parts: list[Part] = []
        self.rows: list[Row] = []
        self.tables: list[Table] = []
        self.warnings: list[str] = []
        self._text = StringIO()
        self._length = 0

    def line(self, text: str) -> int:
        """Write a line (possibly with newlines) and return its start; raises BadDocument if the text is too long.

        A blank line separates paragraphs.
        """
        start = self._length + (1 if self._length else 0)
        if start + len(text) > MAX_CHARACTERS:
            millions = MAX_CHARACTERS // 1_000_000
            raise BadDocument(f"{self.key} has more than {millions} million characters; split it into several files.")
        self._text.write("\n" + text if self._length else text)
        self._length = start + len(text)
        return start

    def heading(self, level: int, text: str) -> None:
        """Write a heading on one line; text that is too long or has no word becomes a plain line."""
        shown = " ".join(text.split())
        start = self.line(shown)
        if len(shown) <= MAX_HEADING and has_words(shown):
            self.headings.append(Heading(start, self._length, level, shown))

    def resume(self, level: int, text: str) -> None:
        """Return to an earlier heading without repeating it; its place is a newline."""
        if self._length:
            self.headings.append(Heading(self._length, self._length + 1, level, text))

    def part(self, name: str, page: int | None = None) -> None:
        """Start a page, slide or sheet."""
        self.parts.append(Part(self._length + (1 if self._length else 0), name, page))

    def row(self, names: Sequence[str], values: Sequence[str], name: str = "") -> None:
        """Write a table row, each value after its column name; empty values are omitted.

        A value in an unnamed column has no prefix.
        """
        called = [*names, *[""] * (len(values) - len(names))]
        pairs = [(column, " ".join(value.split())) for column, value in zip(called, values, strict=False)]
        line = "; ".join(f"{column}: {value}" if column else value for column, value in pairs if value)
        if line:
            start = self.line(line)
            self.rows.append(Row(start, self._length, name))

    def definition(self, term: str, text: str) -> None:
        """Write a term and its definition as a unit."""
        start = self.line(f"{term}: {text}" if term and text else term or text)
        self.rows.append(Row(start, self._length))

    def read_within(self, read: Read, key: str, content: bytes) -> Document | None:
        """Read an embedded file and copy its warnings; None with a warning if it is unreadable."""
        try:
            document = read(key, content)
        except BadDocument as error:
            self.warnings.append(str(error))
            return None
        self.warnings += document.warnings
        return document

    def document_within(self, document: Document, name: str = "") -> None:
        """Write an embedded document such as a chapter or attachment; its parts are prefixed with `name`.

        Without a name it has no parts.
        """
        if name and not document.parts:
            self.part(name)
        start = self.line(document.text)
        self.headings += [
            replace(heading, start=start + heading.start, end=start + heading.end) for heading in document.headings
        ]
        self.rows += [replace(row, start=start + row.start, end=start + row.end) for row in document.rows]
        self.tables += [replace(table, start=start + table.start, end=start + table.end) for table in document.tables]
        self.parts += [Part(start + part.start, f"{name}, {part.name}") for part in document.parts if name]

    @contextmanager
    def table(self, caption: str = "") -> Iterator[None]:
        """Record the lines written in this context as a table with a caption."""
        start = self._length + (1 if self._length else 0)
        yield
        if self._length > start:
            self.tables.append(Table(start, self._length, " ".join(caption.split())))

    def text(self) -> str:
        """Return the text so far."""
        return self._text.getvalue()

    def document(self, title: str = "", labels: Labels | None = None) -> Document:
        """Return the Document, by default titled by its file's name; parts after the last line begin at its end."""
        return Document(
            self.key,
            title or PurePosixPath(self.key).name,
            self.text(),
            tuple(self.headings),
            tuple(replace(part, start=min(part.start, self._length)) for part in self.parts),
            tuple(self.rows),
            tuple(self.tables),
            tuple(self.warnings),
            **vars(labels or Labels()),
        )
