"""An answer that grows by sentences, by rule: whether it goes on, and what comes next."""

from collections.abc import Callable

import pytest

from cli.local.offline.rules.notices import QUOTED
from question.decide_retrieval.continuation import decide_next
from question.decide_retrieval.logic import Task as Deciding
from question.generate.logic import Task, generate
from selfrag.adapters.claude.sdk import SdkClaude
from selfrag.ports.grading import Grader
from tests.support.fakes import passage
from tests.unit.cli.offline.conftest import PROMPT

LISBON, LONDON = "The hotel limit in Lisbon is 150 EUR per night.", "The hotel limit in London is 190 GBP per night."
ONE = "How much may a hotel room in Lisbon cost per night?"
BOTH = "What is the difference between the hotel limits in Lisbon and London?"


@pytest.mark.parametrize(
    ("question", "so_far", "decision"),
    [
        (ONE, LISBON, "complete"),
        (ONE, QUOTED + LISBON, "complete"),
        (BOTH, LISBON, "yes"),
        (BOTH, f"{LISBON} {LONDON}", "complete"),
        (ONE, "Travel is booked in the portal.", "yes"),
        (ONE, "Travel is fun. Travel is far. Travel is long.", "complete"),
    ],
)
def test_an_answer_is_complete_when_it_says_what_is_asked_for_or_is_long(
    grader: Callable[[str], Grader], question: str, so_far: str, decision: str
) -> None:
    found = decide_next(Deciding(question=question, so_far=so_far), grader("decide_retrieval"))
    assert found.verdict.decision == decision


@pytest.mark.parametrize(
    ("question", "so_far", "sentence"),
    [
        (ONE, "", QUOTED + LISBON),
        (BOTH, QUOTED + LISBON, LONDON),
        (BOTH, LONDON, LISBON),
        (ONE, LISBON, ""),
        ("Who feeds the office cat?", "", ""),
    ],
)
def test_the_next_sentence_says_what_the_answer_lacks_and_nothing_twice(
    claude: SdkClaude, question: str, so_far: str, sentence: str
) -> None:
    task = Task(question=question, mode="segment", so_far=so_far, passages=[passage("p", f"{LISBON} {LONDON}")])
    written = generate(task, claude, PROMPT)
    assert (written.answer, written.found) == (sentence, bool(sentence))
    assert len(written.citations) == bool(sentence)
