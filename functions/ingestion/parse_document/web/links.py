"""The links and pictures of Markdown: what they show is read, and where they lead to is not, as on a web page."""

import re

# Code and what a backslash keeps from being a mark come first: nothing in them is a link. The text of a link may hold
# one more pair of brackets, such as those of a picture.
_LINK = re.compile(
    r"""
      \\[^\r\n]
    | ^[ ]{0,3} (?P<fence>`{3,}(?=[^`\r\n]*+\r?$)|~{3,}) (?: .*? \n [ ]{0,3} (?P=fence) [`~]*+ [ \t]*+ \r?$ | .* )
    | (?<!`) `++ (?: [^`\r\n] | \r?\n(?![ \t]*+\r?\n) )++ `++
    | (?<! [A-Za-z0-9_\]] ) !? \[ (?!\^)
      (?P<text> (?: [^\[\]\\\r\n] | \\[^\r\n] | \r?\n(?![ \t]*+\r?\n) | !?\[[^\[\]\r\n]*+\](?:\([^\s()]*+\))? )*+ ) \]
      \( [ \t]*+ (?: <[^<>\r\n]*+> | [^\s()<>]*+ (?: \([^\s()]*+\) [^\s()]*+ )*+ )
      (?: \s++ (?: "[^"]*+" | '[^']*+' ) )? [ \t]*+ \)
    """,
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)


def without_addresses(text: str) -> str:
    """A text with the words of its links and pictures alone; code, and links by reference, are as they were."""
    return _LINK.sub(_shown, text)


def _shown(found: re.Match[str]) -> str:
    text = found["text"]
    return found[0] if text is None else without_addresses(text)
