"""A step's prompt, and the form in which what is judged reaches the model."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Prompt:
    """The text of a `prompt.md`, and its version: a hash of that text."""

    text: str
    version: str


def load_prompt(module_file: str) -> Prompt:
    """Read the `prompt.md` that stands beside a module."""
    text = Path(module_file).with_name("prompt.md").read_text(encoding="utf-8")
    return Prompt(text, hashlib.sha256(text.encode()).hexdigest()[:16])


def as_quoted_fields(fields: Mapping[str, Any]) -> str:
    """Write fields as one JSON object, so that no text in them can end its own quotation."""
    return json.dumps(dict(fields), ensure_ascii=False, indent=1)
