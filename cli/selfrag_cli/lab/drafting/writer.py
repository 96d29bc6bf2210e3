"""The writer of questions: Claude, within a sum of dollars; code checks what it writes."""

from collections.abc import Callable, Sequence
from typing import Any

from pydantic import BaseModel

from selfrag.domain.calls import Limits
from selfrag.domain.errors import TemporarilyUnavailable
from selfrag.domain.passages import Passage
from selfrag.ports.model import Claude, Judgement
from selfrag.ports.prompts import load_prompt
from selfrag_cli.lab.drafting.drafts import DraftTurn, Kind, QuestionDraft, flaw_of, with_sources

Search = Callable[[str], list[Passage]]
# The step whose model writes: drafting is no step of a deployment.
STEP = "generate"


class WrittenTurn(BaseModel):
    """A question, and the words of the passages that answer it."""

    facts: list[str]
    question: str


class DraftReply(BaseModel):
    """The shape of the model's reply: the questions in the order in which they are asked."""

    turns: list[WrittenTurn]


class AnswerCheck(BaseModel):
    """The shape of the model's verdict; the words come first, so that it looks for them before it decides."""

    quote: str
    answered: bool


class QuestionWriter:
    """Asks Claude for at most `most` dollars in all; None for no limit.

    `search` finds the best passages for a question, by which one without an answer is checked.
    """

    def __init__(self, claude: Callable[[Limits], Claude], search: Search, most: float | None) -> None:
        self._claude, self._search, self._most = claude, search, most
        self._to_write, self._to_answer = load_prompt(__name__, "write.md"), load_prompt(__name__, "answer.md")
        self.spent = 0.0

    def draft(self, kind: Kind, passage: Passage, other: Passage | None) -> QuestionDraft | str:
        """Return a checked question about a passage, or why there is none; `other` is one of the same document.

        Raises BudgetExceeded if the sum is spent, TemporarilyUnavailable if the model does not reply.
        """
        passages = [passage, other] if kind == "several_facts" and other else [passage]
        fields = {
            "kind": kind,
            "passages": [
                {"number": number, "document": p.document, "title": p.title, "text": p.text}
                for number, p in enumerate(passages, start=1)
            ],
        }
        reply = self._within().judge(STEP, self._to_write, fields, DraftReply)
        self._pay(reply)
        if reply.verdict is None:
            return f"the reply is {reply.flaw}"
        turns = [DraftTurn(" ".join(turn.question.split()), tuple(turn.facts)) for turn in reply.verdict.turns]
        if len(turns) != (2 if kind == "follow_up" else 1):
            return "the passage does not lend itself to the kind"
        draft = QuestionDraft(kind, turns[-1], tuple(passages), turns[0] if len(turns) > 1 else None)
        if flaw := flaw_of(draft):
            return flaw
        if kind == "unanswerable" and self._may_have_answer(draft):
            return "a passage that the search finds may answer it"
        return with_sources(draft)

    def _may_have_answer(self, draft: QuestionDraft) -> bool:
        """Return whether the best passages of a search may answer the question; also where there is no verdict."""
        passages = _distinct([*self._search(draft.turn.question), *draft.passages])
        shown = [{"document": p.document, "title": p.title, "text": p.text} for p in passages]
        fields = {"question": draft.turn.question, "passages": shown}
        reply = self._within().judge(STEP, self._to_answer, fields, AnswerCheck)
        self._pay(reply)
        return reply.verdict is None or reply.verdict.answered

    def _within(self) -> Claude:
        left = None if self._most is None else self._most - self.spent
        # An earlier reply about the same passages is not paid again.
        return self._claude(Limits(budget_usd=left))

    def _pay(self, reply: Judgement[Any]) -> None:
        self.spent += sum(call.cost_usd or 0.0 for call in reply.usage["calls"])
        if reply.flaw == "unavailable":
            raise TemporarilyUnavailable(reply.cause)


def _distinct(passages: Sequence[Passage]) -> list[Passage]:
    return list({passage.passage_id: passage for passage in passages}.values())
