"""Prompts in place of the steps' own, as a command is given them: STEP=FILE."""

from collections.abc import Collection
from pathlib import Path

from selfrag.domain.errors import InvalidInput
from selfrag.ports.prompts import Prompt, prompt_of


def read_prompt(text: str, steps: Collection[str]) -> tuple[str, Path, Prompt]:
    """Return the step, the file and the prompt of `STEP=FILE`; raises InvalidInput with one sentence."""
    step, name = read_step(text, steps, "a step and a file: --prompt grade_support=stricter.md")
    try:
        said = Path(name).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise InvalidInput(f"The prompt {name} cannot be read: {error}.") from error
    if not said.strip():
        raise InvalidInput(f"The prompt {name} is empty.")
    return step, Path(name), prompt_of(said)


def read_step(text: str, steps: Collection[str], wanted: str) -> tuple[str, str]:
    """Return the two sides of `STEP=...`; raises InvalidInput, with what is wanted."""
    step, _, name = text.partition("=")
    if not name:
        raise InvalidInput(f"{text!r} is not {wanted}.")
    if step not in steps:
        raise InvalidInput(f"There is no step {step} to change; there are {', '.join(steps)}.")
    return step, name
