"""HTML: the visible text of a page without its furniture."""

import re
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import PurePosixPath

from selectolax.lexbor import LexborHTMLParser, LexborNode

from selfrag.domain.documents import Document, Labels, has_words
from selfrag.domain.errors import BadDocument
from selfrag.domain.tables import CellBudget
from selfrag.domain.writing import MAX_HEADING, Writer
from selfrag.reader.archive import bad_document
from selfrag.reader.equations import Equation
from selfrag.reader.labels import labels
from selfrag.reader.scripts import subscript, superscript
from selfrag.reader.visibility import NO_STYLE, InlineStyle, LeftOut
from selfrag.reader.web import furniture
from selfrag.reader.web.furniture import TEXTS, Attributes, ElementFacts, names, role
from selfrag.reader.web.generated import write_generated
from selfrag.reader.web.navigation import Navigation
from selfrag.reader.web.tables import CELLS, HtmlTable, TableWriter, children, is_data
from selfrag.reader.web.walk import walk
from selfrag.text.weight import CAPACITY, estimate_tokens

_UNSEEN = names("head script style template noscript svg iframe object canvas audio video datalist rt rp")
_STRUCK = names("s del strike")
_IN_ITEM = names("p label span em strong b i")
_BOXES_AROUND = 3
_TICK = re.compile(r"\s*(?:\d{1,9}\.\s)?\[[xX]\]\s")
_MEASURED = names("article body center dd div dt figure form html main section table td th")
_INLINE = names("a b bdi cite code em font i label small span strong sub sup tt u var")
_LEVELS = {f"h{level}": level for level in range(1, 7)}
_RIGHTS = re.compile(r"copyright|licen[cs]|legal|著作権|ライセンス|저작권|라이선스|라이센스", re.IGNORECASE)
# DocBook's title page, where the authors and the licence of a work are content.
_TITLE_PAGES = names("titlepage legalnotice")
_NOTICE = re.compile(
    r"""\s*(?:
        (?:Copyright\s*)? (?:©|\(C\)) \s* (?:Copyright\s*)? \d{4}
      | Copyright \s+ \d{4}
      | Permission\s+is\s+(?:hereby\s+)?granted (?:,\s+free\s+of\s+charge|\s+to\s+(?:copy|make\s+and|use,))
      | Redistribution\s+and\s+use\s+in\s+source\s+and\s+binary\s+forms
      | This\s[\w\s]{1,40}\sis\s+free\s+(?:software|documentation)
      | This\s[\w\s]{1,40}\sis\s+distributed\s+in\s+the\s+hope\s+that
      | You\s+should\s+have\s+received\s+a\s+copy\s+of\s+the\s+GNU
      | Licensed\s+under\s+the\s+(?:Apache|MIT|BSD|GNU)
      | THE\s+SOFTWARE\s+IS\s+PROVIDED\s+.?AS\s+IS
    )""",
    re.VERBOSE | re.IGNORECASE,
)


