"""A closed set by rule: which option a passage speaks for, and what the graders say of it."""

from collections.abc import Callable

import pytest

import question.grade_support.logic as grade_support
import question.grade_utility.logic as grade_utility
from question.generate.logic import Task, generate
from selfrag.adapters.claude.sdk import SdkClaude
from selfrag.ports.grading import Grader
from tests.support.fakes import passage
from tests.unit.cli.offline.conftest import PROMPT

LIMITS = "The hotel limit in Lisbon is 150 EUR per night. In London it is 220 GBP per night."
LISBON = "How much may a hotel room in Lisbon cost per night?"


def chosen(claude: SdkClaude, question: str, choices: list[str], text: str = LIMITS) -> str:
    task = Task(question=question, passages=[passage("p", text)] if text else [], choices=choices)
    return generate(task, claude, PROMPT).answer


@pytest.mark.parametrize(
    ("question", "choices", "option"),
    [
        ("The hotel limit in Lisbon is 150 EUR per night.", ["true", "false"], "true"),
        ("The hotel limit in Lisbon is 170 EUR per night.", ["true", "false"], "false"),
        ("The hotel limit in Lisbon is 150 EUR per night.", ["REFUTES", "SUPPORTS"], "SUPPORTS"),
        ("Is the hotel limit in Lisbon 150 EUR per night?", ["No", "Yes"], "Yes"),
        ("Cats are fond of fish.", ["true", "false"], ""),
        (LISBON, ["120 EUR", "150 EUR", "220 GBP"], "150 EUR"),
        (f"{LISBON}\nA: 120 EUR\nB: 150 EUR", ["A", "B"], "B"),
        ("Who painted the ceiling?", ["Anna", "Lisbon"], ""),
    ],
)
def test_the_option_is_chosen_that_the_passage_speaks_for(
    claude: SdkClaude, question: str, choices: list[str], option: str
) -> None:
    assert chosen(claude, question, choices) == option


def test_without_passages_only_a_sum_is_known(claude: SdkClaude) -> None:
    assert chosen(claude, "What is 17 * 23?", ["400", "391"], text="") == "391"
    assert chosen(claude, LISBON, ["150 EUR", "120 EUR"], text="") == ""


@pytest.mark.parametrize(
    ("question", "answer", "level", "least"),
    [
        ("The hotel limit in Lisbon is 150 EUR per night.", "true", "fully_supported", 5),
        ("The hotel limit in Lisbon is 170 EUR per night.", "true", "partially_supported", 5),
        (LISBON, "150 EUR", "fully_supported", 4),
        (LISBON, "120 EUR", "partially_supported", 4),
    ],
)
def test_an_option_is_judged_as_the_statement_that_it_stands_for(
    grader: Callable[[str], Grader], question: str, answer: str, level: str, least: int
) -> None:
    support = grade_support.Task(question=question, answer=answer, passages=[passage("p", LIMITS)])
    assert grade_support.grade(support, grader("grade_support")).verdict.level == level
    utility = grade_utility.Task(question=question, answer=answer)
    assert (grade_utility.grade(utility, grader("grade_utility")).verdict.score or 0) >= least
