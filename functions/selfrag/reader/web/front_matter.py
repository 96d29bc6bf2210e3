"""Front matter: title and labels at the top of a Markdown file, in YAML or TOML, which are no part of its text."""

import re
import tomllib
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from selfrag.domain.documents import Labels
from selfrag.reader.labels import labels

# Longer front matter, and such with more brackets, is read line by line: PyYAML takes the square of the open brackets'
# number, 5,000 took it nine seconds.
MAX_FRONT_MATTER, MAX_BRACKETS = 10_000, 200
MAX_TITLE = 200
# The keys of a date, in the order in which they are believed, as in the head of a web page.
_DATES = ("date", "lastmod", "last_modified", "modified", "last_updated", "updated", "published")
_YAML = re.compile(r"\A\ufeff?---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*$\n?", re.MULTILINE | re.DOTALL)
_TOML = re.compile(r"\A\ufeff?\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*$\n?", re.MULTILINE | re.DOTALL)
_YAML_LINE = re.compile(r"""\A["']?([^\W\d][\w .-]{0,60}?)["']?[ \t]{0,4}:(?:[ \t]+(.*)|$)""")
_TOML_LINE = re.compile(r"""\A["']?([\w.-]++)["']?[ \t]*+=[ \t]*+(.*)|\A\[.*\][ \t]*$""")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)")
_QUOTES = re.compile(r"""["'\[\]]""")


@dataclass(frozen=True)
class FrontMatter:
    """The title ("" without one) and the labels of a Markdown file, and its text below them."""

    title: str
    labels: Labels
    body: str


def front_matter(text: str) -> FrontMatter:
    """Return the front matter of a text whose lines end with a line feed.

    It begins with the file and a key in the next line; above other lines a line of dashes is a rule. One that is no
    YAML or TOML, such as a title with a colon, is read line by line.
    """
    for block, key_line, read in ((_YAML, _YAML_LINE, _yaml), (_TOML, _TOML_LINE, tomllib.loads)):
        match = block.match(text)
        if match and (values := _values(match[1], key_line, read)) is not None:
            return FrontMatter(_title(values), _labels(values), text[match.end() :])
    return FrontMatter("", Labels(), text)


def _yaml(text: str) -> Any:
    # Texts, lists and mappings are all that it makes: nothing that can be large or odd when it is written out.
    return yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506


def _values(text: str, key_line: re.Pattern[str], read: Callable[[str], Any]) -> dict[str, Any] | None:
    """Return the values by their keys, None if the lines are no front matter."""
    lines = [line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")]
    if not text.strip():
        return {}
    if not text.split("\n", 1)[0].strip() or not lines or not key_line.match(lines[0]):
        return None
    if len(text) <= MAX_FRONT_MATTER and text.count("[") + text.count("{") <= MAX_BRACKETS:
        try:
            values = read(text)
        except (yaml.YAMLError, ValueError, RecursionError):
            values = None
        if isinstance(values, Mapping):
            return {_key(str(name)): value for name, value in values.items()}
    # A text between two rules has paragraphs, which empty lines divide.
    if "" in map(str.strip, text.rstrip().split("\n")) and sum(map(_looks_like(key_line), lines)) * 2 < len(lines):
        return None
    return _by_lines(lines, key_line)


def _looks_like(key_line: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda line: bool(key_line.match(line) or _ITEM.match(line) or line[0] in " \t")


def _by_lines(lines: Sequence[str], key_line: re.Pattern[str]) -> dict[str, str]:
    """Return the texts behind the keys of lines; items below a key are divided by commas."""
    values: dict[str, str] = {}
    name = ""
    for line in lines:
        if (match := key_line.match(line)) and match[1]:
            name = _key(match[1])
            values.setdefault(name, match[2] or "")
        elif name and (item := _ITEM.match(line)):
            values[name] += f",{item[1]}"
    return {name: _unquoted(text.strip(), whole=name == "title") for name, text in values.items()}


def _unquoted(text: str, *, whole: bool) -> str:
    """Return a text without the quotes around it, or without those and the brackets of a list."""
    if not whole:
        return _QUOTES.sub("", text)
    return text[1:-1] if text[:1] in ("'", '"') and text[1:].endswith(text[:1]) else text


def _key(name: str) -> str:
    return re.sub(r"[ -]", "_", name.casefold())


def _title(values: Mapping[str, Any]) -> str:
    title = values.get("title")
    if not isinstance(title, str):
        return ""
    return " ".join("".join(" " if unicodedata.category(c) in ("Cc", "Cs") else c for c in title).split())[:MAX_TITLE]


def _labels(values: Mapping[str, Any]) -> Labels:
    tags = [tag for name in ("tags", "keywords") for tag in _texts(values.get(name))]
    candidates = [labels(tags, date) for name in _DATES for date in _texts(values.get(name))]
    return next((candidate for candidate in candidates if candidate.date), labels(tags, ""))


def _texts(value: Any) -> list[str]:
    """Return the texts of a value or a list; a date of TOML is a text, too."""
    texts = value if isinstance(value, list) else [value]
    return [str(text) for text in texts if text is not None and not isinstance(text, dict | list)]