class Survey:
    """Facts of elements by `mem_id`, and the furniture elements in `marked`.

    Removes invisible and struck-out content from the page.
    """

    def __init__(self, root: LexborNode, page: str) -> None:
        self.facts: dict[int, ElementFacts] = {}
        self.left_out = LeftOut()
        self.marked: set[int] = set()
        self._page = page
        self._open = [ElementFacts()]
        self._unseen = self._of_rights = False
        self._behind = [""]  # background colors of the open elements, where set
        self._links = self._texts = self._quotes = self._titles = 0
        walk(root, self._enter, self._leave)

    def _enter(self, node: LexborNode) -> bool:
        if node.is_text_node:
            self._measure(node.text_content or "")
            return False
        tag, attributes = node.tag or "", node.attributes
        self._open.append(ElementFacts())
        self._unseen = tag in _UNSEEN or self._is_left_out(node, tag, attributes)
        if self._unseen:
            return False
        if furniture.is_furniture(tag, attributes, self._texts > 0, self._titles > 0):
            self.marked.add(node.mem_id)
            return False
        self._count(tag, attributes, 1)
        return True

    def _is_left_out(self, node: LexborNode, tag: str, attributes: Attributes) -> bool:
        """Return whether an element is invisible or struck out, and count it."""
        if not attributes and tag not in _STRUCK:
            self._behind.append(self._behind[-1])
            return False
        style = attributes.get("style")
        look = InlineStyle(style) if style else NO_STYLE
        behind = look.background or self._behind[-1]
        unseen = "hidden" in attributes or (look is not NO_STYLE and look.is_unseen(behind))
        struck = (tag in _STRUCK or look.is_struck) and not _is_ticked(node)
        if (unseen or struck) and has_words(node.text()):
            self.left_out.unseen += unseen
            self.left_out.struck += not unseen
        if not unseen and not struck:
            self._behind.append(behind)
        return unseen or struck

    def _count(self, tag: str, attributes: Attributes, change: int) -> None:
        self._links += change if tag == "a" and "href" in attributes else 0
        self._texts += change if tag in TEXTS or (attributes and role(attributes) in ("main", "article")) else 0
        self._quotes += change if tag in ("blockquote", "pre") else 0
        self._titles += change if attributes and _TITLE_PAGES & names(attributes.get("class") or "") else 0

    def _measure(self, text: str) -> None:
        facts, words = self._open[-1], " ".join(text.split())
        letters = furniture.letters_of(words)
        facts.weight += estimate_tokens(words)
        if self._links:
            facts.linked += letters
        else:
            facts.plain += letters
            facts.digits += 0 if letters else sum(map(str.isdigit, words))
            facts.commas += sum(map(words.count, ",;、，"))

    def _leave(self, node: LexborNode) -> None:
        if node.is_text_node:
            return
        tag, attributes, facts = node.tag or "", node.attributes, self._open.pop()
        if self._unseen:
            self._unseen = False
            node.decompose()
            return
        self._behind.pop()
        if node.mem_id in self.marked:
            return
        self._count(tag, attributes, -1)
        if tag == "a" and "href" in attributes and facts.linked | facts.weight:
            facts.links += 1
            facts.steps += furniture.is_step(node.text(), attributes)
            facts.languages += "hreflang" in attributes
            facts.elsewhere += furniture.leads_elsewhere(attributes)
            facts.within += furniture.leads_within(attributes, self._page)
        facts.tables += tag == "table"
        if tag in _LEVELS:
            facts.headings += 1
            facts.titles += tag == "h1"
            self._of_rights = facts.weight <= MAX_HEADING and bool(_RIGHTS.search(node.text()))
        # Quotations, title pages and sections about licences are not notices.
        may_be_notice = tag == "p" and not self._quotes and not self._titles and not self._of_rights
        if may_be_notice and _NOTICE.match(node.text()):
            self.marked.add(node.mem_id)
            return
        self._open[-1].add(facts)
        if tag in _MEASURED or (facts.links and tag not in _INLINE):
            self.facts[node.mem_id] = facts


def _is_ticked(node: LexborNode) -> bool:
    """Return whether an element is in a ticked task-list item, which is struck out when done."""
    item = node.parent
    while item is not None and item.tag in _IN_ITEM:
        item = item.parent
    if item is None or item.tag != "li":
        return False
    first = item.first_child
    for _ in range(_BOXES_AROUND):
        inner = first.first_child if first is not None and not first.is_text_node else None
        first = inner or first
    return first is not None and first.is_text_node and bool(_TICK.match(first.text_content or ""))


# Heading level for terms of long definitions: below all levels of HTML and Markdown.
LEVEL = 7
_SPACE = re.compile(r"[ \t\r\n\f\xa0]+")
_BEFORE = 20  # number of preceding texts that determine a superscript's meaning


