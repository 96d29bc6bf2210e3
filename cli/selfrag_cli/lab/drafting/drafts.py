"""Drafts of questions, and the checks that code can do."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from selfrag.domain.fields import MAX_QUESTION_CHARACTERS
from selfrag.domain.passages import Passage
from selfrag.text.east_asian import RUN
from selfrag_cli.feedback.gold import QuestionRow
from selfrag_cli.lab.matching import match

Kind = Literal["single_fact", "several_facts", "follow_up", "unanswerable"]


@dataclass(frozen=True)
class DraftTurn:
    """A question, and the words of the passages that answer it, each a fact; none where there is no answer."""

    question: str
    facts: tuple[str, ...] = ()

    @property
    def answer(self) -> str:
        """Return the facts in a row."""
        return ("、" if RUN.search("".join(self.facts)) else ", ").join(self.facts)


@dataclass(frozen=True)
class QuestionDraft:
    """A question of a kind, and the passages that it is about; `before` is the turn that a follow-up follows."""

    kind: Kind
    turn: DraftTurn
    passages: tuple[Passage, ...]
    before: DraftTurn | None = None

    @property
    def turns(self) -> list[DraftTurn]:
        """Return the question, behind the one that it follows."""
        return [turn for turn in (self.before, self.turn) if turn]

    @property
    def questions(self) -> tuple[str, ...]:
        """Return the questions of its turns."""
        return tuple(turn.question for turn in self.turns)


def flaw_of(draft: QuestionDraft) -> str | None:
    """Return the flaw of a question as far as code can tell; None for none.

    Words are compared as `match` compares an answer with the right one.
    """
    facts = [fact for turn in draft.turns for fact in turn.facts]
    if not all(0 < len(turn.question.strip()) <= MAX_QUESTION_CHARACTERS for turn in draft.turns):
        return "there is no question, or it is too long"
    if draft.kind == "unanswerable":
        return "it has an answer" if facts else None
    if not all(turn.facts for turn in draft.turns):
        return "it has no answer"
    if draft.kind == "several_facts" and len(facts) < 2:
        return "it needs one fact only"
    if not all(_stands_in(fact, draft.passages) for fact in facts):
        return "the answer does not stand in the passage"
    if any(match(turn.question, fact) for turn in draft.turns for fact in draft.turn.facts):
        return "the question says the answer"
    if draft.before and any(match(draft.before.question, fact) for fact in draft.before.facts):
        return "the question says the answer"
    return None


def with_sources(draft: QuestionDraft) -> QuestionDraft:
    """Return the draft with only those of its passages that hold a fact; all of them where there is no fact."""
    facts = [fact for turn in draft.turns for fact in turn.facts]
    sources = tuple(passage for passage in draft.passages if any(_stands_in(fact, [passage]) for fact in facts))
    return replace(draft, passages=sources or draft.passages)


def _stands_in(fact: str, passages: Sequence[Passage]) -> bool:
    return any(match(passage.text, fact) for passage in passages)


def rows_of(drafts: Sequence[QuestionDraft]) -> list[QuestionRow]:
    """Return the questions as rows of a set; an earlier question has a number for its id."""
    rows: list[QuestionRow] = []
    for number, draft in enumerate(drafts, 1):
        if draft.kind == "unanswerable":
            rows.append({"question": draft.turn.question, "answerable": False, "kind": draft.kind})
            continue
        sources: QuestionRow = {
            "documents": list(dict.fromkeys(passage.document for passage in draft.passages)),
            "passages": [passage.text for passage in draft.passages],
        }
        if draft.before:
            rows.append({"id": str(number), **_row(draft.before), **sources, "kind": "single_fact"})
        facts: QuestionRow = {"facts": list(draft.turn.facts)} if len(draft.turn.facts) > 1 else {}
        after: QuestionRow = {"after": str(number)} if draft.before else {}
        rows.append({**_row(draft.turn), **facts, **sources, "kind": draft.kind, **after})
    return rows


def _row(turn: DraftTurn) -> QuestionRow:
    return {"question": turn.question, "answer": turn.answer, "answerable": True}
