"""A person keeps, drops and edits questions; what is edited is checked once more."""

import io
from collections.abc import Callable, Iterable

import pytest
from rich.console import Console

from cli.lab.making.made import Made, Turn
from cli.lab.making.reviewing import review
from tests.support.fakes import passage

PASSAGE = passage(text="Each parent receives 18 weeks of leave. \x1b[2JIt begins in May.")
MADE = [Made("single_fact", Turn(f"{number}?", ("18 weeks",)), (PASSAGE,)) for number in range(4)]


def typed(*answers: str) -> Callable[[str, str], str]:
    """A person who types this, and nothing but Enter for an empty text."""
    left = iter(answers)
    return lambda what, usual: next(left) or usual


def reviewed(made: Iterable[Made], *answers: str) -> tuple[list[str], str]:
    shown = io.StringIO()
    kept = review(list(made), Console(file=shown, width=100), typed(*answers))
    return [one.asked.question for one in kept], shown.getvalue()


@pytest.mark.parametrize(
    ("answers", "kept"),
    [
        (["k", "d", "", "D"], ["0?", "2?"]),
        (["d", "r"], ["1?", "2?", "3?"]),
        (["k", "q"], ["0?"]),
        (["what", "k", "q"], ["0?"]),
    ],
)
def test_what_is_kept_is_what_the_person_says(answers: list[str], kept: list[str]) -> None:
    assert reviewed(MADE, *answers)[0] == kept


def test_each_question_is_shown_with_its_answer_and_the_passage_that_it_rests_on() -> None:
    _, shown = reviewed(MADE[:1], "k")
    assert "1 of 1: single fact" in shown
    assert "18 weeks" in shown
    assert PASSAGE.document in shown
    assert "Each parent receives 18 weeks of leave." in shown
    assert "\x1b[2J" not in shown


def test_an_edited_question_is_kept_and_an_answer_that_does_not_stand_in_the_passage_is_not_taken() -> None:
    kept, shown = reviewed(MADE[:1], "e", "When does it begin?", "June", "e", "When does it begin?", "May", "k")
    assert kept == ["When does it begin?"]
    assert "Not taken: the answer does not stand in the passage." in shown


def test_both_turns_of_a_follow_up_are_shown_and_edited() -> None:
    pair = Made("follow_up", Turn("And when?", ("May",)), (PASSAGE,), before=Turn("How long?", ("18 weeks",)))
    (kept,) = review([pair], Console(file=io.StringIO()), typed("e", "How long is it?", "", "", "", "k"))
    assert (kept.before, kept.asked) == (Turn("How long is it?", ("18 weeks",)), pair.asked)
