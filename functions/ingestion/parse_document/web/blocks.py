"""The blocks of Markdown that are more than text: headings, tables, definitions, HTML tables, lists of contents."""

import re
from collections.abc import Iterator

from ingestion.parse_document.headings import MAX_HEADING
from ingestion.parse_document.web.links import without_addresses
from selfrag.domain.documents import Heading, has_words

_PIPE = re.compile(r"(?<!\\)\|")
_CODE = re.compile(r"`++[^`]++`++")
# Front matter and fenced code come first, so that nothing in them is taken for anything else. A parser of CommonMark,
# markdown-it-py, took a quarter of a minute for half a megabyte of list items, so it cannot be given any file.
BLOCKS = re.compile(
    r"""
      \A---[ \t]*+\r?\n .*? ^(?:---|\.\.\.)[ \t]*+\r?$
    | ^[ ]{0,3} (?P<fence>`{3,}(?=[^`\r\n]*+\r?$)|~{3,}) (?: .*? \n [ ]{0,3} (?P=fence) [`~]*+ [ \t]*+ \r?$ | .* )
    | ^[ ]{0,3} (?P<marks>\#{1,6}) (?P<atx>[ \t][^\r\n]*+)
    | ^[ ]{0,3} <(?P<element>table|dl)\b
    | (?: ^(?:[Tt]able)?:[ \t]+ (?P<caption>[^\r\n]++) \r?\n [ \t]*+ \r?\n )?
      ^[ ]{0,3} (?P<names>[^\s>][^\r\n]*+) \r?\n
      [ ]{0,3} (?=[^\r\n|]*+\|) (?P<line>\|?[ \t]*+ :?-++:? [ \t]*+ (?:\|[ \t]*+ :?-++:? [ \t]*+)*+ \|?)
      [ \t]*+ (?: \r?\n | \r?\Z )
    | ^[ ]{0,3} (?![#>|+*-]|\d+[.)][ ]) (?P<setext>[^\s][^\r\n]*+) \r?\n [ ]{0,3} (?P<rule>=++|-++) [ \t]*+ (?=\r?$)
    | (?: \A | (?<=\n\n) | (?<=\n\r\n) ) 
      (?P<terms> (?: [^\s:~>|][^\r\n]*+ \r?\n ){1,4}? | [^\s:~>|][^\r\n]*+ \r?\n \r?\n )
      (?= [ ]{0,2} [:~][ \t]++ [^\s] )
    | (?: ^[ \t]*+ (?:[-*+]|\d+[.)]) [ \t]++ \[[^\]\r\n]*+\] \(\#[^)\r\n]*+\)
      [ \t]*+ (?: \r?\n | \r?\Z ) ){3,}+ (?P<contents>)
    """,
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)
_BLANK = re.compile(r"(?:[ \t]*+(?:\r?\n|\Z))*+")
# The rows below a table's names, up to an empty line or another block; and the caption that pandoc allows below.
_ROWS = re.compile(r"(?:[ ]{0,3}(?!#{1,6}[ \t]|>|```|~~~)[^\s][^\r\n]*+(?:\r?\n|\r?\Z))*+")
CAPTION = re.compile(r"[ \t]*+\r?\n(?:[Tt]able)?:[ \t]+([^\r\n]++)(?:\r?\n|\Z)")
_LINE = re.compile(r"[^\r\n]+")
# What a term means: lines up to an empty one, and below that what is indented or has a mark of its own.
_MEANING = re.compile(
    r"(?:[ \t]*+[^\s][^\r\n]*+(?:\r?\n|\r?\Z)"
    r"|(?:[ \t]*+\r?\n)++(?=(?:[ ]{4}|[ ]{0,3}\t|[ ]{0,2}[:~][ \t])[ \t]*+[^\s]))++"
)
_MARK = re.compile(r"^[ ]{0,2}[:~][ \t]+|^(?:[ ]{1,4}|\t)", re.MULTILINE)


def heading_of(block: re.Match[str]) -> Heading | None:
    """The heading that a block is, of either kind that CommonMark knows, without its markup; None if it is none."""
    line = block["atx"] or block["setext"] or ""
    text = without_markup(line)
    if len(line) > MAX_HEADING or not has_words(text):
        return None
    level = len(block["marks"]) if block["marks"] else 1 if block["rule"][0] == "=" else 2
    return Heading(block.start(), block.end(), level, text)


def cells_of(line: str) -> list[str]:
    """The cells of a line of a table."""
    inner = line.strip().removeprefix("|")
    cells = _PIPE.split(inner)
    if len(cells) > 1 and not cells[-1].strip():
        cells.pop()
    return [" ".join(without_addresses(cell.replace("\\|", "|")).split()) for cell in cells]


def end_of_rows(text: str, at: int) -> int:
    """Where the lines of a table below its names end."""
    body = _ROWS.match(text, at)
    return body.end() if body else at


def rows_between(text: str, start: int, end: int, columns: int) -> Iterator[list[str]]:
    """The cells of each of these lines; where they are too many, a bar in code divides none, as pandoc has it."""
    for line in _LINE.finditer(text, start, end):
        cells = cells_of(line[0])
        if len(cells) > columns:
            cells = cells_of(_CODE.sub(lambda code: _PIPE.sub(r"\\|", code[0]), line[0]))
        yield cells


def meaning_at(text: str, at: int) -> tuple[str, int]:
    """What the term above means, without marks and indentation, and where that ends."""
    body = _MEANING.match(text, at)
    return (_MARK.sub("", body[0]).strip(), body.end()) if body else ("", at)


def end_of_element(text: str, at: int, element: str) -> int:
    """Where an HTML element ends that begins there, with the line if nothing else is on it; -1 if it never does."""
    depth = 0
    for tag in re.compile(rf"<(/?){element}\b[^<>]*>[ \t]*(?:\r?\n)?", re.IGNORECASE).finditer(text, at):
        depth += -1 if tag[1] else 1
        if depth <= 0:
            return tag.end()
    return -1


def ends_or_rises(text: str, at: int, level: int) -> bool:
    """Whether the text ends here, or goes on with a heading of this level or a higher one."""
    rest = _BLANK.match(text, at)
    start = rest.end() if rest else at
    block = BLOCKS.match(text, start)
    heading = heading_of(block) if block else None
    return start == len(text) or (heading is not None and heading.level <= level)


def without_markup(line: str) -> str:
    """A line as it is shown: without links, emphasis and the marks that end a heading."""
    open_ended = re.sub(r"[ \t]#+[ \t]*$", "", line)
    return " ".join(re.sub(r"[*`]", "", without_addresses(open_ended)).split())
