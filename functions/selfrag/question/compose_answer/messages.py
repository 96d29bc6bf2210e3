"""Messages to the asker, in the language of the question.

They replace a missing answer or appear among a response's warnings.
"""

import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from selfrag.domain.errors import HINTS
from selfrag.text.language import Language, language_of

# Quotation marks for a query, and the separator of queries.
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

# Texts of a partial response without an answer.
WITHOUT_ANSWER = frozenset(texts[name] for texts in MESSAGES.values() for name in ("no_time", "no_money", "no_room"))


class Messages:
    """The messages in the language of a question."""

    def __init__(self, question: str) -> None:
        self._language = language_of(question)

    def __contains__(self, name: str) -> bool:
        return name in MESSAGES[self._language]

    def __call__(self, name: str, **values: Any) -> str:
        """Return a message with its placeholders filled in."""
        return MESSAGES[self._language][name].format(**values)

    def join(self, *texts: str) -> str:
        """Join distinct sentences; Japanese uses no space."""
        return ("" if self._language == "ja" else " ").join(filter(None, dict.fromkeys(texts)))

    def list_searched(self, queries: Sequence[str]) -> str:
        """Return the sentence that lists the queries."""
        return self("searched", queries=self.quote_list(queries)) if queries else self("not_searched")

    def quote_list(self, queries: Sequence[str]) -> str:
        """Return queries in the quotation marks of the language."""
        quotation, between = _QUOTED[self._language]
        return between.join(quotation.format(query) for query in queries)
