"""Word documents; only the needed parts of the archive are unpacked."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import PurePosixPath

from selfrag.domain.documents import Document
from selfrag.domain.writing import Read, Writer
from selfrag.reader.archive import ElementDepth, XmlArchive, open_archive, switched_on
from selfrag.reader.equations import EquationFilter, EquationReader
from selfrag.reader.kinds import WORD
from selfrag.reader.office.blocks import Block, Cell, Grid, GridRow, Paragraph, RunLook, texts
from selfrag.reader.office.charts import charts
from selfrag.reader.office.headers import PAGE_NUMBER, new_lines, normalize
from selfrag.reader.office.numbering import numeral, parse_whole
from selfrag.reader.office.ooxml.docx_parts import RUN_PROPERTIES, Numbering, Styles, shading, take_property
from selfrag.reader.office.properties import properties
from selfrag.reader.office.relations import relations
from selfrag.reader.office.story import Story
from selfrag.reader.office.tables import write
from selfrag.reader.visibility import UNCERTAIN, WHITE, LeftOut

# Invisible or duplicate: properties, phonetic readings, deletions, moved text, fallbacks of text boxes.
_SKIPPED = frozenset({"pPrChange", "rPrChange", "tblGrid", "tabs", "del", "moveFrom", "Fallback", "rt"})
_MARKS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
Notes = Mapping[str, dict[str, str]]
PartsOf = Callable[[str], dict[str, list[Block]]]
_NOTES = {"footnoteReference": ("footnotes", "decimal"), "endnoteReference": ("endnotes", "lowerRoman")}
_PAGE_NUMBERS = ("PAGE", "NUMPAGES", "SECTIONPAGES")
_MAX_INSTRUCTION, _MAX_FORM_DATA = 100, 100
_FORM_DATA = ("checkBox", "default", "checked", "result", "listEntry")
_CODE = re.compile(r"[0-9A-Fa-f]{2,4}")
_ANSWERED = "\x03"  # placeholder for a form field's value; XML cannot contain this character
_BODY = "word/document.xml"
_OF_NO_KIND = ("", ".bin", ".dat", ".xht", ".xhtml")  # endings that programs give to a page or a Word document
_FIRST_ROW = 0x20  # bit of a table's look: first row is formatted as a header


class Body(EquationReader):
    """Builds a story from a part; `notes` maps kinds and ids to note texts.

    `page_number` replaces page numbers. `parts` returns a part's charts and imported files by id.
    """

    def __init__(
        self,
        styles: Styles,
        numbering: Numbering,
        notes: Notes,
        parts: PartsOf,
        page_number: str = "",
        left_out: LeftOut | None = None,
        part: str = _BODY,
    ) -> None:
        self.story = Story(left_out)
        self.sections: list[DocxSection] = [DocxSection(0)]
        self.comments = 0
        self._styles, self._numbering, self._notes = styles, numbering, notes
        self._counted = dict.fromkeys(_NOTES, 0)
        self.parts, self._parts = parts, parts(part)
        self._fields = Fields(page_number)
        self._depth = ElementDepth()
        self._prompt = 0  # depth of an unfilled content control (sdt), which shows a prompt
        self._in_text = self._bold = self._in_run = self._in_paragraph_look = self._goes_on = False
        self._run, self._run_style = RunLook(), ""
        self._look: RunLook | None = None  # of the run with its styles, set at its first text
        self._fills = [""]  # background colors of the page and open tables and cells
        self._looks: list[DocxLook] = [DocxLook()]
        self._table_style = ""
        self._starts = self._beginnings()
        self._ends: dict[str, Callable[[], object]] = {
            "p": self._end_paragraph,
            "r": lambda: setattr(self, "_in_run", False),
            "pPr": lambda: setattr(self, "_in_paragraph_look", False),
            "tc": self._end_cell,
            "tr": self.story.end_row,
            "tbl": self._end_table,
            "txbxContent": lambda: self._fills.pop(),
            "sectPr": lambda: setattr(self._looks[-1], "ends_section", True),
            "t": lambda: setattr(self, "_in_text", False),
            "ffData": lambda: self.story.add(self._fields.read_form_value(), self._bold),
        }

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth.enter()
        if self._depth.is_skipping or name in _SKIPPED:
            self._depth.skip()
        elif name in _MARKS:
            self._add(_MARKS[name])
        elif name in self._starts:
            self._starts[name](attributes)
        elif self._in_run and name in RUN_PROPERTIES:
            take_property(self._run, name, attributes)
        else:
            self._fields.start(name, attributes)

    def end(self, name: str) -> None:
        if self._depth.leave():
            return
        if self._depth.depth < self._prompt:
            self._prompt = 0
        if name in self._ends:
            self._ends[name]()
        else:
            self._fields.end(name)

    def text(self, text: str) -> None:
        if self._in_text and not self._depth.is_skipping:
            self._add(text)
        else:
            self._fields.text(text)

    def equation(self, text: str) -> None:
        """Take in an equation as text."""
        if not self._depth.is_skipping:
            self.story.add(text)

    def _beginnings(self) -> dict[str, Callable[[dict[str, str]], None]]:
        story, depth = self.story, self._depth
        return {
            "p": self._begin_paragraph,
            "pStyle": self._take_style,
            "numId": lambda attributes: setattr(self._looks[-1], "list", attributes.get("val", "")),
            "ilvl": lambda attributes: setattr(
                self._looks[-1], "list_level", min(parse_whole(attributes.get("val", "")), 8)
            ),
            "r": lambda _: self._begin_run(),
            "b": lambda attributes: setattr(self, "_bold", switched_on(attributes)),
            "rStyle": lambda attributes: setattr(self, "_run_style", attributes.get("val", "")),
            "pPr": lambda _: setattr(self, "_in_paragraph_look", True),
            "framePr": lambda attributes: setattr(self._looks[-1], "drop_cap", attributes.get("dropCap", "none")),
            "shd": self._shade,
            **dict.fromkeys(("background", "txbxContent"), lambda _: self._fills.append(UNCERTAIN)),
            "t": lambda _: setattr(self, "_in_text", True),
            "tbl": self._begin_table,
            "tblStyle": self._take_table_style,
            "tblLook": self._look_at_table,
            "tr": lambda _: story.begin_row(),
            "tblHeader": lambda attributes: setattr(story.find_innermost(GridRow), "header", switched_on(attributes)),
            "tc": lambda _: self._begin_cell(),
            "gridSpan": lambda attributes: setattr(
                story.find_innermost(Cell), "columns", parse_whole(attributes.get("val", ""))
            ),
            "vMerge": lambda attributes: setattr(story.find_innermost(Cell), "on", attributes.get("val") != "restart"),
            **dict.fromkeys(("drawing", "pict"), lambda _: story.picture()),
            **dict.fromkeys(("chart", "altChunk"), self._take_part),
            "sym": self._take_sign,
            "showingPlcHdr": lambda on: setattr(self, "_prompt", self._prompt or switched_on(on) * (depth.depth - 2)),
            **{name: partial(self._refer, name) for name in _NOTES},
            "commentReference": lambda _: setattr(self, "comments", self.comments + 1),
            **dict.fromkeys(("headerReference", "footerReference"), self._take_header),
        }

    def _add(self, text: str, font: str | None = None) -> None:
        if self._prompt:
            return
        if self._look is None:
            self._look = self._run.inherit(self._styles.run_look(self._looks[-1].style, self._run_style))
        behind = next(filter(None, (self._looks[-1].fill, *reversed(self._fills))), WHITE)
        look = self._look if font is None else replace(self._look, font=font)
        self.story.add_run(self._fields.display(text), look, behind, self._bold)

    def _take_sign(self, attributes: dict[str, str]) -> None:
        code = attributes.get("char", "")
        sign = chr(int(code, 16)) if _CODE.fullmatch(code) else ""
        if sign.isprintable() or "\ue000" <= sign <= "\uf8ff":
            self._add(sign, attributes.get("font", ""))

    def _take_part(self, attributes: dict[str, str]) -> None:
        self.story.take_in(self._parts.pop(attributes.get("r:id", ""), ()))

    def _begin_run(self) -> None:
        self._bold, self._in_run = False, True
        self._run, self._run_style, self._look = RunLook(), "", None

    def _shade(self, attributes: dict[str, str]) -> None:
        """Take in the colour behind a run, a paragraph, a cell or a table."""
        if self._in_run:
            take_property(self._run, "shd", attributes)
        elif self._in_paragraph_look:
            self._looks[-1].fill = shading(attributes)
        else:
            self._fills[-1] = shading(attributes) or self._fills[-1]

    def _begin_cell(self) -> None:
        self._fills.append("")
        self.story.begin_cell()

    def _end_cell(self) -> None:
        self._fills.pop()
        self.story.end_cell()

    def _end_table(self) -> None:
        self._fills.pop()
        self.story.end_table()

    def _take_table_style(self, attributes: dict[str, str]) -> None:
        self._table_style = attributes.get("val", "")
        if self._styles.is_shaded(self._table_style):
            self._fills[-1] = UNCERTAIN

    def _begin_paragraph(self, _: dict[str, str]) -> None:
        if not self._goes_on:
            self.story.begin_paragraph()
        self._goes_on = False
        self._looks.append(DocxLook())

    def _take_style(self, attributes: dict[str, str]) -> None:
        look = self._looks[-1]
        look.style = attributes.get("val", "")
        look.list, look.list_level = self._styles.list_of(look.style)

    def _begin_table(self, _: dict[str, str]) -> None:
        self._table_style = ""
        self._fills.append("")
        self.story.begin_table()

    def _look_at_table(self, attributes: dict[str, str]) -> None:
        """Read a table's look flags; they are Word's default, so only the style makes a header certain."""
        styled = self._styles.sets_off_first_row(self._table_style) or None
        grid = self.story.find_innermost(Grid)
        grid.first, grid.likely = styled if stands_out(attributes) else False, True

    def _end_paragraph(self) -> None:
        look, styles = self._looks.pop(), self._styles
        if styles.lists_contents(look.style):
            self.story.drop_paragraph()
        elif look.drop_cap != "none":
            self._goes_on = True  # The next paragraph continues this one.
        else:
            label = self._numbering.label(look.list, look.list_level) if self.story.says else ""
            self.story.end_paragraph(styles.level(look.style), styles.is_caption(look.style), label)
        if look.ends_section:
            self.sections.append(DocxSection(len(self.story.blocks)))

    def _take_header(self, attributes: dict[str, str]) -> None:
        self.sections[-1].headers.append(attributes.get("r:id", ""))

    def _refer(self, name: str, attributes: dict[str, str]) -> None:
        """Refer to a note; the first reference includes its text."""
        kind, written = _NOTES[name]
        self._counted[name] += 1
        note = self._notes.get(kind, {}).pop(attributes.get("id", ""), "")
        self.story.refer(numeral(self._counted[name], written), note)


class Fields:
    """Tracks open fields; `page_number` replaces displayed page numbers."""

    def __init__(self, page_number: str) -> None:
        self._page_number = page_number
        self._open: list[str] = []  # instructions of the open fields
        self._in_instruction = False
        self._form: list[tuple[str, str]] = []  # data of the open form field

    def start(self, name: str, attributes: dict[str, str]) -> None:
        kind = attributes.get("fldCharType", "")
        if name == "fldSimple":
            self._open.append(attributes.get("instr", "")[:_MAX_INSTRUCTION])
        elif kind == "begin":
            self._open.append("")
        elif kind == "end" and self._open:
            self._open.pop()
        elif name == "ffData":
            self._form.clear()
        elif name in _FORM_DATA and len(self._form) < _MAX_FORM_DATA:
            self._form.append((name, attributes.get("val", "1")))
        self._in_instruction = name == "instrText"

    def end(self, name: str) -> None:
        self._in_instruction = False
        if name == "fldSimple" and self._open:
            self._open.pop()

    def text(self, text: str) -> None:
        """Collect field instructions."""
        if self._in_instruction and self._open:
            self._open[-1] = (self._open[-1] + text)[:_MAX_INSTRUCTION]

    def read_form_value(self) -> str:
        """Return the state of a check box or the choice of a drop-down list."""
        form, options = dict(self._form), [option for name, option in self._form if name == "listEntry"]
        if self._open and ("checkBox" in form or options):
            self._open[-1] = f"{_ANSWERED} "
        value = form.get("checked") or form.get("result") or form.get("default", "0")
        box = "[x]" if switched_on({"val": value}) else "[ ]"
        return box if "checkBox" in form else "".join(options[parse_whole(value) :][:1])

    def display(self, text: str) -> str:
        """Return the displayed form of a text inside fields."""
        instruction = self._open[-1].split() if self._open else []
        kind = instruction[0].upper() if instruction else ""
        return self._page_number if kind in _PAGE_NUMBERS else "" if kind == _ANSWERED else text


@dataclass
class DocxSection:
    """The start of a section among the blocks, and the relation ids of its headers and footers."""

    begins: int
    headers: list[str] = field(default_factory=list)


@dataclass
class DocxLook:
    """The look of a paragraph."""

    style: str = ""
    fill: str = ""  # background color
    list: str = ""
    list_level: int = 0
    ends_section: bool = False
    drop_cap: str = "none"


def stands_out(look: Mapping[str, str]) -> bool:
    """Return whether a table's look formats the first row as a header."""
    first_row = look.get("firstRow", "")
    if first_row:
        return first_row not in ("0", "false", "off")
    bits = look.get("val", "")
    return not bits or len(bits) > 4 or bool(int(bits, 16) & _FIRST_ROW)


