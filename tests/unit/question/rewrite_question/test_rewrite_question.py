"""A better query, never one that was tried."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfrag.domain.answers import Turn
from selfrag.domain.steps import RewriteQuestionTask
from selfrag.question.rewrite_question.logic import MAX_QUERY_CHARACTERS, rewrite, was_tried
from tests.support.fakes import grader, passage

TASK = RewriteQuestionTask(question="How many days off?", queries=["How many days off?", "annual leave"])


def says(query: str) -> dict[str, str]:
    return {"reason": "because", "query": query}


def test_a_new_query_is_taken() -> None:
    result = rewrite(TASK, grader(says("vacation  entitlement\n")))
    assert (result.query, result.new, len(result.calls)) == ("vacation entitlement", True, 1)


def test_the_rewriter_reads_the_relevant_passages_and_what_the_answer_lacks() -> None:
    judge = grader(says("signatures under standard Q4"))
    found = [passage(f"p{n}", f"Audit {n} follows standard Q4. " * 200) for n in range(10)]
    rewrite(TASK.model_copy(update={"passages": found, "not_said": ["Nobody says how many."]}), judge)
    (fields,) = judge.claude.asked  # type: ignore[attr-defined]
    assert fields["not_said"] == ["Nobody says how many."]
    assert [one["text"][:7] for one in fields["passages"]] == [f"Audit {n}" for n in range(2, 10)]
    assert all(len(one["text"]) <= 2000 for one in fields["passages"])


def test_without_passages_and_gaps_the_rewriter_gets_no_such_fields() -> None:
    judge = grader(says("leave"))
    rewrite(TASK, judge)
    assert set(judge.claude.asked[0]) == {"question", "previous", "queries"}  # type: ignore[attr-defined]


@pytest.mark.parametrize("query", ["annual leave", "Annual  Leave!", "ANNUAL LEAVE", "how many days off"])
def test_a_query_that_was_tried_is_not_new(query: str) -> None:
    result = rewrite(TASK, grader(says(query)))
    assert (result.query, result.new) == ("", False)


@pytest.mark.parametrize("flaw", ["refused", "cut", "malformed", "unavailable"])
def test_a_flawed_reply_gives_no_query(flaw: str) -> None:
    result = rewrite(TASK, grader(None, flaw))  # type: ignore[arg-type]
    assert (result.query, result.new) == ("", False)


@given(st.text(min_size=1).filter(lambda text: any(c.isalnum() for c in text)))
def test_punctuation_and_spaces_do_not_make_a_query_new_in_any_script(query: str) -> None:
    assert was_tried(f" {query}?", [query])


def test_a_query_is_short_enough_to_search() -> None:
    assert len(rewrite(TASK, grader(says("x" * 5000))).query) == MAX_QUERY_CHARACTERS


def test_the_rewriter_sees_the_turn_before_and_what_was_tried() -> None:
    writer = grader(says("vacation in May"))
    earlier = Turn(question="How many days of leave?", answer="25 days.")
    rewrite(RewriteQuestionTask(question="And in May?", previous=earlier, queries=["May"]), writer)
    fields = {"question": "And in May?", "previous": earlier.model_dump(), "queries": ["May"]}
    assert writer.claude.asked == [fields]  # type: ignore[attr-defined]
