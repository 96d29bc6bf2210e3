"""Word documents; only the needed parts of the archive are unpacked."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import PurePosixPath

from selfrag.domain.documents import Document
from selfrag.domain.writing import Read, Writer
from selfrag.reader.archive import SkippingReader, XmlArchive, open_archive, switched_on
from selfrag.reader.equations import EquationFilter
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
Parts = dict[str, list[Block]]
_NOTES = {"footnoteReference": ("footnotes", "decimal"), "endnoteReference": ("endnotes", "lowerRoman")}
_PAGE_NUMBERS = ("PAGE", "NUMPAGES", "SECTIONPAGES")
_MAX_INSTRUCTION, _MAX_FORM_DATA = 100, 100
_FORM_DATA = ("checkBox", "default", "checked", "result", "listEntry")
_CODE = re.compile(r"[0-9A-Fa-f]{2,4}")
_ANSWERED = "\x03"  # placeholder for a form field's value; XML cannot contain this character
_BODY = "word/document.xml"
_OF_NO_KIND = ("", ".bin", ".dat", ".xht", ".xhtml")  # endings that programs give to a page or a Word document
_FIRST_ROW = 0x20  # bit of a table's look: first row is formatted as a header


class Body(SkippingReader):
    """Builds a story from a part; `notes` maps kinds and ids to note texts.

    `page_number` replaces page numbers. `parts` are the part's charts and imported files by id.
    """

    def __init__(
        self, styles: Styles, numbering: Numbering, notes: Notes, parts: Parts, left_out: LeftOut, page_number: str = ""
    ) -> None:
        self.story = Story(left_out)
        # For each section, the index of its first block, and the relation ids of its headers and footers.
        self.sections: list[tuple[int, list[str]]] = [(0, [])]
        self.comments = 0
        self.note_texts: dict[str, str] = {}  # of a part of notes, by id
        self._note = ("", 0)  # id of the open note, and its first block
        self._styles, self._numbering, self._notes, self._parts = styles, numbering, notes, parts
        self._counted = dict.fromkeys(_NOTES, 0)
        self._fields = Fields(page_number)
        self._prompt = 0  # depth of an unfilled content control (sdt), which shows a prompt
        self._in_text = self._bold = self._in_run = self._in_paragraph_look = self._goes_on = False
        self._run, self._run_style = RunLook(), ""
        self._look: RunLook | None = None  # of the run with its styles, set at its first text
        self._fills = [""]  # background colors of the page and open tables and cells
        self._looks: list[DocxLook] = [DocxLook()]
        self._table_style = ""

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        if name in _SKIPPED:
            self.skip()
        elif name in _MARKS:
            self._add(_MARKS[name])
        elif self._in_run and name in RUN_PROPERTIES:
            take_property(self._run, name, attributes)
        else:
            self._start_text(name, attributes)

    def _start_text(self, name: str, attributes: dict[str, str]) -> None:
        value, look = attributes.get("val", ""), self._looks[-1]
        match name:
            case "p":
                if not self._goes_on:
                    self.story.begin_paragraph()
                self._goes_on = False
                self._looks.append(DocxLook())
            case "pPr":
                self._in_paragraph_look = True
            case "pStyle":
                look.style = value
                look.list, look.list_level = self._styles.list_of(value)
            case "numId":
                look.list = value
            case "ilvl":
                look.list_level = min(parse_whole(value), 8)
            case "framePr":
                look.drop_cap = attributes.get("dropCap", "none")
            case "r":
                self._bold, self._in_run = False, True
                self._run, self._run_style, self._look = RunLook(), "", None
            case "rStyle":
                self._run_style = value
            case "b":
                self._bold = switched_on(attributes)
            case "t":
                self._in_text = True
            case "sym":
                code = attributes.get("char", "")
                sign = chr(int(code, 16)) if _CODE.fullmatch(code) else ""
                if sign.isprintable() or "\ue000" <= sign <= "\uf8ff":
                    self._add(sign, attributes.get("font", ""))
            case "showingPlcHdr":
                self._prompt = self._prompt or switched_on(attributes) * (self.depth - 2)
            case "footnoteReference" | "endnoteReference":
                kind, written = _NOTES[name]
                self._counted[name] += 1
                # The first reference includes the note's text.
                note = self._notes.get(kind, {}).pop(attributes.get("id", ""), "")
                self.story.refer(numeral(self._counted[name], written), note)
            case "footnote" | "endnote":
                self._note = attributes.get("id", ""), len(self.story.blocks)
            case "commentReference":
                self.comments += 1
            case "headerReference" | "footerReference":
                self.sections[-1][1].append(attributes.get("r:id", ""))
            case "drawing" | "pict":
                self.story.picture()
            case "chart" | "altChunk":
                self.story.take_in(self._parts.pop(attributes.get("r:id", ""), ()))
            case _:
                self._start_table(name, attributes)

    def _start_table(self, name: str, attributes: dict[str, str]) -> None:
        story, value = self.story, attributes.get("val", "")
        match name:
            case "shd":  # the color behind a run, a paragraph, a cell or a table
                if self._in_run:
                    take_property(self._run, "shd", attributes)
                elif self._in_paragraph_look:
                    self._looks[-1].fill = shading(attributes)
                else:
                    self._fills[-1] = shading(attributes) or self._fills[-1]
            case "background" | "txbxContent":
                self._fills.append(UNCERTAIN)
            case "tbl":
                self._table_style = ""
                self._fills.append("")
                story.begin(Grid())
            case "tblStyle":
                self._table_style = value
                if self._styles.is_shaded(value):
                    self._fills[-1] = UNCERTAIN
            case "tblLook":  # Word's default, so only the style makes a header certain
                styled = self._styles.sets_off_first_row(self._table_style) or None
                grid = story.find_innermost(Grid)
                grid.first, grid.likely = styled if stands_out(attributes) else False, True
            case "tr":
                story.begin(GridRow())
            case "tblHeader":
                story.find_innermost(GridRow).header = switched_on(attributes)
            case "tc":
                self._fills.append("")
                story.begin(Cell())
            case "gridSpan":
                story.find_innermost(Cell).columns = parse_whole(value)
            case "vMerge":
                story.find_innermost(Cell).on = value != "restart"
            case _:
                self._fields.start(name, attributes)

    def finish(self, name: str) -> None:
        if self.depth < self._prompt:
            self._prompt = 0
        if name in ("tc", "tbl", "txbxContent"):
            self._fills.pop()
        match name:
            case "p":
                look, styles = self._looks.pop(), self._styles
                if styles.lists_contents(look.style):
                    self.story.drop_paragraph()
                elif look.drop_cap != "none":
                    self._goes_on = True  # The next paragraph continues this one.
                else:
                    label = self._numbering.label(look.list, look.list_level) if self.story.says else ""
                    self.story.end_paragraph(styles.level(look.style), styles.is_caption(look.style), label)
                if look.ends_section:
                    self.sections.append((len(self.story.blocks), []))
            case "r":
                self._in_run = False
            case "pPr":
                self._in_paragraph_look = False
            case "t":
                self._in_text = False
            case "tc" | "tr" | "tbl":
                self.story.end()
            case "footnote" | "endnote":
                note, start = self._note
                self.note_texts[note] = " ".join(" ".join(texts(self.story.blocks[start:])).split())
            case "sectPr":
                self._looks[-1].ends_section = True
            case "ffData":
                self.story.add(self._fields.read_form_value(), self._bold)
            case _:
                self._fields.end(name)

    def text(self, text: str) -> None:
        if self._in_text and not self.skipped:
            self._add(text)
        else:
            self._fields.text(text)

    def equation_text(self, text: str) -> None:
        if not self.skipped:
            self.story.add(text)

    def _add(self, text: str, font: str | None = None) -> None:
        if self._prompt:
            return
        if self._look is None:
            self._look = self._run.inherit(self._styles.run_look(self._looks[-1].style, self._run_style))
        behind = next(filter(None, (self._looks[-1].fill, *reversed(self._fills))), WHITE)
        look = self._look if font is None else replace(self._look, font=font)
        self.story.add_run(self._fields.display(text), look, behind, self._bold)


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
        notes: dict[str, dict[str, str]] = {}
        for kind, name in _NOTE_PARTS.items():
            reader = Body(styles, Numbering(), {}, parts(name), left_out)
            if not archive.parse_optional(name, EquationFilter(reader)):
                writer.warnings.append(f"{key} has {kind} that cannot be read; they are missing.")
            notes[kind] = reader.note_texts
        body = Body(styles, numbering, notes, parts(_BODY), left_out)
        archive.parse(_BODY, EquationFilter(body))
        if body.comments:
            writer.warnings.append(f"{key} has comments, which are not read.")
        write(writer, _insert_headers(archive, styles, body, parts))
        writer.warnings += left_out.warnings(key)
        metadata = properties(archive, _PROPERTIES)
        highest = min(writer.headings, key=lambda heading: heading.level, default=None)
        title = highest.text if highest and highest.level <= 2 else ""
        return writer.document(title, metadata.labels())


def _read_parts(archive: XmlArchive, writer: Writer, read: Read, part: str) -> Parts:
    parts = {name: list[Block](map(Paragraph, lines)) for name, lines in charts(archive, part, writer).items()}
    for name, relation in relations(archive, part).items():
        if relation.kind == "aFChunk":
            path, content = PurePosixPath(relation.part), archive.read_part(relation.part)
            kind = (".html", ".docx")[content.startswith(b"PK")] if path.suffix.lower() in _OF_NO_KIND else ""
            document = writer.read_within(read, f"{writer.key} part {path.name}{kind}", content)
            parts[name] = [document] if document else []
    return parts


def _insert_headers(archive: XmlArchive, styles: Styles, body: Body, parts: Callable[[str], Parts]) -> list[Block]:
    """Return the body's blocks with new text of headers and footers before each section."""
    related = relations(archive, _BODY)
    if not any(headers for _, headers in body.sections):
        return body.story.blocks
    seen = set(map(normalize, texts(body.story.blocks)))
    blocks = list[Block]()
    for (begins, headers), (ends, _) in pairwise([*body.sections, (len(body.story.blocks), [])]):
        for part in dict.fromkeys(related[name].part for name in headers if name in related):
            reader = Body(styles, Numbering(), {}, parts(part), body.story.left_out, PAGE_NUMBER)
            archive.parse(part, EquationFilter(reader))
            blocks += [Paragraph(line) for line in new_lines(texts(reader.story.blocks), seen)]
        blocks += body.story.blocks[begins:ends]
    return blocks
