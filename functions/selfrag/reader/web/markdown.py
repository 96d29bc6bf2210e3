"""GitHub-flavored Markdown: front matter is parsed here, and cmark-gfm converts the rest to HTML."""

import re
import tomllib
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import yaml
from cmarkgfm.cmark import Options, markdown_to_html_with_extensions

from selfrag.domain.documents import Document, Labels
from selfrag.reader.labels import labels
from selfrag.reader.web.html import read_html

_OPTIONS = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_FOOTNOTES | Options.CMARK_OPT_STRIKETHROUGH_DOUBLE_TILDE
_EXTENSIONS = ("table", "strikethrough")
# Pandoc captions, external links, pictures, and footnote back links.
_SHOWN_AS = (
    (re.compile(r"^<p>(?:[Tt]able)?:[ \t](.*)</p>\n<table>$", re.MULTILINE), r"<table><caption>\1</caption>"),
    (re.compile(r"^</table>\n<p>(?:[Tt]able)?:[ \t](.*)</p>$", re.MULTILINE), r"<caption>\1</caption></table>"),
    (re.compile(r'<a href="(?!#)[^"]*+"'), "<a"),
    (re.compile(r'<img src="[^"]*+" alt="([^"]*+)"[^<>]*+>'), r"\1"),
    (re.compile(r' ?<a href="#fnref[^<>]*+>↩(?:<sup[^<>]*+>\d++</sup>)?</a>'), ""),
)
# Fenced code comes first: its bars are no cell borders, as in pandoc; nor are those in code within tables.
_BLOCKS = re.compile(
    r"""
      ^[ ]{0,3} (?P<fence>`{3,}(?=[^`\n]*+$)|~{3,}) (?: .*? \n [ ]{0,3} (?P=fence) [`~]*+ [ \t]*+ $ | .* )
    | ^[ ]{0,3} (?P<row> \| [^\n]*+ )
    """,
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)
_CODE = re.compile(r"(?<!`)`++[^`]++`++")
_BAR = re.compile(r"(?<!\\)\|")
# Longer or bracket-heavy front matter is read line by line: PyYAML is quadratic in open brackets, and 5,000 took nine
# seconds.
MAX_FRONT_MATTER, MAX_BRACKETS = 10_000, 200
MAX_TITLE = 200
# Date keys by priority, as for HTML.
_DATES = ("date", "lastmod", "last_modified", "modified", "last_updated", "updated", "published")
_YAML = re.compile(r"\A\ufeff?---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*$\n?", re.MULTILINE | re.DOTALL)
_TOML = re.compile(r"\A\ufeff?\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*$\n?", re.MULTILINE | re.DOTALL)
_YAML_LINE = re.compile(r"""\A["']?([^\W\d][\w .-]{0,60}?)["']?[ \t]{0,4}:(?:[ \t]+(.*)|$)""")
_TOML_LINE = re.compile(r"""\A["']?([\w.-]++)["']?[ \t]*+=[ \t]*+(.*)|\A\[.*\][ \t]*$""")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)")
# Only strings, lists and mappings result, which stay small when written out.
_read_yaml = partial(yaml.load, Loader=yaml.BaseLoader)
_QUOTES = re.compile(r"""["'\[\]]""")


def read_markdown(key: str, text: str) -> Document:
    """Read Markdown; raises BadDocument like read_html.

    Not thread-safe: cmark-gfm keeps its extensions in process-wide variables.
    """
    front = front_matter(text.replace("\r\n", "\n").replace("\r", "\n"))
    html = markdown_to_html_with_extensions(
        _BLOCKS.sub(_escape_bars, front.body), options=_OPTIONS, extensions=_EXTENSIONS
    )
    for pattern, shown in _SHOWN_AS:
        html = pattern.sub(shown, html)
    # In a quotation, licence notices are content.
    document = read_html(key, f"<blockquote>{html}</blockquote>")
    return replace(document, title=front.title or document.title, **vars(front.labels))


def _escape_bars(block: re.Match[str]) -> str:
    """Escape the bars in code within tables."""
    return _CODE.sub(lambda code: _BAR.sub(r"\\|", code[0]), block[0]) if block["row"] else block[0]


@dataclass(frozen=True)
class FrontMatter:
    """Title ("" if missing) and labels of a Markdown file, and the text below."""

    title: str
    labels: Labels
    body: str


def front_matter(text: str) -> FrontMatter:
    """Split off the front matter of a text with LF line ends.

    It starts on the first line, with a key on the next; otherwise dashes are a rule. Invalid YAML or TOML, such as a
    title with a colon, is read line by line.
    """
    for block, key_line, read in ((_YAML, _YAML_LINE, _read_yaml), (_TOML, _TOML_LINE, tomllib.loads)):
        match = block.match(text)
        if match and (values := _values(match[1], key_line, read)) is not None:
            return FrontMatter(_title(values.get("title")), _labels(values), text[match.end() :])
    return FrontMatter("", Labels(), text)


def _values(text: str, key_line: re.Pattern[str], read: Callable[[str], Any]) -> Mapping[str, object] | None:
    """Return the keys and values, or None if the lines are not front matter."""
    lines = [line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")]
    if not text.strip():
        return {}
    is_rule = key_line is _YAML_LINE and not text.split("\n", 1)[0].strip()
    if is_rule or not lines or not key_line.match(lines[0]):
        return None
    if len(text) <= MAX_FRONT_MATTER and text.count("[") + text.count("{") <= MAX_BRACKETS:
        with suppress(yaml.YAMLError, ValueError, RecursionError):
            if isinstance(values := read(text), Mapping):
                return {_key(str(name)): value for name, value in values.items()}
    # Text between two rules has paragraphs, separated by empty lines.
    alike = sum(bool(key_line.match(line) or _ITEM.match(line) or line[0] in " \t") for line in lines)
    if "" in map(str.strip, text.rstrip().split("\n")) and alike * 2 < len(lines):
        return None
    return _parse_lines(lines, key_line)


def _parse_lines(lines: Sequence[str], key_line: re.Pattern[str]) -> Mapping[str, str]:
    """Parse keys line by line; list items are joined by commas."""
    values: dict[str, str] = {}
    name = ""
    for line in lines:
        if (match := key_line.match(line)) and match[1]:
            name = _key(match[1])
            values.setdefault(name, match[2] or "")
        elif name and (item := _ITEM.match(line)):
            values[name] += f",{item[1]}"
    title = values.get("title", "").strip()
    unquoted = title[1:-1] if title[:1] in ("'", '"') and title[1:].endswith(title[:1]) else title
    return {name: unquoted if name == "title" else _QUOTES.sub("", text.strip()) for name, text in values.items()}


def _key(name: str) -> str:
    return re.sub(r"[ -]", "_", name.casefold())


def _title(title: object) -> str:
    if not isinstance(title, str):
        return ""
    return " ".join("".join(" " if unicodedata.category(c) in ("Cc", "Cs") else c for c in title).split())[:MAX_TITLE]


def _labels(values: Mapping[str, object]) -> Labels:
    groups = [values, group] if isinstance(group := values.get("taxonomies"), dict) else [values]
    tags = [tag for group in groups for name in ("tags", "keywords") for tag in _texts(group.get(name))]
    candidates = [labels(tags, date) for name in _DATES for date in _texts(values.get(name))]
    return next((candidate for candidate in candidates if candidate.date), labels(tags, ""))


def _texts(value: object) -> list[str]:
    """Return the texts of a value or list; TOML dates are text, too."""
    texts = value if isinstance(value, list) else [value]
    return [str(text) for text in texts if text is not None and not isinstance(text, dict | list)]
