"""Puts the texts of a web page together to lines, and holds a heading back until something stands below it."""

import re

from selfrag.domain.documents import has_words
from selfrag.domain.writing import MAX_HEADING, Writer

# Of the terms of definitions that are cut into several passages: lower than any heading that HTML or Markdown has.
LEVEL = 7
_SPACE = re.compile(r"[ \t\r\n\f\xa0]+")


class Lines:
    """Writes to a document, or to a text of its own while that is collected: a cell, a term, a definition."""

    def __init__(self, writer: Writer, title: str) -> None:
        self.preformatted = 0
        self.above = (LEVEL, title)  # the level and text of the heading that counts
        self._writers = [writer]
        self._line: list[str] = []
        self._gap = ""  # what stands between the last text and the next
        self._in_heading = False
        self._held: list[tuple[int, str, bool]] = []
        self._resumed: tuple[int, str] | None = None

    @property
    def collecting(self) -> bool:
        """Return whether what comes is a part of something that is written as a whole."""
        return len(self._writers) > 1

    def add(self, text: str) -> None:
        """Write the text that stands between two tags."""
        shown = text if self.preformatted else _SPACE.sub(" ", text)
        words = shown if self.preformatted else shown.strip(" ")
        if shown[:1] == " ":
            self._gap = self._gap or " "
        if words:
            self._line += [self._gap if self._line else "", words]
            self._gap = ""
            if shown[-1:] == " ":
                self._gap = " "

    def end_block(self) -> None:
        """Begin a line; in a heading what comes is a part of that nevertheless."""
        if self._in_heading:
            self._gap = "\n"
        else:
            self.flush()

    def end_cell(self) -> None:
        """Keep apart what comes, on the same line."""
        self._gap = "\t" if self._line else ""

    def flush(self) -> None:
        """Write the line that has begun."""
        text = "".join(self._line).strip("\r\n")
        self._line, self._gap = [], ""
        if text.strip():
            self.writer().line(text)

    def writer(self) -> Writer:
        """Return where to write what is no line; the headings above it are written first."""
        if not self.collecting:
            self._write_headings()
        return self._writers[-1]

    def collect(self) -> None:
        """Begin a text of its own."""
        self.flush()
        self._writers.append(Writer(self._writers[0].key))

    def collected(self) -> str:
        """End it."""
        self.flush()
        return self._writers.pop().text()

    def begin_heading(self) -> None:
        """Begin a heading."""
        self.flush()
        self._in_heading = True

    def end_heading(self, level: int, emptied: bool) -> None:
        """It was a heading of this level; `emptied` if what stood below it was taken out."""
        self._in_heading = False
        text = "".join(self._line)
        if self.collecting or len(text) > MAX_HEADING or not has_words(text):
            self.flush()
            return
        self._line, self._gap = [], ""
        self.hold(level, " ".join(text.split()), emptied)

    def hold(self, level: int, text: str, emptied: bool = False) -> None:
        """A heading, which is written with what follows."""
        self._let_go(level)
        self._held.append((level, text, emptied))
        self.above = level, text

    def resume(self, above: tuple[int, str]) -> None:
        """Go back below an earlier heading."""
        self.flush()
        self._write_headings()
        self._resumed = self.above = above

    def end(self) -> None:
        """Nothing comes any more."""
        self.flush()
        self._let_go(0)

    def _let_go(self, level: int) -> None:
        """Nothing stands below the headings of this level and lower ones: those that were emptied are left out."""
        while self._held and self._held[-1][0] >= level:
            if not self._held[-1][2]:
                self._write_headings()
                return
            self._held.pop()

    def _write_headings(self) -> None:
        if self._resumed and not self._held:
            self._writers[0].resume(*self._resumed)
        self._resumed = None
        held, self._held = self._held, []
        for level, text, _ in held:
            self._writers[0].heading(level, text)