class Lines:
    """Writes lines to a document, or to a separate text for a cell, term or definition."""

    def __init__(self, writer: Writer, title: str) -> None:
        self.preformatted = 0
        self.above = (LEVEL, title)  # level and text of the current heading
        self._writers = [writer]
        self._line: list[str] = []
        self._gap = ""  # white space between the last text and the next
        self._in_heading = False
        self._held: list[tuple[int, str, bool]] = []
        self._resumed: tuple[int, str] | None = None

    @property
    def is_collecting(self) -> bool:
        """Return whether text is being collected separately."""
        return len(self._writers) > 1

    def add(self, text: str) -> None:
        """Write the text between two tags."""
        shown = text if self.preformatted else _SPACE.sub(" ", text)
        words = shown if self.preformatted else shown.strip(" ")
        if shown[:1] == " ":
            self._gap = self._gap or " "
        if words:
            self._line += [self._gap if self._line else "", words]
            self._gap = ""
            if shown[-1:] == " ":
                self._gap = " "

    def script(self, tag: str, text: str) -> None:
        """Write a superscript or subscript after the text of its line."""
        before = "".join(self._line[-_BEFORE:]) + (self._gap if self._line else "")
        self.add(superscript(before, text) if tag == "sup" else subscript(before, text))

    def end_block(self) -> None:
        """Start a new line, or continue within a heading."""
        if self._in_heading:
            self._gap = "\n"
        else:
            self.flush()

    def end_cell(self) -> None:
        """Separate the next cell with a tab."""
        self._gap = "\t" if self._line else ""

    def flush(self) -> None:
        text = "".join(self._line).strip("\r\n")
        self._line, self._gap = [], ""
        if text.strip():
            self.writer().line(text)

    def writer(self) -> Writer:
        """Return the writer for non-line content, after writing pending headings."""
        if not self.is_collecting:
            self._write_headings()
        return self._writers[-1]

    def collect(self) -> None:
        """Start collecting a separate text."""
        self.flush()
        self._writers.append(Writer(self._writers[0].key))

    def end_collecting(self) -> str:
        """Return the collected text."""
        self.flush()
        return self._writers.pop().text()

    def collected_cell(self) -> str:
        """Return a cell's collected text, in which nested table rows stay separate."""
        writer, text = self._writers[-1], self.end_collecting()
        ends = [row.end for row, below in pairwise(writer.rows) if below.start == row.end + 1]
        return ";".join(text[start:end] for start, end in pairwise([0, *ends, len(text)]))

    def begin_heading(self) -> None:
        self.flush()
        self._in_heading = True

    def end_heading(self, level: int, emptied: bool) -> None:
        """End a heading of this level; `emptied` if its content was removed."""
        self._in_heading = False
        text = "".join(self._line)
        if self.is_collecting or len(text) > MAX_HEADING or not has_words(text):
            self.flush()
            return
        self._line, self._gap = [], ""
        self.hold(level, " ".join(text.split()), emptied)

    def hold(self, level: int, text: str, emptied: bool = False) -> None:
        """Hold a heading until content follows."""
        self._let_go(level)
        self._held.append((level, text, emptied))
        self.above = level, text

    def resume(self, above: tuple[int, str]) -> None:
        """Return to an earlier heading."""
        self.flush()
        self._write_headings()
        self._resumed = self.above = above

    def end(self) -> None:
        """Finish the document."""
        self.flush()
        self._let_go(0)

    def _let_go(self, level: int) -> None:
        """Close headings down to this level; emptied ones are dropped."""
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


MAX_DEPTH = 1000
MAX_TAGS = 1_500_000  # a tag takes some 350 bytes, and ten megabytes can hold three million
# Tags with an optional end, and void tags, do not count as nesting.
_LEFT_OPEN = names(
    "area base br col dd dt embed hr img input li link meta option p source tbody td tfoot th thead tr track wbr"
)
# Names of date metadata, by priority.
_DATES = ("date", "dcterms.date", "dc.date", "article:modified_time", "article:published_time")
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/<>]*+)[^<>]*+>")
_OPENING = re.compile(r"<[a-zA-Z!?]")
_IN_TABLES = (*CELLS, "tr", "caption")
_BLOCKS = names(
    "address article aside blockquote body br caption dd details dialog div dl dt fieldset figcaption figure footer "
    "form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu ol option p pre search section summary table tbody "
    "tfoot thead tr ul"
)
# Classes of note references and back links in pandoc, Sphinx, DocBook and AsciiDoc.
_CLASSES = names("footnote footnote-ref footnote-reference footnoteref fn-backref noteref")
_MARK = re.compile(r"\s*(?:\d{1,4}|[a-z]|[ivx]{1,6}|[*†‡§]{1,4})\s*", re.IGNORECASE)
_MAX_IN_SCRIPT = 10  # maximum texts in a superscript or subscript
_BOXES = frozenset(("table", "figure", "example"))  # DocBook's classes
_CAPTIONS = frozenset(("title", "caption"))


