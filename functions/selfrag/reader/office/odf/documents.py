"""The text of an OpenDocument text or presentation."""

import re

from selfrag.domain.documents import Document
from selfrag.domain.errors import BadDocument
from selfrag.domain.kinds import ending_of
from selfrag.domain.writing import Writer
from selfrag.reader.archive import SkippingReader, XmlArchive, open_archive
from selfrag.reader.kinds import ODP, ODT
from selfrag.reader.office.blocks import Cell, Grid, GridRow, Paragraph, RunLook, Slide, texts
from selfrag.reader.office.charts import read_object
from selfrag.reader.office.headers import PAGE_NUMBER, new_lines, normalize
from selfrag.reader.office.numbering import MAX_LEVELS, Counters, numeral, parse_whole
from selfrag.reader.office.odf.styles import OdfStyles
from selfrag.reader.office.ooxml.pptx import hidden_slides
from selfrag.reader.office.properties import properties
from selfrag.reader.office.story import Story
from selfrag.reader.office.tables import write
from selfrag.reader.visibility import UNCERTAIN, LeftOut
from selfrag.reader.web.furniture import names

_SPACE = re.compile(r"[ \t\r\n]+")
_MAX_SPACES = 100
NOTES = "Notes:"
_OUTLINE = ""
_BACKGROUNDS = frozenset({"table", "table-cell", "text-box", "custom-shape", "page"})


class OdfContent(SkippingReader):
    """Builds a story from content.xml; `hidden` lists hidden slides. `page_number` replaces page numbers."""

    def __init__(self, archive: XmlArchive, styles: OdfStyles, left_out: LeftOut, page_number: str = "") -> None:
        self._archive = archive
        self.story = Story(left_out)
        self.hidden: list[int] = []
        self._slides = 0
        self._styles, self._page_number = styles, page_number
        self._lists = OdfLists(styles)
        self._heads: list[bool] = []  # open tables: whether their rows are headers
        self._styling = self._in_notes = False
        self._title = 0  # the depth of the frame that holds a slide's title; 0 if none does
        self._paragraphs: list[tuple[str, int]] = []  # the style and the level of each that is open
        self._bold: list[bool] = []
        self._looks: list[RunLook] = [RunLook()]  # open paragraphs and spans
        self._fills: list[str] = []  # background colors of the page and open tables, cells and boxes
        self._stories: list[tuple[Story, str]] = []  # paragraphs that continue after a note, and its mark
        self._counted = {"footnote": 0, "endnote": 0}

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        if self._styling:
            self._styles.start(name, attributes)
        elif self._is_left_out(name, attributes):
            self.skip()
        else:
            if name in ("table", "table-cell"):
                self._fills.append(self._styles.look(name, attributes.get("style-name", "")).fill or "")
            elif name in _BACKGROUNDS:  # uncertain in boxes and on slides
                self._fills.append(UNCERTAIN)
            self._start(name, attributes)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        style = attributes.get("style-name", "")
        match name:
            case "automatic-styles" | "styles":
                self._styling = True
            case "p":
                self._begin_paragraph(attributes, 0)
            case "h":
                self._begin_paragraph(attributes, max(1, parse_whole(attributes.get("outline-level", ""))) + 1)
            case "span":
                self._bold.append(self._styles.is_bold("text", style))
                self._looks.append(self._styles.look("text", style).inherit(self._looks[-1]))
            case "s":
                self.story.add(" " * min(parse_whole(attributes.get("c", "") or "1"), _MAX_SPACES))
            case "tab":
                self.story.add("\t")
            case "line-break":
                self.story.add("\n")
            case "image":
                self.story.picture()
            case "object":
                embedded = read_object(self._archive, attributes)
                self.story.add(embedded.equation.result if embedded.equation else "")
                self.story.take_in(map(Paragraph, embedded.lines()))
            case "note":
                kind = "endnote" if attributes.get("note-class") == "endnote" else "footnote"
                self._counted[kind] += 1
                mark = numeral(self._counted[kind], "i" if kind == "endnote" else "1")
                self._stories.append((self.story, mark))
            case "note-body":
                self.story = Story(self.story.left_out)
            case "list":
                self._lists.begin_list(attributes)
            case "list-item":
                self._lists.begin_item()
            case "table":
                self._heads.append(False)
                self.story.begin(Grid())
            case "table-header-rows":
                self._heads[-1:] = [True] if self._heads else []
            case "table-row":
                self.story.begin(GridRow(header=any(self._heads[-1:])))
            case "table-cell":
                spans = ("number-columns-spanned", "number-columns-repeated")
                wide = max(parse_whole(attributes.get(name, "")) for name in spans)
                tall = max(1, parse_whole(attributes.get("number-rows-spanned", "")))
                self.story.begin(Cell(columns=wide, rows=tall))
            case "page":
                self._slides += 1
                if self._styles.hides_slide(style):
                    self.hidden.append(self._slides)
                    self.skip()
                else:
                    self.story.take_in([Slide(self._slides)])
            case "notes":
                self._in_notes = True

    def finish(self, name: str) -> None:
        if name in ("automatic-styles", "styles"):
            self._styling = False
        elif not self._styling:
            if name in _BACKGROUNDS:
                self._fills.pop()
            self._end(name)
        if self.depth < self._title:
            self._title = 0

    def _end(self, name: str) -> None:
        match name:
            case "p" | "h":
                style, level = self._paragraphs.pop()
                self._end_span()
                label = NOTES if self._in_notes else self._lists.label() if self.story.says else ""
                self.story.end_paragraph(level, self._styles.is_caption(style), label)
            case "span":
                self._end_span()
            case "list":
                self._lists.end_list()
            case "note-body" if self._stories:
                note = " ".join(" ".join(texts(self.story.blocks)).split())
                self.story, mark = self._stories.pop()
                self.story.refer(mark, note)
            case "notes":
                self._in_notes = False
            case "table-header-rows":
                self._heads[-1:] = [False] if self._heads else []
            case "table" | "table-row" | "table-cell":
                if name == "table":
                    self._heads.pop()
                self.story.end()

    def text(self, text: str) -> None:
        if not self.skipped and not self._styling:
            behind = next(filter(None, reversed(self._fills)), self._styles.page)
            self.story.add_run(_SPACE.sub(" ", text), self._looks[-1], behind, any(self._bold))

    def _is_left_out(self, name: str, attributes: dict[str, str]) -> bool:
        """Return whether an element is not shown, or furniture of slides; the frames of titles are noted by the way."""
        kind = attributes.get("class", "")
        left_out = attributes.get("display") == "none" or kind in _FURNITURE or name in _SKIPPED or name in PAGE_NUMBERS
        if name in PAGE_NUMBERS:
            self.story.add(self._page_number)
        elif kind == "title" and not left_out:
            self._title = self.depth
        elif kind == "subtitle" and isinstance(last := next(reversed(self.story.blocks), None), Paragraph):
            last.level = min(last.level, 1)  # the slide is the title of the presentation
        return left_out

    def _end_span(self) -> None:
        self._bold.pop()
        self._looks.pop()

    def _begin_paragraph(self, attributes: dict[str, str], level: int) -> None:
        style = attributes.get("style-name", "")
        level = 1 if self._styles.is_title(style) else level or (2 if self._title else 0)
        self._paragraphs.append((style, level))
        self.story.begin_paragraph()
        self._bold.append(self._styles.is_bold("paragraph", style))
        self._looks.append(self._styles.look("paragraph", style))
        if level > 1 and not self._title and attributes.get("is-list-header") != "true":
            self._lists.count_heading(level - 2)


