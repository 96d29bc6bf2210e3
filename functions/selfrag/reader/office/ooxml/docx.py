"""The text of a Word document: of a ZIP archive of XML only the parts that are needed are unpacked."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from typing_extensions import override

from selfrag.domain.documents import Document
from selfrag.domain.writing import Writer
from selfrag.reader.archive import XmlArchive, open_archive
from selfrag.reader.equations import WithEquations
from selfrag.reader.kinds import WORD
from selfrag.reader.office.blocks import Block, Paragraph, texts
from selfrag.reader.office.charts import charts
from selfrag.reader.office.headers import PAGE_NUMBER, compared, new_lines
from selfrag.reader.office.ooxml.docx_body import Body, Notes
from selfrag.reader.office.ooxml.docx_parts import Numbering, Styles
from selfrag.reader.office.properties import properties
from selfrag.reader.office.relations import Relation, relations
from selfrag.reader.office.tables import write
from selfrag.reader.visibility import LeftOut

_BODY, _STYLES, _NUMBERING = "word/document.xml", "word/styles.xml", "word/numbering.xml"
_PROPERTIES = "docProps/core.xml"
_NOTES = {"footnotes": "word/footnotes.xml", "endnotes": "word/endnotes.xml"}


def read_docx(key: str, content: bytes) -> Document:
    """Paragraphs, rows of tables, notes and headers, with headings by style; raises BadDocument.

    A header or footer is read once, before its section, without page numbers and what the text says itself.
    """
    writer = Writer(key)
    with open_archive(key, content, WORD) as archive:
        styles, numbering = Styles(), Numbering()
        if not archive.parse_optional(_STYLES, styles):
            writer.warnings.append(f"{key} has styles that cannot be read, so its headings may be missing.")
            styles = Styles()
        if not archive.parse_optional(_NUMBERING, numbering):
            writer.warnings.append(f"{key} has lists that cannot be read, so their numbers are missing.")
            numbering = Numbering()
        left_out = LeftOut()
        notes, drawn = _notes(writer, archive, styles, left_out), charts(archive, _BODY, writer)
        body = Body(styles, numbering, notes, left_out=left_out, charts=drawn)
        archive.parse(_BODY, WithEquations(body))
        if body.comments:
            writer.warnings.append(f"{key} has comments, which are not read.")
        write(writer, _with_headers(archive, styles, body))
        writer.warnings += left_out.warnings(key)
        metadata = properties(archive, _PROPERTIES)
        highest = min(writer.headings, key=lambda heading: heading.level, default=None)
        title = highest.text if highest and highest.level <= 2 else PurePosixPath(key).name
        return writer.document(title, metadata.labels())


class _NoteTexts(Body):
    """The texts of notes by their ids."""

    notes: dict[str, str]

    def __init__(self, styles: Styles, left_out: LeftOut) -> None:
        super().__init__(styles, Numbering(), {}, left_out=left_out)
        self.notes = {}
        self._id = ""

    @override
    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name in ("footnote", "endnote"):
            self._id = attributes.get("id", "")
            self.story.blocks.clear()
        super().start(name, attributes)

    @override
    def end(self, name: str) -> None:
        super().end(name)
        if name in ("footnote", "endnote"):
            self.notes[self._id] = " ".join(" ".join(texts(self.story.blocks)).split())


def _notes(writer: Writer, archive: XmlArchive, styles: Styles, left_out: LeftOut) -> Notes:
    texts: dict[str, dict[str, str]] = {}
    for kind, name in _NOTES.items():
        reader = _NoteTexts(styles, left_out)
        if not archive.parse_optional(name, WithEquations(reader)):
            writer.warnings.append(f"{writer.key} has {kind} that cannot be read; they are missing.")
        texts[kind] = reader.notes
    return texts


def _with_headers(archive: XmlArchive, styles: Styles, body: Body) -> list[Block]:
    """Return the blocks of the body, and before those of a section what its headers and footers say beside."""
    related = relations(archive, _BODY)
    if not any(section.headers for section in body.sections):
        return body.story.blocks
    seen = set(map(compared, texts(body.story.blocks)))
    blocks, upto = list[Block](), 0
    for section, following in zip(body.sections, [*body.sections[1:], None], strict=True):
        headers = _header_lines(archive, styles, related, section.headers, body.story.left_out)
        blocks += [Paragraph(line) for line in new_lines(headers, seen)]
        ends = following.begins if following else len(body.story.blocks)
        blocks += body.story.blocks[upto:ends]
        upto = ends
    return blocks


def _header_lines(
    archive: XmlArchive, styles: Styles, related: Mapping[str, Relation], headers: Sequence[str], left_out: LeftOut
) -> Iterator[str]:
    for part in dict.fromkeys(related[name].part for name in headers if name in related):
        reader = Body(styles, Numbering(), {}, PAGE_NUMBER, left_out)
        archive.parse(part, reader)
        yield from texts(reader.story.blocks)
