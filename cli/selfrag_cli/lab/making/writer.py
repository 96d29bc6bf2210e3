"""The writer of questions: Claude, within a sum of dollars; code checks what it writes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from selfrag.domain.calls import Limits
from selfrag.domain.errors import TemporarilyUnavailable
from selfrag.domain.passages import Passage
from selfrag.ports.model import Claude, Judgement
from selfrag.ports.prompts import Prompt
from selfrag_cli.lab.making.checks import Kind, Made, Turn, flaw_of, resting

Search = Callable[[str], list[Passage]]
# A passage, and another one of its document.
Piece = tuple[Passage, Passage | None]
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
    """A question, or why there is none; `judgement` has its cost."""

    made: Made | None
    flaw: str | None
    judgement: Judgement[Writing]


def write(kind: Kind, passages: Sequence[Passage], claude: Claude, prompt: Prompt) -> Written:
    """Ask for a question of this kind about passages, and check it."""
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


class Answering(BaseModel):
    """The shape of the model's verdict; the words come first, so that it looks for them before it decides."""

    quote: str
    answered: bool


def answering(question: str, passages: Sequence[Passage], claude: Claude, prompt: Prompt) -> Judgement[Answering]:
    """Ask whether passages answer a question, and with which words; a verdict that is missing is none."""
    found = [{"document": p.document, "title": p.title, "text": p.text} for p in passages]
    return claude.judge(STEP, prompt, {"question": question, "passages": found}, Answering)


class Writer:
    """Asks Claude, and for at most `most` dollars in all; None for no limit.

    `search` finds the best passages for a question, by which one without an answer is checked.
    """

    def __init__(
        self, claude: Callable[[Limits], Claude], prompts: tuple[Prompt, Prompt], search: Search, most: float | None
    ) -> None:
        self._claude, self._search, self._most = claude, search, most
        self._to_write, self._to_answer = prompts
        self.spent = 0.0

    def make(self, kind: Kind, piece: Piece) -> Made | str:
        """Return a question that was written and checked, or why there is none.

        Raises BudgetExceeded if the sum is spent, TemporarilyUnavailable if the model does not reply.
        """
        passage, other = piece
        passages = [passage, other] if kind == "several_facts" and other else [passage]
        written = write(kind, passages, self._within(), self._to_write)
        self._paid(written.judgement)
        if written.made is None:
            return str(written.flaw)
        if kind == "unanswerable" and self._is_answered(written.made):
            return "a passage that the search finds may answer it"
        return written.made

    def _is_answered(self, made: Made) -> bool:
        """Return whether what the search finds may answer it; also where there is no verdict."""
        passages = self._distinct([*self._search(made.asked.question), *made.passages])
        judgement = answering(made.asked.question, passages, self._within(), self._to_answer)
        self._paid(judgement)
        return judgement.verdict is None or judgement.verdict.answered

    def _within(self) -> Claude:
        left = None if self._most is None else self._most - self.spent
        # What was written for the same passages before is not paid again.
        return self._claude(Limits(budget_usd=left))

    def _paid(self, judgement: Judgement[Any]) -> None:
        self.spent += sum(call.cost_usd or 0.0 for call in judgement.took["calls"])
        if judgement.flaw == "unavailable":
            raise TemporarilyUnavailable(judgement.cause)

    def _distinct(self, passages: Sequence[Passage]) -> list[Passage]:
        return list({passage.passage_id: passage for passage in passages}.values())
