"""The content of an OpenDocument text or presentation, read as it streams by."""

import re
from collections.abc import Callable

from selfrag.reader.office.blocks import raise_heading, texts
from selfrag.reader.office.numbering import numeral, whole
from selfrag.reader.office.odf.left_out import PAGE_NUMBERS, is_left_out
from selfrag.reader.office.odf.lists import Lists
from selfrag.reader.office.odf.styles import OdfStyles
from selfrag.reader.office.odf.tables import Tables
from selfrag.reader.office.skipping import Skipping
from selfrag.reader.office.story import Story
from selfrag.reader.zipped import attribute, local

_SPACE = re.compile(r"[ \t\r\n]+")
_MAX_SPACES = 100
NOTES = "Notes:"


class Content:
    """Tells a story; `hidden` are the slides that are not shown. `page_number` stands where a page's number does."""

    def __init__(self, styles: OdfStyles, page_number: str = "") -> None:
        self.story = Story()
        self.hidden: list[int] = []
        self._slides = 0
        self._styles, self._page_number = styles, page_number
        self._lists, self._tables = Lists(styles), Tables()
        self._skipping = Skipping()
        self._styling = self._in_notes = False
        self._title = 0  # the depth of the frame that holds a slide's title; 0 if none does
        self._paragraphs: list[tuple[str, int]] = []  # the style and the level of each that is open
        self._bold: list[bool] = []
        self._stories: list[tuple[Story, str]] = []  # those that go on after a note, and its mark
        self._counted = {"footnote": 0, "endnote": 0}
        self._starts = self._beginnings()
        self._ends: dict[str, Callable[[], object]] = {
            **dict.fromkeys(("p", "h"), self._end_paragraph),
            **{"span": self._bold.pop, "list": self._lists.end_list, "note-body": self._end_note},
            "notes": lambda: setattr(self, "_in_notes", False),
        }

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Take in what begins here."""
        self._skipping.enter()
        name = local(tag)
        if self._styling:
            self._styles.start(tag, attributes)
        elif self._skipping.on or self._is_left_out(name, tag, attributes):
            self._skipping.skip()
        elif name in self._starts:
            self._starts[name](attributes)

    def end(self, tag: str) -> None:
        """Take in what ends here."""
        name = local(tag)
        skipped = self._skipping.leave()
        if name in ("automatic-styles", "styles"):
            self._styling = False
        elif name in self._ends and not skipped and not self._styling:
            self._ends[name]()
        elif not skipped and not self._styling:
            self._tables.end(name, self.story)
        if self._skipping.depth < self._title:
            self._title = 0

    def text(self, text: str) -> None:
        """Take in text, if it stands where text is shown."""
        if not self._skipping.on and not self._styling:
            self.story.add(_SPACE.sub(" ", text), any(self._bold))

    def _beginnings(self) -> dict[str, Callable[[dict[str, str]], None]]:
        return {
            **dict.fromkeys(("automatic-styles", "styles"), lambda _: setattr(self, "_styling", True)),
            "p": lambda said: self._begin_paragraph(said, 0),
            "h": lambda said: self._begin_paragraph(said, max(1, whole(attribute(said, "outline-level"))) + 1),
            "span": lambda said: self._bold.append(self._styles.is_bold("text", attribute(said, "style-name"))),
            "s": lambda said: self.story.add(" " * min(whole(attribute(said, "c") or "1"), _MAX_SPACES)),
            "tab": lambda _: self.story.add("\t"),
            "line-break": lambda _: self.story.add("\n"),
            "image": lambda _: self.story.picture(),
            "note": self._begin_note,
            "note-body": lambda _: setattr(self, "story", Story()),
            "list": self._lists.begin_list,
            "list-item": self._lists.begin_item,
            "table": lambda _: self._tables.begin(self.story),
            "table-header-rows": lambda _: self._tables.head(True),
            "table-row": lambda _: self._tables.begin_row(self.story),
            "table-cell": lambda said: self._tables.begin_cell(said, self.story),
            "page": self._begin_slide,
            "notes": lambda _: setattr(self, "_in_notes", True),
        }

    def _is_left_out(self, name: str, tag: str, said: dict[str, str]) -> bool:
        """Return whether an element is not shown, or furniture of slides; the frames of titles are noted by the way."""
        kind, style = attribute(said, "class"), attribute(said, "style-name")
        if name in PAGE_NUMBERS:
            self.story.add(self._page_number)
        elif name == "covered-table-cell":
            self._tables.cover(said, self.story)
        elif kind == "title":
            self._title = self._skipping.depth
        elif kind == "subtitle":  # the slide is the title of the presentation
            raise_heading(self.story.blocks)
        hidden = attribute(said, "display") == "none" or (name == "span" and self._styles.hides("text", style))
        return hidden or is_left_out(tag, kind)

    def _begin_slide(self, said: dict[str, str]) -> None:
        self._slides += 1
        if self._styles.hides("drawing-page", attribute(said, "style-name")):
            self.hidden.append(self._slides)
            self._skipping.skip()
        else:
            self.story.slide(self._slides)

    def _begin_paragraph(self, said: dict[str, str], level: int) -> None:
        style = attribute(said, "style-name")
        level = 1 if self._styles.is_title(style) else level or (2 if self._title else 0)
        self._paragraphs.append((style, level))
        self.story.begin_paragraph()
        self._bold.append(self._styles.is_bold("paragraph", style))
        if level > 1 and not self._title and attribute(said, "is-list-header") != "true":
            self._lists.count_heading(level - 2)

    def _end_paragraph(self) -> None:
        style, level = self._paragraphs.pop()
        self._bold.pop()
        if self._styles.hides("paragraph", style):
            self.story.drop_paragraph()
            return
        label = NOTES if self._in_notes else self._lists.label() if self.story.says else ""
        self.story.end_paragraph(level, self._styles.is_caption(style), label)

    def _begin_note(self, said: dict[str, str]) -> None:
        kind = "endnote" if attribute(said, "note-class") == "endnote" else "footnote"
        self._counted[kind] += 1
        mark = numeral(self._counted[kind], "i" if kind == "endnote" else "1")
        self._stories.append((self.story, mark))

    def _end_note(self) -> None:
        if self._stories:
            said = " ".join(" ".join(texts(self.story.blocks)).split())
            self.story, mark = self._stories.pop()
            self.story.refer(mark, said)