def read_html(key: str, text: str) -> Document:
    """Read a page, titled by its title or first heading.

    Raises BadDocument if a page has too many tags, is unreadable, or holds only furniture.
    """
    # selectolax does not document its errors, and any input is possible.
    with bad_document(key, "cannot be read as HTML; save it again or as text"):
        document, left_out = _read(key, text)
    if left_out and not has_words(document.text):
        reason = "holds only navigation: links to other pages, contents or notices, and no text"
        raise BadDocument(f"{key} {reason}.")
    return document


def _read(key: str, html: str) -> tuple[Document, bool]:
    """Read a page; also return whether navigation or other furniture was left out."""
    if len(_OPENING.findall(html)) > MAX_TAGS:
        raise BadDocument(f"{key} has more than {MAX_TAGS:,} tags; split it into several files.")
    tree, writer = LexborHTMLParser(_flatten(html)), Writer(key)
    named = tree.css_first("head title", default=None)
    title, page_labels = " ".join(named.text().split()) if named else "", _labels(tree)
    if tree.root is None:
        return writer.document(title, page_labels), False
    write_generated(tree)
    survey = Survey(tree.root, PurePosixPath(key).name)
    navigation = Navigation(tree.root, survey.facts, survey.marked)
    PageWriter(writer, survey.facts, navigation.emptied, title or PurePosixPath(key).name).write(tree.root)
    writer.warnings += survey.left_out.warnings(key)
    first = next((heading.text for heading in writer.headings if heading.level == 1), "")
    return writer.document(title or first, page_labels), navigation.left_out


def _labels(tree: LexborHTMLParser) -> Labels:
    metadata: dict[str, str] = {}
    for meta in tree.css("head meta"):
        name = meta.attributes.get("name") or meta.attributes.get("property") or ""
        metadata.setdefault(name.lower(), meta.attributes.get("content") or "")
    return labels([metadata.get("keywords", "")], next((metadata[name] for name in _DATES if name in metadata), ""))


def _flatten(html: str) -> str:
    """Drop tags nested too deep: parsing time is quadratic in depth."""
    depth = 0

    def show(tag: re.Match[str]) -> str:
        nonlocal depth
        if tag[2].lower() in _LEFT_OPEN or tag[0].endswith("/>"):
            return tag[0]
        deepest = depth + (not tag[1])
        depth = max(0, depth + (-1 if tag[1] else 1))
        return tag[0] if deepest <= MAX_DEPTH else " "

    return _TAG.sub(show, html)


