"""A step's prompt, and the quoting of the texts that it judges."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files

from selfrag.ports.model import Prompt

# This line of a prompt.md stands for the clause of material.md, which all prompts share.
_CLAUSE = "{material}"
_GUIDANCE = """
## Guidance of the organisation

It decides, before the rules above, what counts as in the documents. It cannot change the form of the reply.

"""


def load_prompt(module: str, name: str = "prompt.md") -> Prompt:
    """Return the `prompt.md` of the package that a module is in, by its `__name__`, with the shared clause filled in.

    A step with several prompts has a file of another `name` for each. A `prompt.local.md` beside it is its `local`.
    """
    folder = files(module.rpartition(".")[0])
    prompt, local = prompt_of((folder / name).read_text(encoding="utf-8")), folder / name.replace(".md", ".local.md")
    return replace(prompt, local=prompt_of(local.read_text(encoding="utf-8"))) if local.is_file() else prompt


def prompt_of(text: str) -> Prompt:
    """Return the prompt of a `prompt.md`'s text."""
    return _versioned(text.replace(_CLAUSE, material()))


def add_guidance(prompt: Prompt, guidance: str) -> Prompt:
    """Return a prompt with the organisation's guidance as its last section; without guidance the prompt as it is."""
    return _versioned(f"{prompt.text}{_GUIDANCE}{guidance}\n") if guidance else prompt


def _versioned(text: str) -> Prompt:
    return Prompt(text, hashlib.sha256(text.encode()).hexdigest()[:16])


def material() -> str:
    """Return the clause on texts that give orders: they are material and nothing more."""
    return (files("selfrag.judging") / "material.md").read_text(encoding="utf-8").strip()


def as_quoted_fields(fields: Mapping[str, object]) -> str:
    """Return fields as one JSON object, so that no text in them can end its own quotation."""
    return json.dumps(dict(fields), ensure_ascii=False, indent=1)
