"""A step's prompt, and the form in which what is judged reaches the model."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Where a prompt.md has this line, it says the clause of material.md: it is one text, so a better wording reaches all.
_CLAUSE = "{material}"


@dataclass(frozen=True)
class Prompt:
    """The text of a `prompt.md`, and its version: a hash of that text."""

    text: str
    version: str


def load_prompt(module_file: str, name: str = "prompt.md") -> Prompt:
    """Read the `prompt.md` that stands beside a module, with the clause that all prompts share put in its place.

    A step that asks for something else in another place has a prompt of another `name` for it.
    """
    return prompt_of(Path(module_file).with_name(name).read_text(encoding="utf-8"))


def prompt_of(text: str) -> Prompt:
    """The prompt of the text of a `prompt.md`."""
    text = text.replace(_CLAUSE, material())
    return Prompt(text, hashlib.sha256(text.encode()).hexdigest()[:16])


def material() -> str:
    """What every prompt says of texts that give orders: they are material and nothing more."""
    return Path(__file__).with_name("material.md").read_text(encoding="utf-8").strip()


def as_quoted_fields(fields: Mapping[str, Any]) -> str:
    """Write fields as one JSON object, so that no text in them can end its own quotation."""
    return json.dumps(dict(fields), ensure_ascii=False, indent=1)