class PageWriter:
    """Writes a page by the facts of its elements."""

    def __init__(self, writer: Writer, facts: dict[int, ElementFacts], emptied: set[int], title: str) -> None:
        self._facts, self._emptied = facts, emptied
        self._lines = Lines(writer, title)
        self._definitions = Definitions(self._lines, facts)
        self._figures = Figures(self._lines, facts)
        self._budget = CellBudget(writer.key)
        self._tables: list[HtmlTable | None] = []  # None for a layout table

    def write(self, root: LexborNode | None) -> None:
        walk(root, self._enter, self._leave)
        self._lines.end()

    def _enter(self, node: LexborNode) -> bool:
        if node.is_text_node:
            self._lines.add(node.text_content or "")
            return False
        if node.mem_id == self._figures.caption:
            return False
        tag = node.tag or ""
        if tag == "math":
            self._lines.add(_equation(node))
            return False
        self._separate(tag)
        self._lines.preformatted += tag == "pre"
        if tag in _LEVELS:
            self._lines.begin_heading()
        elif tag in ("dl", "dt", "dd"):
            self._definitions.enter(node)
        elif tag == "table":
            data = is_data(node, self._facts)
            self._tables.append(HtmlTable(self._figures.take_caption()) if data else None)
        elif tag in _IN_TABLES and self._tables and (grid := self._tables[-1]):
            if tag == "tr":
                grid.rows.append([])
            else:
                self._lines.collect()
        elif is_mark(node):
            self._lines.add("[")
        elif tag in ("sup", "sub") and not (node.parent is not None and is_mark(node.parent)) and (text := _text(node)):
            self._lines.script(tag, text)
            return False
        else:
            self._figures.enter(node)
        return True

    def _leave(self, node: LexborNode) -> None:
        if node.is_text_node or node.mem_id == self._figures.caption:
            return
        tag = node.tag or ""
        self._separate(tag)
        if tag in _LEVELS:
            self._lines.end_heading(_LEVELS[tag], node.mem_id in self._emptied)
        elif tag in ("dl", "dt", "dd"):
            self._definitions.leave(node)
        elif tag == "table":
            self._lines.flush()
            if grid := self._tables.pop():
                grid.mark_names()
                TableWriter(self._lines.writer(), self._budget).write(grid.take_caption(), grid.rows)
        elif tag in _IN_TABLES and self._tables and (grid := self._tables[-1]):
            if tag == "caption":
                grid.caption = f"{grid.caption} {self._lines.end_collecting()}".strip()
            elif tag in CELLS:
                grid.add(node, self._lines.collected_cell())
        elif is_mark(node):
            self._lines.add("]")
        else:
            self._figures.leave(node)
        self._lines.preformatted -= tag == "pre"

    def _separate(self, tag: str) -> None:
        if tag in _BLOCKS:
            self._lines.end_block()
        elif tag in CELLS:
            self._lines.end_cell()


def _equation(node: LexborNode) -> str:
    """Return the equation of MathML that an element holds."""
    equation = Equation()

    def enter(part: LexborNode) -> bool:
        if part.is_text_node:
            equation.text(" ".join((part.text_content or "").split()))
        else:
            equation.start(part.tag or "", {name: value or "" for name, value in part.attributes.items()})
        return True

    walk(node, enter, lambda part: None if part.is_text_node else equation.end(part.tag or ""))
    return equation.result


def is_mark(node: LexborNode) -> bool:
    """Return whether a link is a note mark without brackets."""
    inside, parent = node.first_child, node.parent
    if node.tag != "a" or inside is None or parent is None or not _MARK.fullmatch(_text(node)):
        return False
    attributes = node.attributes
    named = role(attributes) == "doc-noteref" or bool(_CLASSES & names(attributes.get("class") or ""))
    return "#" in (attributes.get("href") or "") and (named or "sup" in (inside.tag, parent.tag))


def _text(node: LexborNode, within: int = 2) -> str:
    """Return the text of an element with few inner elements, else ""."""
    parts, child = list[str](), node.first_child
    while child is not None and len(parts) < _MAX_IN_SCRIPT:
        inner = child.text_content if child.is_text_node else _text(child, within - 1) if within else ""
        if not inner or child.tag == "a":
            return ""
        parts.append(inner)
        child = child.next
    return "" if child is not None else "".join(parts)


