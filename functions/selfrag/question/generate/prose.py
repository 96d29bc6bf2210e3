"""Text from the model that is prose: a reply that is JSON or a code fence is regenerated once."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from selfrag.domain.errors import SelfragError
from selfrag.ports.model import Claude, Source, Writing
from selfrag.ports.prompts import Prompt


def write_prose(claude: Claude, prompt: Prompt, sources: Sequence[Source], fields: Mapping[str, Any]) -> Writing:
    """Return the model's text; after two replies in another form it is malformed. Without sources any form will do.

    A document may describe an output format, and a model may obey it. The second request says that its form was wrong.
    """
    first = claude.write("generate", prompt, sources, fields)
    if first.flaw or not sources or not is_data(_text(first)):
        return first
    try:
        second = claude.write("generate", prompt, sources, {**fields, "wrong_form": True})
    except SelfragError as error:
        # The first reply is paid for, and is no answer.
        return replace(first, segments=(), flaw="malformed", error=type(error).__name__, cause=str(error))
    flaw = "malformed" if not second.flaw and is_data(_text(second)) else second.flaw
    return replace(
        second,
        flaw=flaw,
        attempts=first.attempts + second.attempts,
        throttled=first.throttled or second.throttled,
        warnings=tuple(dict.fromkeys([*first.warnings, *second.warnings])),
        earlier=(*first.earlier, *([first.call] if first.call else []), *second.earlier),
    )


def is_data(text: str) -> bool:
    """Return whether a whole text is a JSON object or list, or a code fence."""
    text = text.strip()
    if text.startswith("```") and text.endswith("```"):
        return True
    if text[:1] not in ("{", "["):
        return False
    try:
        return isinstance(json.loads(text), dict | list)
    except ValueError:
        return False


def _text(writing: Writing) -> str:
    return "".join(segment.text for segment in writing.segments)
