"""The text of a document as a reader writes it, line by line, and what is known of its stretches."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from io import StringIO

from selfrag.domain.documents import Document, Heading, Labels, Part, Row, Table, has_words
from selfrag.domain.errors import BadDocument

MAX_HEADING = 200  # characters; nothing longer is the name of a section
# Naming each value makes a table several times larger; a long name in a table of many rows, without end.
MAX_CHARACTERS = 20_000_000
MAX_LISTED = 10  # names in a warning
Read = Callable[[str, bytes], Document]


def listed(names: Sequence[object]) -> str:
    """Return the first names of a list, and how many more there are."""
    more = f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else ""
    return ", ".join(map(str, names[:MAX_LISTED])) + more


class Writer:
    """Collects lines and says where headings, parts, rows and tables stand; the text ends without a line end."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.headings: list[Heading] = []
        self.parts: list[Part] = []
        self.rows: list[Row] = []
        self.tables: list[Table] = []
        self.warnings: list[str] = []
        self._text = StringIO()
        self._length = 0

    @property
    def is_empty(self) -> bool:
        """Return whether nothing has been written yet."""
        return self._length == 0

    def line(self, text: str) -> int:
        """Write a line (it may hold line ends) and tell where it begins; raises BadDocument when the text is too long.

        A blank one is an empty line: paragraphs are divided by it.
        """
        start = self._length + (1 if self._length else 0)
        if start + len(text) > MAX_CHARACTERS:
            millions = MAX_CHARACTERS // 1_000_000
            raise BadDocument(f"{self.key} has more than {millions} million characters; split it into several files.")
        self._text.write("\n" + text if self._length else text)
        self._length = start + len(text)
        return start

    def heading(self, level: int, text: str) -> None:
        """Write a heading, on one line; what is too long to be one, or holds no word, is a line like others."""
        shown = " ".join(text.split())
        start = self.line(shown)
        if len(shown) <= MAX_HEADING and has_words(shown):
            self.headings.append(Heading(start, self._length, level, shown))

    def resume(self, level: int, text: str) -> None:
        """Go back below an earlier heading, which is not written anew: its place is a line end."""
        if self._length:
            self.headings.append(Heading(self._length, self._length + 1, level, text))

    def part(self, name: str, page: int | None = None) -> None:
        """Begin a page, a slide or a sheet."""
        self.parts.append(Part(self._length + (1 if self._length else 0), name, page))

    def row(self, names: Sequence[str], values: Sequence[str], name: str = "") -> None:
        """Write a row of a table, each value after what its column is called; one without a value is left out.

        A value in a column that has no name is alone.
        """
        called = [*names, *[""] * (len(values) - len(names))]
        pairs = [(column, " ".join(value.split())) for column, value in zip(called, values, strict=False)]
        line = "; ".join(f"{column}: {value}" if column else value for column, value in pairs if value)
        if line:
            start = self.line(line)
            self.rows.append(Row(start, self._length, name))

    def definition(self, term: str, text: str) -> None:
        """Write a term with what it means, as one thing."""
        start = self.line(f"{term}: {text}" if term and text else term or text)
        self.rows.append(Row(start, self._length))

    def read_within(self, read: Read, key: str, content: bytes) -> Document | None:
        """Read a file that this one holds, and take over its warnings; None with a warning if it cannot be read."""
        try:
            document = read(key, content)
        except BadDocument as error:
            self.warnings.append(str(error))
            return None
        self.warnings += document.warnings
        return document

    def document_within(self, document: Document, name: str = "") -> None:
        """Write a whole document, such as a chapter or an attachment: its parts are called after `name`.

        Without a name it has no parts of its own.
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
        """Yield what is written in the block is a table with this caption."""
        start = self._length + (1 if self._length else 0)
        yield
        if self._length > start:
            self.tables.append(Table(start, self._length, " ".join(caption.split())))

    def text(self) -> str:
        """Return what was written so far."""
        return self._text.getvalue()

    def document(self, title: str, labels: Labels) -> Document:
        """Return what was written, as a Document; parts after the last line begin at its end."""
        return Document(
            self.key,
            title,
            self.text(),
            tuple(self.headings),
            tuple(replace(part, start=min(part.start, self._length)) for part in self.parts),
            tuple(self.rows),
            tuple(self.tables),
            tuple(self.warnings),
            **vars(labels),
        )