class Figures:
    """Assigns figure captions to their tables, and keeps small figures in one piece."""

    def __init__(self, lines: Lines, facts: dict[int, ElementFacts]) -> None:
        self._lines = lines
        self._facts = facts
        self._whole: list[int] = []
        self._figure = self.caption = 0  # `mem_id` of the open figure of a table, and of its caption
        self._text = ""

    def enter(self, node: LexborNode) -> None:
        """Enter an element."""
        if node.tag != "figure" and not (node.tag == "div" and _BOXES & _classes(node)):
            return
        facts = self._facts[node.mem_id]
        if not self._figure and (caption := self._caption_of_a_table(node)):
            self._figure, self.caption, self._text = node.mem_id, caption.mem_id, " ".join(caption.text().split())
        elif facts.weight <= CAPACITY and not facts.headings and not facts.tables and not self._lines.is_collecting:
            self._whole.append(node.mem_id)
            self._lines.collect()

    def leave(self, node: LexborNode) -> None:
        if node.mem_id == self._figure:
            self._figure = self.caption = 0
        elif self._whole and self._whole[-1] == node.mem_id:
            self._whole.pop()
            if text := self._lines.end_collecting():
                self._lines.writer().definition("", text)

    def take_caption(self) -> str:
        """Return the caption of the current table's figure, or ""."""
        text, self._text = self._text, ""
        return text

    def _caption_of_a_table(self, figure: LexborNode) -> LexborNode | None:
        if self._facts[figure.mem_id].tables != 1:
            return None
        table = figure.css_first("table", default=None)
        captions = (child for child in children(figure) if child.tag == "figcaption" or _CAPTIONS & _classes(child))
        caption = next(captions, None)
        if table is None or caption is None or not is_data(table, self._facts) or caption.css_first("table"):
            return None
        return caption


def _classes(node: LexborNode) -> set[str]:
    return set((node.attributes.get("class") or "").split())


@dataclass
class _DefinitionList:
    """Terms without a definition yet, and definitions before the next term.

    A `long` definition is written at once, below a heading; `above` is the previous heading.
    """

    above: tuple[int, str]
    terms: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    long: bool = False
    has_begun: bool = False


class Definitions:
    """Writes terms with their definitions; lists may be nested."""

    def __init__(self, lines: Lines, facts: dict[int, ElementFacts]) -> None:
        self._lines = lines
        self._facts = facts
        self._lists: list[_DefinitionList] = []

    def enter(self, node: LexborNode) -> None:
        """Enter a list, term or definition."""
        if node.tag == "dl":
            self._lists.append(_DefinitionList(self._lines.above))
            return
        if not _is_of_a_list(node):
            return
        group = self._lists[-1]
        if node.tag == "dt":
            if group.has_begun:
                self._end_group(group)
            if not group.terms:
                group.long = not self._lines.is_collecting and self._weight(node) > CAPACITY
            self._lines.collect()
        else:
            group.has_begun = True
            if not group.long:
                self._lines.collect()
            elif group.terms:
                self._lines.hold(LEVEL + len(self._lists) - 1, ", ".join(filter(None, group.terms)))
                group.terms = []

    def leave(self, node: LexborNode) -> None:
        if node.tag == "dl":
            self._end_group(self._lists.pop())
        elif not _is_of_a_list(node):
            return
        elif node.tag == "dt":
            self._lists[-1].terms.append(" ".join(self._lines.end_collecting().split()))
        elif not self._lists[-1].long:
            self._lists[-1].texts.append(self._lines.end_collecting())

    def _end_group(self, group: _DefinitionList) -> None:
        term = ", ".join(filter(None, group.terms)).rstrip(":：")
        text = "\n".join(filter(None, group.texts))
        if group.long and not group.terms:
            self._lines.resume(group.above)
        elif term or text:
            self._lines.writer().definition(term, text)
        group.terms, group.texts, group.long, group.has_begun = [], [], False, False

    def _weight(self, term: LexborNode) -> int:
        """Return the size of a term with its group of terms and definitions."""
        total, defined = 0, False
        node: LexborNode | None = term
        while node is not None and not (defined and node.tag == "dt"):
            defined |= node.tag == "dd"
            total += self._facts[node.mem_id].weight if node.tag in ("dt", "dd") else 0
            node = node.next
        return total


def _is_of_a_list(node: LexborNode) -> bool:
    """Return whether a term or definition is a direct child of a list or one of its groups."""
    above = node.parent
    if above is not None and above.tag == "div":
        above = above.parent
    return above is not None and above.tag == "dl"
