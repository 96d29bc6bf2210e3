"""The headings of Markdown and of plain text, and where they stand."""

import re

from selfrag.domain.documents import Heading, has_words

MAX_HEADING = 200  # characters; nothing longer is the name of a section
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
# Front matter and fenced code come first, so that nothing in them is taken for a heading.
_MARKDOWN = re.compile(
    r"""
      \A---[ \t]*+\r?\n .*? ^(?:---|\.\.\.)[ \t]*+\r?$
    | ^[ ]{0,3} (?P<fence>`{3,}(?=[^`\r\n]*+\r?$)|~{3,}) (?: .*? \n [ ]{0,3} (?P=fence) [`~]*+ [ \t]*+ \r?$ | .* )
    | ^[ ]{0,3} (?P<marks>\#{1,6}) (?P<atx>[ \t][^\r\n]*+)
    | ^[ ]{0,3} (?![#>|+*-]|\d+[.)][ ]) (?P<setext>[^\s][^\r\n]*+) \r?\n [ ]{0,3} (?P<rule>=++|-++) [ \t]*+ (?=\r?$)
    """,
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)
# A short line that stands alone and does not end like a sentence.
_PLAIN = re.compile(
    r"(?:\A|\n[ \t]*+\r?\n)(?P<line>[^\s][^\r\n]{0,79}?)(?<![\s.!?:;,。！？：；、，])(?=[ \t]{0,9}\r?\n[ \t]{0,9}\r?\n)"
)


def markdown_headings(text: str) -> tuple[Heading, ...]:
    """The headings of both kinds that CommonMark knows, in order, without their markup."""
    found = []
    for block in _MARKDOWN.finditer(text):
        line = block["atx"] or block["setext"] or ""
        if len(line) <= MAX_HEADING and has_words(line):
            level = len(block["marks"]) if block["marks"] else 1 if block["rule"][0] == "=" else 2
            found.append(Heading(block.start(), block.end(), level, _without_markup(line)))
    return tuple(found)


def plain_headings(text: str) -> tuple[Heading, ...]:
    """The lines of a plain text that look like headings: the first line of all is its title."""
    lines = [line for line in _PLAIN.finditer(text) if has_words(line["line"])]
    return tuple(Heading(m.start("line"), m.end(), 2 if m.start("line") else 1, m["line"]) for m in lines)


def _without_markup(line: str) -> str:
    open_ended = re.sub(r"[ \t]#+[ \t]*$", "", line)
    return " ".join(re.sub(r"[*`]", "", _LINK.sub(r"\1", open_ended)).split())