# Invisible, duplicate or page furniture: tracked changes, comments, tables of contents, phonetic readings.
_SKIPPED = names(
    "tracked-changes annotation table-of-content illustration-index table-index object-index user-index forms desc "
    "alphabetical-index sequence-decls note-citation ruby-text event-listeners settings date-time-decl hidden-text "
    "hidden-paragraph covered-table-cell footer-decl header-decl binary-data svg:title"
)
PAGE_NUMBERS = frozenset({"page-number", "page-count", "slide-number"})
_FURNITURE = frozenset({"header", "footer", "date-time", "page-number", "page"})


class OdfLists:
    """Tracks open lists and returns each item's number once."""

    def __init__(self, styles: OdfStyles) -> None:
        self._styles = styles
        self._open: list[str] = []  # the style of each
        self._begun = 0
        self._counters = Counters()
        self._label = ""

    def begin_list(self, attributes: dict[str, str]) -> None:
        """Start a list; a nested one without a style shares its parent's."""
        style = attributes.get("style-name", "") or (self._open[-1] if self._open else "")
        goes_on = attributes.get("continue-numbering") == "true" or attributes.get("continue-list", "")
        self._begun += not self._open and not goes_on
        self._open.append(style)

    def end_list(self) -> None:
        self._open.pop()

    def begin_item(self) -> None:
        if self._open:
            self._label = self._counted(self._open[-1], f"{self._begun}", len(self._open) - 1)

    def count_heading(self, level: int) -> None:
        """Count a heading by outline level (0 is the highest); headings in list items are counted there."""
        if not self._label:
            self._label = self._counted(_OUTLINE, _OUTLINE, level)

    def label(self) -> str:
        """Return the number of the latest item or heading, "" if already returned."""
        label, self._label = self._label, ""
        return label

    def _counted(self, style: str, name: str, level: int) -> str:
        level = min(level, MAX_LEVELS - 1)
        return self._styles.label(style, self._counters.next(name, level, self._styles.starts(style)))


_CONTENT, _STYLES, _PROPERTIES, _MANIFEST = "content.xml", "styles.xml", "meta.xml", "META-INF/manifest.xml"


def read_odf(key: str, content: bytes) -> Document:
    """Read paragraphs, rows of tables, notes and headers, with the text's headings; raises BadDocument.

    A presentation is read slide by slide, as one of PowerPoint is.
    """
    kind = ODP if ending_of(key) == ".odp" else ODT
    writer = Writer(key)
    with open_archive(key, content, kind) as archive:
        if any(name == "encryption-data" for name, _ in archive.elements(_MANIFEST)):
            raise BadDocument(f"{key} is encrypted; save it without a password.")
        styles = OdfStyles()
        left_out = LeftOut()
        headers = OdfContent(archive, styles, left_out, PAGE_NUMBER)
        if not archive.parse_optional(_STYLES, headers):
            writer.warnings.append(f"{key} has styles that cannot be read, so its headings may be missing.")
        body = OdfContent(archive, styles, left_out)
        archive.parse(_CONTENT, body)
        blocks = body.story.blocks
        lines = texts(headers.story.blocks if kind == ODT else ())
        write(writer, [*map(Paragraph, new_lines(lines, set(map(normalize, texts(blocks))))), *blocks])
        writer.warnings += left_out.warnings(key)
        if body.hidden:
            writer.warnings.append(hidden_slides(key, body.hidden))
        metadata = properties(archive, _PROPERTIES)
        first = next((heading.text for heading in writer.headings if heading.level <= 2), "")
        title = next((heading.text for heading in writer.headings if heading.level == 1), first)
        return writer.document(title, metadata.labels())
