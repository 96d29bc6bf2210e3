"""The lists of words.json, which this package compares texts by."""

import json
from importlib.resources import files
from typing import Any

WORD_LISTS: dict[str, Any] = json.loads((files(__package__) / "words.json").read_text(encoding="utf-8"))


def word_list(name: str) -> str:
    """Return the words of a list, with spaces between them."""
    return " ".join(WORD_LISTS[name])
