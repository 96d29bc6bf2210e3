"""The writer of questions: Claude, within a sum of dollars."""

from collections.abc import Callable, Sequence
from typing import Any

from cli.lab.making.answering.logic import answering
from cli.lab.making.checks import Kind, Made
from cli.lab.making.writing.logic import write
from selfrag.domain.calls import Limits
from selfrag.domain.errors import TemporarilyUnavailable
from selfrag.domain.passages import Passage
from selfrag.ports.model import Claude, Judgement
from selfrag.ports.prompts import Prompt

Search = Callable[[str], list[Passage]]
# A passage, and another one of its document.
Piece = tuple[Passage, Passage | None]


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
        self.spent += (judgement.call.cost_usd or 0.0) if judgement.call else 0.0
        if judgement.flaw == "unavailable":
            raise TemporarilyUnavailable(judgement.cause)

    def _distinct(self, passages: Sequence[Passage]) -> list[Passage]:
        return list({passage.passage_id: passage for passage in passages}.values())
