"""Definitions of PHP Markdown Extra and pandoc, which GitHub's Markdown does not know, as HTML in the Markdown."""

import re

# Fenced code comes first: nothing in it is taken for a definition. A bar in code divides no cells, as in pandoc.
_BLOCKS = re.compile(
    r"""
      ^[ ]{0,3} (?P<fence>`{3,}(?=[^`\n]*+$)|~{3,}) (?: .*? \n [ ]{0,3} (?P=fence) [`~]*+ [ \t]*+ $ | .* )
    | ^[ ]{0,3} (?P<row> \| [^\n]*+ )
    | (?: \A | (?<=\n\n) ) (?P<terms> (?: [^\s:~>|\#] [^\n]*+ \n ){1,4}? | [^\s:~>|\#] [^\n]*+ \n \n )
      (?= [ ]{0,2} [:~] [ \t]++ \S )
      (?P<meaning> (?: [ \t]*+ \S [^\n]*+ (?: \n | \Z )
                     | (?: [ \t]*+ \n )++ (?= (?: [ ]{4} | [ ]{0,3} \t | [ ]{0,2} [:~] [ \t] ) [ \t]*+ \S ) )++ )
    """,
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)
_CODE = re.compile(r"(?<!`)`++[^`]++`++")
_BAR = re.compile(r"(?<!\\)\|")
_MARK = re.compile(r"^[ ]{0,2}[:~][ \t]++", re.MULTILINE)
_INDENT = re.compile(r"^(?:[ ]{1,4}|\t)", re.MULTILINE)


def rewritten(text: str) -> str:
    """Return Markdown in which definitions are lists of HTML, and bars in the code of tables are escaped."""
    return _BLOCKS.sub(_block, text)


def _block(block: re.Match[str]) -> str:
    if block["row"]:
        return _CODE.sub(lambda code: _BAR.sub(r"\\|", code[0]), block[0])
    if not block["terms"]:
        return block[0]
    terms = [f"<dt>\n\n{term}\n\n</dt>\n" for term in block["terms"].splitlines() if term]
    texts = [f"<dd>\n\n{_INDENT.sub('', text)}\n\n</dd>\n" for text in _MARK.split(block["meaning"])[1:]]
    return f"<dl>\n{''.join(terms + texts)}</dl>\n\n"
