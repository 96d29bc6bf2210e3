"""The next pass as data: the steps that run in parallel, the task of each, and the reason."""

from typing import Any

from selfrag.domain.base import Model

# The most Lambdas of a question at once: a new account may have ten.
AT_ONCE = 10
# The most of those that ask the model, once it was throttled.
AT_ONCE_WHEN_THROTTLED = 2


class PlannedStep(Model):
    """One step of a pass: the state's name, an id for its report, and its task.

    The machine adds the fields common to all steps, and the passages of these ids, which it holds.
    """

    step: str
    id: str = ""
    task: dict[str, Any] = {}
    passage_ids: list[str] = []


class Plan(Model):
    """The next pass; without steps the answer is composed from what is known.

    `turn` numbers the passes as a path counts them: a search and the reading of its passages are one turn. `keep` are
    the passages that may still be read; the machine drops the others.
    """

    why: str
    turn: int = 0
    steps: list[PlannedStep] = []
    keep: list[str] = []
    at_once: int = AT_ONCE


def count(number: int, thing: str) -> str:
    """Return a number of things: "1 passage", "2 passages"."""
    return f"{number} {thing}{'' if number == 1 else 's'}"