_STYLES, _NUMBERING = "word/styles.xml", "word/numbering.xml"
_PROPERTIES = "docProps/core.xml"
_NOTE_PARTS = {"footnotes": "word/footnotes.xml", "endnotes": "word/endnotes.xml"}


def read_docx(key: str, content: bytes, read: Read) -> Document:
    """Read a Word document; headings come from styles. Raises BadDocument.

    Headers and footers are read once, before their section, without page numbers or text of the body. `read` parses
    imported files.
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
        parts = partial(_read_parts, archive, writer, read)
        notes = _notes(writer, archive, styles, left_out, parts)
        body = Body(styles, numbering, notes, parts, left_out=left_out)
        archive.parse(_BODY, EquationFilter(body))
        if body.comments:
            writer.warnings.append(f"{key} has comments, which are not read.")
        write(writer, _insert_headers(archive, styles, body))
        writer.warnings += left_out.warnings(key)
        metadata = properties(archive, _PROPERTIES)
        highest = min(writer.headings, key=lambda heading: heading.level, default=None)
        title = highest.text if highest and highest.level <= 2 else PurePosixPath(key).name
        return writer.document(title, metadata.labels())


class _NoteTexts(Body):
    """The texts of notes by their ids."""

    notes: dict[str, str]

    def __init__(self, styles: Styles, left_out: LeftOut, parts: PartsOf, part: str) -> None:
        super().__init__(styles, Numbering(), {}, parts, left_out=left_out, part=part)
        self.notes = {}
        self._id = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name in ("footnote", "endnote"):
            self._id = attributes.get("id", "")
            self.story.blocks.clear()
        super().start(name, attributes)

    def end(self, name: str) -> None:
        super().end(name)
        if name in ("footnote", "endnote"):
            self.notes[self._id] = " ".join(" ".join(texts(self.story.blocks)).split())


def _notes(writer: Writer, archive: XmlArchive, styles: Styles, left_out: LeftOut, parts: PartsOf) -> Notes:
    texts: dict[str, dict[str, str]] = {}
    for kind, name in _NOTE_PARTS.items():
        reader = _NoteTexts(styles, left_out, parts, name)
        if not archive.parse_optional(name, EquationFilter(reader)):
            writer.warnings.append(f"{writer.key} has {kind} that cannot be read; they are missing.")
        texts[kind] = reader.notes
    return texts


def _read_parts(archive: XmlArchive, writer: Writer, read: Read, part: str) -> dict[str, list[Block]]:
    parts = {name: list[Block](map(Paragraph, lines)) for name, lines in charts(archive, part, writer).items()}
    for name, relation in relations(archive, part).items():
        if relation.kind == "aFChunk":
            path, content = PurePosixPath(relation.part), archive.read_part(relation.part)
            kind = (".html", ".docx")[content.startswith(b"PK")] if path.suffix.lower() in _OF_NO_KIND else ""
            document = writer.read_within(read, f"{writer.key} part {path.name}{kind}", content)
            parts[name] = [document] if document else []
    return parts


def _insert_headers(archive: XmlArchive, styles: Styles, body: Body) -> list[Block]:
    """Return the body's blocks with new text of headers and footers before each section."""
    related = relations(archive, _BODY)
    if not any(section.headers for section in body.sections):
        return body.story.blocks
    seen = set(map(normalize, texts(body.story.blocks)))
    blocks, upto = list[Block](), 0
    for section, following in zip(body.sections, [*body.sections[1:], None], strict=True):
        for part in dict.fromkeys(related[name].part for name in section.headers if name in related):
            reader = Body(styles, Numbering(), {}, body.parts, PAGE_NUMBER, body.story.left_out, part)
            archive.parse(part, reader)
            blocks += [Paragraph(line) for line in new_lines(texts(reader.story.blocks), seen)]
        ends = following.begins if following else len(body.story.blocks)
        blocks += body.story.blocks[upto:ends]
        upto = ends
    return blocks
