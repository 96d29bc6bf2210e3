"""Questions that were made, and the checks that code can do."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from selfrag.domain.fields import MAX_QUESTION_CHARACTERS
from selfrag.domain.passages import Passage
from selfrag.text.east_asian import RUN
from selfrag_cli.lab.metrics.matching import match

Kind = Literal["single_fact", "several_facts", "follow_up", "unanswerable"]


@dataclass(frozen=True)
class Turn:
    """A question, and the words of the passages that answer it, each a fact; none where there is no answer."""

    question: str
    facts: tuple[str, ...] = ()

    @property
    def answer(self) -> str:
        """Return the facts in a row."""
        return ("、" if RUN.search("".join(self.facts)) else ", ").join(self.facts)


@dataclass(frozen=True)
class Made:
    """A question of a kind, with the passages that it was made from; `before` is the turn that a follow-up follows."""

    kind: Kind
    asked: Turn
    passages: tuple[Passage, ...]
    before: Turn | None = None

    @property
    def turns(self) -> list[Turn]:
        """Return the question, behind the one that it follows."""
        return [turn for turn in (self.before, self.asked) if turn]

    @property
    def questions(self) -> tuple[str, ...]:
        """Return the questions of its turns."""
        return tuple(turn.question for turn in self.turns)


def flaw_of(made: Made) -> str | None:
    """Return the flaw of a question as far as code can tell; None for none.

    Words are compared as `match` compares an answer with the right one.
    """
    facts = [fact for turn in made.turns for fact in turn.facts]
    if not all(0 < len(turn.question.strip()) <= MAX_QUESTION_CHARACTERS for turn in made.turns):
        return "there is no question, or it is too long"
    if made.kind == "unanswerable":
        return "it has an answer" if facts else None
    if not all(turn.facts for turn in made.turns):
        return "it has no answer"
    if made.kind == "several_facts" and len(facts) < 2:
        return "it needs one fact only"
    if not all(_stands_in(fact, made.passages) for fact in facts):
        return "the answer does not stand in the passage"
    if any(match(turn.question, fact) for turn in made.turns for fact in made.asked.facts):
        return "the question says the answer"
    if made.before and any(match(made.before.question, fact) for fact in made.before.facts):
        return "the question says the answer"
    return None


def resting(made: Made) -> Made:
    """Return the same with those of its passages alone that a fact stands in; all of them where there is no fact."""
    facts = [fact for turn in made.turns for fact in turn.facts]
    holding = tuple(one for one in made.passages if any(_stands_in(fact, [one]) for fact in facts))
    return replace(made, passages=holding or made.passages)


def _stands_in(fact: str, passages: Sequence[Passage]) -> bool:
    return any(match(passage.text, fact) for passage in passages)


def rows_of(made: Sequence[Made]) -> list[dict[str, Any]]:
    """Return the questions as rows of selfrag's format; the one that is followed has a number for its id."""
    rows: list[dict[str, Any]] = []
    for number, one in enumerate(made, 1):
        where = {
            "documents": list(dict.fromkeys(passage.document for passage in one.passages)),
            "passages": [passage.text for passage in one.passages],
        }
        if one.kind == "unanswerable":
            rows.append({"question": one.asked.question, "answerable": False, "kind": one.kind})
            continue
        if one.before:
            rows.append({"id": str(number), **_row(one.before), **where, "kind": "single_fact"})
        facts = {"facts": list(one.asked.facts)} if len(one.asked.facts) > 1 else {}
        after = {"after": str(number)} if one.before else {}
        rows.append({**_row(one.asked), **facts, **where, "kind": one.kind, **after})
    return rows


def _row(turn: Turn) -> dict[str, Any]:
    return {"question": turn.question, "answer": turn.answer, "answerable": True}
