"""PowerPoint presentations, slide by slide, with speaker notes."""

from selfrag.domain.documents import Document
from selfrag.domain.writing import Writer, list_names
from selfrag.reader.archive import SkippingReader, XmlArchive, open_archive
from selfrag.reader.equations import EquationFilter
from selfrag.reader.kinds import POWERPOINT
from selfrag.reader.office.blocks import Block, Cell, Grid, GridRow, Paragraph, RunLook, Script, texts
from selfrag.reader.office.charts import charts
from selfrag.reader.office.numbering import parse_whole
from selfrag.reader.office.properties import properties
from selfrag.reader.office.relations import relations
from selfrag.reader.office.story import Story
from selfrag.reader.office.symbols import read_signs
from selfrag.reader.office.tables import write
from selfrag.reader.visibility import UNCERTAIN, LeftOut

_PRESENTATION, _PROPERTIES = "ppt/presentation.xml", "docProps/core.xml"
NOTES = "Notes: "
_TITLES = {"ctrTitle": 1, "title": 2}
_FURNITURE = frozenset({"dt", "ftr", "hdr", "sldNum"})
_ON_NOTES = frozenset({"title", "ctrTitle", "sldImg"})  # placeholders that a notes page repeats from its slide
_SKIPPED = frozenset({"Fallback", "fld"})  # fields are slide numbers and dates
_SHAPES = frozenset({"sp", "pic", "graphicFrame"})
_CHANGES = ("lumMod", "lumOff", "shade", "tint", "alpha", "satMod", "gradFill", "pattFill")  # of a colour
_OFF, _ON = ("0", "false"), ("1", "true")


class SlideReader(SkippingReader):
    """Builds a story from a slide: title first, then shapes in screen-reader order."""

    def __init__(self, left_out: LeftOut, notes: bool = False, charts: dict[str, list[str]] | None = None) -> None:
        self.hidden = False
        self._charts = charts or {}
        self._notes = notes
        self._first, self._rest = Story(left_out), Story(left_out)
        self._story = self._rest
        self._level = 0
        self._shape_at = 0  # depth of the open shape
        self._in_text = self._bold = False
        self._in_look = ""  # open element of a run's formatting
        self._run, self._sign_font = RunLook(), ""
        # The fill of the open shape, uncertain where it has none, and the open element of its fill or outline.
        self._behind, self._inside = UNCERTAIN, ""

    def blocks(self) -> list[Block]:
        """Return the slide's blocks."""
        return self._first.blocks + self._rest.blocks

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        if name in _SKIPPED or (name == "tc" and _is_on(attributes, "hMerge")):
            self.skip()
        elif name == "sld":
            self.hidden = attributes.get("show", "") in _OFF
        elif name in _SHAPES:
            self._shape_at, self._behind = self.depth, UNCERTAIN
        elif name == "ph":
            kind = attributes.get("type", "")
            if kind in _FURNITURE or (self._notes and kind in _ON_NOTES):
                self.skipped = self._shape_at or self.depth
            elif kind in _TITLES:
                self._story, self._level = self._first, _TITLES[kind]
        elif name == "t":
            self._in_text = True
        elif name == "br":
            self._story.add("\n")
        elif name == "rPr":
            self._bold, self._in_look = _is_on(attributes, "b"), "rPr"
            raised = attributes.get("baseline", "")
            lowered = raised.startswith("-")
            script: Script | None = "subscript" if lowered else "superscript" if raised.strip("0%") else None
            struck = attributes.get("strike", "") not in ("", "noStrike")
            self._run = RunLook(struck=struck, script=script, size=parse_whole(attributes.get("sz", "")) / 100)
        elif name == "r":
            self._bold, self._run, self._sign_font = False, RunLook(), ""
        elif self._in_look:
            self._take_look(name, attributes)
        else:
            self._begin(name, attributes)

    def finish(self, name: str) -> None:
        if name == self._inside:
            self._inside = "spPr" if name == "ln" else ""
        if name == "t":
            self._in_text = False
        elif name == "rPr":
            self._in_look = ""
        elif name == self._in_look:
            self._in_look = "rPr"
        elif name == "p":
            self._story.end_paragraph(self._level)
        elif name in _SHAPES:
            self._story, self._level = self._rest, 0
        elif name in ("tc", "tr", "tbl"):
            self._story.end()

    def text(self, text: str) -> None:
        if not self._in_text or self.skipped:
            return
        shown = "".join(char if char.isascii() else read_signs(char, self._sign_font) for char in text)
        self._story.add_run(shown, self._run, self._behind, self._bold)

    def equation_text(self, text: str) -> None:
        if not self.skipped:
            self._story.add(text)

    def _take_look(self, name: str, attributes: dict[str, str]) -> None:
        """Read a run's font, color or background; a modified color is uncertain."""
        color = UNCERTAIN if name in _CHANGES else attributes.get("val", "")
        if name in ("ln", "highlight", "effectLst", "uFill"):
            self._in_look = name
        elif name == "latin":
            self._run.font = attributes.get("typeface")
        elif name == "sym":
            self._sign_font = attributes.get("typeface", "")
        elif name in ("srgbClr", *_CHANGES) and self._in_look in ("rPr", "highlight"):
            setattr(self._run, "color" if self._in_look == "rPr" else "fill", color)

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        match name:
            case "p":
                self._story.begin_paragraph()
            case "tbl":
                self._story.begin(Grid(first=False))
            case "tblPr":
                self._story.find_innermost(Grid).first = _is_on(attributes, "firstRow")
            case "tr":
                self._story.begin(GridRow())
            case "tc":
                columns = parse_whole(attributes.get("gridSpan", ""))
                self._story.begin(Cell(columns=columns, on=_is_on(attributes, "vMerge")))
            case "spPr" | "ln":
                self._inside = name
            case _ if self._inside == "spPr" and name in ("srgbClr", *_CHANGES):
                self._behind = attributes.get("val", "") if name == "srgbClr" else UNCERTAIN
            case "chart":
                self._story.take_in(map(Paragraph, self._charts.pop(attributes.get("r:id", ""), ())))


