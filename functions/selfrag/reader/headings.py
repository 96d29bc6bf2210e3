"""The headings of plain text, and where they stand."""

import re

from selfrag.domain.documents import Heading, has_words

# A short line that stands alone and does not end like a sentence.
_PLAIN = re.compile(
    r"(?:\A|\n[ \t]*+\r?\n)(?P<line>[^\s][^\r\n]{0,79}?)(?<![\s.!?:;,。！？：；、，])(?=[ \t]{0,9}\r?\n[ \t]{0,9}\r?\n)"
)


def plain_headings(text: str) -> tuple[Heading, ...]:
    """Return the lines of a plain text that look like headings: the first line of all is its title."""
    lines = [line for line in _PLAIN.finditer(text) if has_words(line["line"])]
    return tuple(Heading(m.start("line"), m.end(), 2 if m.start("line") else 1, m["line"]) for m in lines)
