"""The messages of selfrag to the person who asked, in the language of the question.

They stand in an answer that is no answer of the writer's, and among the warnings of a response.
"""

import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from selfrag.domain.errors import HINTS
from selfrag.text.language import Language, language_of

# How a query is quoted, and what stands between two.
_QUOTED: dict[Language, tuple[str, str]] = {
    "en": ('"{}"', "; "),
    "de": ("„{}“", "; "),
    "fr": ("« {} »", " ; "),
    "es": ("«{}»", "; "),
    "ja": ("「{}」", "、"),
    "ko": ("‘{}’", ", "),
}

MESSAGES: dict[Language, dict[str, str]] = json.loads(
    (files(__package__) / "messages.json").read_text(encoding="utf-8")
)
MESSAGES["en"] |= HINTS

# The texts of a response that is partial and has no answer.
WITHOUT_ANSWER = frozenset(texts[name] for texts in MESSAGES.values() for name in ("no_time", "no_money", "no_room"))


class Messages:
    """The messages in the language of a question."""

    def __init__(self, question: str) -> None:
        self._language = language_of(question)

    def __contains__(self, name: str) -> bool:
        return name in MESSAGES[self._language]

    def __call__(self, name: str, **values: Any) -> str:
        """Return a message with values in its places."""
        return MESSAGES[self._language][name].format(**values)

    def joined(self, *texts: str) -> str:
        """Return sentences one after the other, each once; Japanese has no space between them."""
        return ("" if self._language == "ja" else " ").join(filter(None, dict.fromkeys(texts)))

    def searched(self, queries: Sequence[str]) -> str:
        """Return the sentence on what was searched for."""
        return self("searched", queries=self.quoted(queries)) if queries else self("not_searched")

    def quoted(self, queries: Sequence[str]) -> str:
        """Return queries in the quotation marks of the language."""
        quotation, between = _QUOTED[self._language]
        return between.join(quotation.format(query) for query in queries)
