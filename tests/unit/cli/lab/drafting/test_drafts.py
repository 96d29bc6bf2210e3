"""What code finds wrong with a question, which passages it rests on, and the rows that `selfrag eval` reads."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from selfrag_cli.lab.drafting.generation import DraftTurn, QuestionDraft
from selfrag_cli.lab.question_sets import read_questions
from tests.support.fakes import passage

LEAVE = passage(text="Each parent receives 18 weeks of leave at full pay. It begins in May.")
HOTEL = passage("p2", "A hotel in Lisbon costs 150 EUR at most.", document="hotels.md")


def turn(question: str, facts: Sequence[str] = ()) -> DraftTurn:
    return DraftTurn(question=question, facts=list(facts))


GOOD = turn("How long is parental leave?", ("18 weeks",))


def draft(kind: Any, *turns: DraftTurn, passages: Any = (LEAVE,)) -> QuestionDraft:
    return QuestionDraft(kind, turns, passages)


@pytest.mark.parametrize(
    ("one", "flaw"),
    [
        (draft("single_fact", GOOD), None),
        (draft("single_fact", turn("How long is it?", ("18  WEEKS",))), None),
        (draft("single_fact", turn("How long is it?", ("20 weeks",))), "does not stand in the passage"),
        (draft("single_fact", turn("How long is it?", ("18 leave",))), "does not stand in the passage"),
        (draft("single_fact", turn("How long is it?", ("8 weeks",))), "does not stand in the passage"),
        (draft("single_fact", turn("Are there 18 weeks?", ("18 weeks",))), "says the answer"),
        (draft("single_fact", turn("How long?", ())), "has no answer"),
        (draft("single_fact", turn(" ", ("18 weeks",))), "no question"),
        (draft("single_fact", turn("?" * 2001, ("18 weeks",))), "too long"),
        (draft("several_facts", turn("How long, and at what pay?", ("18 weeks", "full pay"))), None),
        (draft("several_facts", GOOD), "one fact only"),
        (
            draft("several_facts", turn("How long, and when?", ("18 weeks", "June"))),
            "does not stand in the passage",
        ),
        (draft("follow_up", GOOD, turn("And when does it begin?", ("May",))), None),
        (
            draft("follow_up", turn("Is it in May?", ("18 weeks",)), turn("When?", ("May",))),
            "says the answer",
        ),
        (draft("follow_up", GOOD, turn("When?", ())), "has no answer"),
        (draft("unanswerable", turn("Who pays for it?")), None),
        (draft("unanswerable", GOOD), "it has an answer"),
    ],
)
def test_code_says_what_is_wrong_with_a_question(one: QuestionDraft, flaw: str | None) -> None:
    found = one.flaw()
    assert found is None if flaw is None else flaw in str(found)


def test_a_question_rests_on_the_passages_that_hold_its_facts() -> None:
    both = draft("several_facts", turn("Both?", ("18 weeks", "150 EUR")), passages=(LEAVE, HOTEL))
    one = draft("several_facts", turn("Both?", ("18 weeks", "May")), passages=(LEAVE, HOTEL))
    assert both.with_sources().passages == [LEAVE, HOTEL]
    assert one.with_sources().passages == [LEAVE]


def test_rows_are_read_as_they_were_meant(tmp_path: Path) -> None:
    several = turn("How long, and at what pay?", ("18 weeks", "full pay"))
    kinds = [
        draft("single_fact", GOOD),
        draft("several_facts", several),
        draft("follow_up", GOOD, turn("And when?", ("May",))),
        draft("unanswerable", turn("Who pays for it?")),
    ]
    path = tmp_path / "set.jsonl"
    path.write_text("\n".join(json.dumps(row) for number, kind in enumerate(kinds, 1) for row in kind.rows(number)))
    one, two, before, after, none = read_questions(path)
    assert (one.answers, one.passages, one.documents) == (("18 weeks",), (LEAVE.text,), (LEAVE.document,))
    assert (two.answers, two.facts) == (("18 weeks, full pay",), ("18 weeks", "full pay"))
    assert (after.after, after.answers) == (before.id, ("May",))
    assert (none.answerable, none.answers, none.documents, none.passages) == (False, (), (), ())
    assert [one.kind for one in (two, before, after, none)] == [
        "several_facts",
        "single_fact",
        "follow_up",
        "unanswerable",
    ]
