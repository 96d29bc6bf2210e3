"""The XML of a Word document's body, of its notes, or of a header, read as it streams by."""

from collections.abc import Callable, Mapping

from selfrag.reader.office.numbering import numeral, whole
from selfrag.reader.office.ooxml.docx_fields import Fields
from selfrag.reader.office.ooxml.docx_lists import Numbering
from selfrag.reader.office.ooxml.docx_looks import Look, Section, stands_out
from selfrag.reader.office.ooxml.docx_parts import Styles
from selfrag.reader.office.relations import relation_id
from selfrag.reader.office.skipping import Skipping
from selfrag.reader.office.story import Story
from selfrag.reader.zipped import attribute, local, switched_on

# Not shown, or shown elsewhere as well: properties, text that was moved away, and text boxes for old versions.
_SKIPPED = frozenset({"pPrChange", "rPrChange", "tblGrid", "tabs", "moveFrom", "Fallback"})
_MARKS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
Notes = Mapping[str, dict[str, str]]
_NOTES = {"footnoteReference": ("footnotes", "decimal"), "endnoteReference": ("endnotes", "lowerRoman")}


class Body:
    """Tells a story of what stands in a part; `notes` are the texts of notes by kind and id.

    `page_number` stands where the number of a page does.
    """

    def __init__(self, styles: Styles, numbering: Numbering, notes: Notes, page_number: str = "") -> None:
        self.story = Story()
        self.sections: list[Section] = [Section(0)]
        self.comments = 0
        self._styles, self._numbering, self._notes = styles, numbering, notes
        self._counted = dict.fromkeys(_NOTES, 0)
        self._fields = Fields(page_number)
        self._skipping = Skipping()
        self._in_text = self._hidden = self._bold = False
        self._looks: list[Look] = [Look()]
        self._table_style = ""
        self._starts = self._beginnings()
        self._ends: dict[str, Callable[[], None]] = {
            "p": self._end_paragraph,
            "tc": self.story.end_cell,
            "tr": self.story.end_row,
            "tbl": self.story.end_table,
            "sectPr": self._end_section,
            "t": lambda: setattr(self, "_in_text", False),
        }

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Take in what begins here."""
        self._skipping.enter()
        name = local(tag)
        if self._skipping.on or name in _SKIPPED:
            self._skipping.skip()
        elif name in _MARKS:
            self._add(_MARKS[name])
        elif name in self._starts:
            self._starts[name](attributes)
        else:
            self._fields.start(name, attributes)

    def end(self, tag: str) -> None:
        """Take in what ends here."""
        name = local(tag)
        if self._skipping.leave():
            return
        if name in self._ends:
            self._ends[name]()
        else:
            self._fields.end(name)

    def text(self, text: str) -> None:
        """Take in text, if it stands where text is shown."""
        if self._in_text and not self._skipping.on:
            self._add(text)
        else:
            self._fields.text(text)

    def _beginnings(self) -> dict[str, Callable[[dict[str, str]], None]]:
        story = self.story
        return {
            "p": self._begin_paragraph,
            "pStyle": self._take_style,
            "numId": lambda said: setattr(self._looks[-1], "list", attribute(said, "val")),
            "ilvl": lambda said: setattr(self._looks[-1], "list_level", min(whole(attribute(said, "val")), 8)),
            "r": lambda _: self._begin_run(),
            "b": lambda said: setattr(self, "_bold", switched_on(said)),
            "vanish": lambda said: setattr(self, "_hidden", switched_on(said)),
            "t": lambda _: setattr(self, "_in_text", True),
            "tbl": self._begin_table,
            "tblStyle": lambda said: setattr(self, "_table_style", attribute(said, "val")),
            "tblLook": self._look_at_table,
            "tr": lambda _: story.begin_row(),
            "tblHeader": lambda said: story.head(switched_on(said)),
            "tc": lambda _: story.begin_cell(),
            "gridSpan": lambda said: story.widen(whole(attribute(said, "val"))),
            "vMerge": lambda said: story.go_on(attribute(said, "val") != "restart"),
            "drawing": lambda _: story.picture(),
            "pict": lambda _: story.picture(),
            "footnoteReference": lambda said: self._refer("footnoteReference", said),
            "endnoteReference": lambda said: self._refer("endnoteReference", said),
            "commentReference": lambda _: setattr(self, "comments", self.comments + 1),
            "headerReference": lambda said: self.sections[-1].headers.append(relation_id(said)),
            "footerReference": lambda said: self.sections[-1].headers.append(relation_id(said)),
        }

    def _add(self, text: str) -> None:
        if not self._hidden:
            self.story.add(self._fields.shown(text), self._bold)

    def _begin_run(self) -> None:
        self._hidden = self._bold = False

    def _begin_paragraph(self, _: dict[str, str]) -> None:
        self.story.begin_paragraph()
        self._looks.append(Look())

    def _take_style(self, said: dict[str, str]) -> None:
        look = self._looks[-1]
        look.style = attribute(said, "val")
        look.list, look.list_level = self._styles.list_of(look.style)

    def _begin_table(self, _: dict[str, str]) -> None:
        self._table_style = ""
        self.story.begin_table()

    def _look_at_table(self, said: dict[str, str]) -> None:
        """Take in the table's look, which is Word's default: only the style tells that the first row stands out."""
        styled = self._styles.sets_off_first_row(self._table_style) or None
        self.story.look(styled if stands_out(said) else False, likely=True)

    def _end_paragraph(self) -> None:
        look, styles = self._looks.pop(), self._styles
        if styles.lists_contents(look.style):
            self.story.drop_paragraph()
        else:
            label = self._numbering.label(look.list, look.list_level) if self.story.says else ""
            self.story.end_paragraph(styles.level(look.style), styles.is_caption(look.style), label)
        if look.ends_section:
            self.sections.append(Section(len(self.story.blocks)))

    def _end_section(self) -> None:
        self._looks[-1].ends_section = True

    def _refer(self, name: str, said: dict[str, str]) -> None:
        """Refer to a note; what it says is told where it is first referred to."""
        kind, written = _NOTES[name]
        self._counted[name] += 1
        note = self._notes.get(kind, {}).pop(attribute(said, "id"), "")
        self.story.refer(numeral(self._counted[name], written), note)
