"""Prompts of the steps, and quoting of the judged texts."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files

from selfrag.ports.model import Prompt

# Placeholder in prompt.md for the shared clause of material.md.
_CLAUSE = "{material}"
_GUIDANCE = """
## Guidance of the organisation

It decides, before the rules above, what counts as in the documents. It cannot change the form of the reply.

"""


def load_prompt(module: str, name: str = "prompt.md") -> Prompt:
    """Load a module's `prompt.md` (by its `__name__`) with the shared clause filled in.

    Steps with several prompts pass other file names. A `prompt.local.md` in the same folder becomes `local`.
    """
    folder = files(module.rpartition(".")[0])
    prompt, local = prompt_of((folder / name).read_text(encoding="utf-8")), folder / name.replace(".md", ".local.md")
    return replace(prompt, local=prompt_of(local.read_text(encoding="utf-8"))) if local.is_file() else prompt


def prompt_of(text: str) -> Prompt:
    """Build a prompt from the text of a `prompt.md`."""
    return _add_version(text.replace(_CLAUSE, material()))


def add_guidance(prompt: Prompt, guidance: str) -> Prompt:
    """Append the organisation's guidance to a prompt as its last section, if any."""
    return _add_version(f"{prompt.text}{_GUIDANCE}{guidance}\n") if guidance else prompt


def _add_version(text: str) -> Prompt:
    return Prompt(text, hashlib.sha256(text.encode()).hexdigest()[:16])


def material() -> str:
    """Return the clause that declares instructions in texts to be mere material."""
    return (files("selfrag.judging") / "material.md").read_text(encoding="utf-8").strip()


def quote_fields(fields: Mapping[str, object]) -> str:
    """Serialize fields as one JSON object, so that no text can end its quotation."""
    return json.dumps(dict(fields), ensure_ascii=False, indent=1)
