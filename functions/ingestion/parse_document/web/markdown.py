"""Markdown: the text is the file's own, but tables and definitions say what they are about, and no link its address."""

import re
from dataclasses import replace
from itertools import chain
from pathlib import PurePosixPath

from ingestion.parse_document.labels import front_matter
from ingestion.parse_document.web import blocks
from ingestion.parse_document.web.columns import Budget, Cell
from ingestion.parse_document.web.furniture import refuse_navigation
from ingestion.parse_document.web.html import write_page
from ingestion.parse_document.web.lines import LEVEL
from ingestion.parse_document.web.links import without_addresses
from ingestion.parse_document.web.tables import TableWriter
from ingestion.parse_document.writing import Writer
from selfrag.domain.documents import Document, Heading
from selfrag.text.weight import CAPACITY, weigh


def read_markdown(key: str, text: str) -> Document:
    """A text as a Document; rows of tables and definitions are written anew, and links lose their addresses.

    Raises BadDocument for a list of contents alone, and for tables that are too large.
    """
    return _Markdown(key, text).read()


class _Markdown:
    def __init__(self, key: str, text: str) -> None:
        self._text = text
        self._writer = Writer(key)
        self._budget = Budget(key)
        self._title = PurePosixPath(key).name
        self._written = 0
        self._pending: list[Heading] = []  # those in the text that is not written yet
        self._above = LEVEL, self._title
        self._resumes = self._left_out = False
        self._unclosed: set[str] = set()

    def read(self) -> Document:
        at = 0
        while block := blocks.BLOCKS.search(self._text, at):
            at = self._take(block)
        self._write_up_to(len(self._text))
        names = (heading.text for heading in self._writer.headings if heading.level == 1)
        document = self._writer.document(next(names, self._title), front_matter(self._text))
        refuse_navigation(document, self._left_out)
        return document

    def _take(self, block: re.Match[str]) -> int:
        """Take in a block, and tell from where on to look for the next."""
        if heading := blocks.heading_of(block):
            self._pending.append(heading)
            self._above = heading.level, heading.text
        elif block["line"]:
            return self._take_table(block)
        elif block["terms"]:
            return self._take_definition(block)
        elif block["element"]:
            return self._take_html(block)
        elif block["contents"] is not None:
            self._leave_out(block)
        return block.end()

    def _take_table(self, block: re.Match[str]) -> int:
        names = blocks.cells_of(block["names"])
        if len(names) != len(blocks.cells_of(block["line"])):
            return block.start("line")
        end = blocks.end_of_rows(self._text, block.end())
        cells = blocks.rows_between(self._text, block.end(), end, len(names))
        caption = block["caption"] or ""
        if not caption and (below := blocks.CAPTION.match(self._text, end)):
            caption, end = below[1], below.end()
        self._write_up_to(block.start())
        writer = TableWriter(self._begun(), self._budget)
        heads = [Cell(blocks.without_markup(name), is_header=True) for name in names]
        writer.write(without_addresses(caption), chain([heads], ([Cell(text) for text in row] for row in cells)))
        return self._written_up_to(end)

    def _take_definition(self, block: re.Match[str]) -> int:
        term = ", ".join(filter(None, map(blocks.without_markup, block["terms"].splitlines())))
        meaning, end = blocks.meaning_at(self._text, block.end())
        meaning = without_addresses(meaning)
        self._write_up_to(block.start())
        writer = self._begun()
        if weigh(term + meaning) <= CAPACITY:
            writer.definition(term, meaning)
        else:
            writer.heading(LEVEL, term)
            writer.line(meaning)
            self._resumes = True
        return self._written_up_to(end)

    def _take_html(self, block: re.Match[str]) -> int:
        """A table or a list of definitions as in a web page, if it ends."""
        element = block["element"]
        end = -1 if element in self._unclosed else blocks.end_of_element(self._text, block.start(), element)
        if end < 0:
            self._unclosed.add(element)
            return block.end()
        self._write_up_to(block.start())
        write_page(self._begun(), self._text[block.start() : end])
        return self._written_up_to(end)

    def _leave_out(self, block: re.Match[str]) -> None:
        """Leave out a list of contents, and its heading if nothing else stands below that."""
        start, above = block.start(), self._pending[-1] if self._pending else None
        if above and not self._text[above.end : start].strip():
            is_alone = blocks.ends_or_rises(self._text, block.end(), above.level)
            start = self._pending.pop().start if is_alone else start
        self._write_up_to(start)
        self._written_up_to(block.end())
        self._left_out = True

    def _begun(self) -> Writer:
        """The writer, where what comes stands below the heading that counts."""
        if self._resumes:
            self._writer.resume(*self._above)
        self._resumes = False
        return self._writer

    def _write_up_to(self, end: int) -> None:
        """Write the text before a block, with the headings in it."""
        if end > self._written:
            text, headings = self._shown(end)
            if end < len(self._text):
                text = text.removesuffix("\n").removesuffix("\r")
            start = self._begun().line(text)
            self._writer.headings += [replace(one, start=start + one.start, end=start + one.end) for one in headings]
        self._pending = []
        self._written_up_to(end)

    def _shown(self, end: int) -> tuple[str, list[Heading]]:
        """The text up to there without the addresses of its links, and the headings where they stand in it."""
        shown, headings, at, length = list[str](), list[Heading](), self._written, 0
        for one in self._pending:
            shown += map(without_addresses, (self._text[at : one.start], self._text[one.start : one.end]))
            start, length, at = length + len(shown[-2]), length + len(shown[-2]) + len(shown[-1]), one.end
            headings.append(replace(one, start=start, end=length))
        return "".join([*shown, without_addresses(self._text[at:end])]), headings

    def _written_up_to(self, end: int) -> int:
        self._written = end
        return end