def read_pptx(key: str, content: bytes) -> Document:
    """Read each slide as a part: title as heading, shapes in reading order, notes.

    Hidden slides are left out with a warning. Raises BadDocument.
    """
    writer, hidden, left_out = Writer(key), list[int](), LeftOut()
    with open_archive(key, content, POWERPOINT) as archive:
        related = relations(archive, _PRESENTATION)
        ids = [attributes.get("r:id") for name, attributes in archive.elements(_PRESENTATION) if name == "sldId"]
        parts = dict.fromkeys(related[slide].part for slide in ids if slide in related)
        for number, part in enumerate(parts, 1):
            slide = SlideReader(left_out, charts=charts(archive, part, writer))
            archive.parse(part, EquationFilter(slide))
            if slide.hidden:
                hidden.append(number)
            else:
                writer.part(f"slide {number}", number)
                _write(writer, archive, part, slide, left_out)
        writer.warnings += left_out.warnings(key)
        if hidden:
            writer.warnings.append(hidden_slides(key, hidden))
        metadata = properties(archive, _PROPERTIES)
        title = next((heading.text for heading in writer.headings), "")
        return writer.document(title, metadata.labels())


def hidden_slides(key: str, hidden: list[int]) -> str:
    """Return the warning about hidden slides."""
    return f"{key} has hidden slides, which were left out: {list_names(hidden)}."


def _write(writer: Writer, archive: XmlArchive, part: str, slide: SlideReader, left_out: LeftOut) -> None:
    related = relations(archive, part).values()
    for drawing in (relation.part for relation in related if relation.kind == "diagramData"):
        archive.parse(drawing, slide)
    write(writer, slide.blocks())
    for notes in (relation.part for relation in related if relation.kind == "notesSlide"):
        reader = SlideReader(left_out, notes=True)
        archive.parse(notes, EquationFilter(reader))
        for text in texts(reader.blocks()):
            writer.line(NOTES + text)


def _is_on(attributes: dict[str, str], name: str) -> bool:
    return attributes.get(name, "") in _ON
