"""Labels of a document: tags, and a day."""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from urllib.parse import unquote

import yaml

from selfrag.domain.documents import MAX_TAG_CHARACTERS, MAX_TAGS, Labels, day, has_words, tag

MAX_FRONT_MATTER = 10_000
MAX_BRACKETS = 200
_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*\r?$", re.MULTILINE | re.DOTALL)
_BETWEEN_TAGS = re.compile(r"[,;]")


def labels(tags: Iterable[str], date: str) -> Labels:
    """Return the labels in these texts: tags divided by commas or semicolons; what is neither tag nor day is left out.

    Of a moment its day counts. No more than MAX_TAGS are kept, none of them longer than MAX_TAG_CHARACTERS.
    """
    given = [one for text in tags for one in _BETWEEN_TAGS.split(text)]
    known = dict.fromkeys(map(tag, given))
    kept = [one for one in known if has_words(one) and len(one) <= MAX_TAG_CHARACTERS]
    return Labels(tuple(kept[:MAX_TAGS]), _day(date.strip()))


def cut_front_matter(text: str) -> tuple[str, str]:
    """Return the lines between two lines of dashes at the top of a Markdown file, and the text below them."""
    found = _FRONT_MATTER.match(text[:MAX_FRONT_MATTER])
    return (found[1], text[found.end() :]) if found else ("", text)


def front_matter(text: str) -> Labels:
    """Return the labels in the YAML between two lines of dashes at the top of a Markdown file."""
    found = _FRONT_MATTER.match(text[:MAX_FRONT_MATTER])
    # PyYAML takes the square of the open brackets' number: 5,000 took it nine seconds.
    if not found or found[1].count("[") + found[1].count("{") > MAX_BRACKETS:
        return Labels()
    try:
        # Texts, lists and mappings are all that it makes: nothing that can be large or odd when it is written out.
        values = yaml.load(found[1], Loader=yaml.BaseLoader)  # noqa: S506
    except (yaml.YAMLError, ValueError, RecursionError):
        return Labels()
    if not isinstance(values, Mapping):
        return Labels()
    tags, date = values.get("tags"), values.get("date")
    texts = [text for text in (tags if isinstance(tags, list) else [tags]) if isinstance(text, str)]
    return labels(texts, date if isinstance(date, str) else "")


def of_object(metadata: Mapping[str, str]) -> Labels:
    """Return the labels in an object's metadata; it holds ASCII only, so other letters are percent-encoded."""
    return labels([unquote(metadata.get("tags", ""))], unquote(metadata.get("date", "")))


def last_modified(metadata: Mapping[str, str]) -> str | None:
    """Return the day in an object's metadata on which it was last changed, for documents that have no date."""
    return _day(metadata.get("modified", ""))


def _day(text: str) -> str | None:
    with suppress(ValueError):
        return day(text[:10])
    return None
