"""Asks Claude for a question of a kind about passages; what it is given back is checked by code."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from cli.lab.making.checks import Kind, Made, Turn, flaw_of, resting
from selfrag.domain.passages import Passage
from selfrag.ports.model import Claude, Judgement
from selfrag.ports.prompts import Prompt

# Whose model writes: a set of questions is no step of a deployment's.
STEP = "generate"
_TURNS = {"follow_up": 2}


class WrittenTurn(BaseModel):
    """A question, and the words of the passages that answer it."""

    facts: list[str]
    question: str


class Writing(BaseModel):
    """The shape of the model's reply: the questions in the order in which they are asked."""

    turns: list[WrittenTurn]


@dataclass(frozen=True)
class Written:
    """A question, or why there is none; `judgement` says what it took."""

    made: Made | None
    flaw: str | None
    judgement: Judgement[Writing]


def write(kind: Kind, passages: Sequence[Passage], claude: Claude, prompt: Prompt) -> Written:
    """A question of this kind about passages, of which code has found nothing wrong."""
    fields = {
        "kind": kind,
        "passages": [
            {"number": number, "document": p.document, "title": p.title, "text": p.text}
            for number, p in enumerate(passages, start=1)
        ],
    }
    judgement = claude.judge(STEP, prompt, fields, Writing)
    if judgement.verdict is None:
        return Written(None, f"the reply is {judgement.flaw}", judgement)
    turns = [Turn(" ".join(one.question.split()), tuple(one.facts)) for one in judgement.verdict.turns]
    if len(turns) != _TURNS.get(kind, 1):
        return Written(None, "the passage does not lend itself to the kind", judgement)
    made = Made(kind, turns[-1], tuple(passages), turns[0] if len(turns) > 1 else None)
    flaw = flaw_of(made)
    return Written(None if flaw else resting(made), flaw, judgement)
