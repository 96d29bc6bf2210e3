"""Generate, for an answer that grows: exactly one more sentence."""

from typing import Any

import pytest

from selfrag.domain.steps import GenerateTask
from selfrag.ports.model import TextBlock
from selfrag.question.generate.annotations import NO_ANSWER
from selfrag.question.generate.logic import generate
from tests.support.fakes import PROMPT, FakeClaude, cited, passage

TEXT = "Leave is 25 days a year. It begins in May."


def task(**fields: Any) -> GenerateTask:
    told = {"question": "How many days?", "mode": "segment", "passages": [passage("p1", TEXT)], **fields}
    return GenerateTask.model_validate(told)


def test_a_second_sentence_is_thrown_away_with_its_citation() -> None:
    claude = FakeClaude([cited("You get 25 days. ", 0, 0, 1), cited("From May on.", 0, 1, 2)])
    result = generate(task(), claude, PROMPT)
    assert (result.answer, result.answered) == ("You get 25 days.", True)
    assert [(c.quote, c.answer_span) for c in result.citations] == [("Leave is 25 days a year.", (0, 16))]


def test_a_second_sentence_in_the_same_citation_is_thrown_away() -> None:
    result = generate(task(), FakeClaude([cited("You get 25 days. From May on.", 0, 0, 2)]), PROMPT)
    assert (result.answer, [c.answer_span for c in result.citations]) == ("You get 25 days.", [(0, 16)])


def test_the_writer_is_told_what_stands_already() -> None:
    claude = FakeClaude([cited("From May on.")])
    generate(task(so_far="You get 25 days."), claude, PROMPT)
    assert claude.asked[0]["task"] == "segment"
    assert claude.asked[0]["so_far"] == "You get 25 days."


def test_a_passage_that_adds_nothing_gives_no_sentence() -> None:
    result = generate(task(), FakeClaude([TextBlock(f"You get 25 days. {NO_ANSWER}")]), PROMPT)
    assert (result.answer, result.answered) == ("", False)


def test_a_sentence_that_cites_nothing_is_not_marked_yet() -> None:
    result = generate(task(), FakeClaude([TextBlock("You get 25 days.")]), PROMPT)
    assert (result.answer, result.citations) == ("You get 25 days.", [])


def test_a_sentence_needs_no_passage() -> None:
    result = generate(task(passages=[], so_far="Two and three."), FakeClaude([TextBlock("So five.")]), PROMPT)
    assert (result.answer, result.answered) == ("So five.", True)


@pytest.mark.parametrize(
    ("written", "answer", "flaw"),
    [("You get 25 days. From M", "You get 25 days.", None), ("You get 25 d", "", "cut")],
)
def test_a_reply_that_was_cut_counts_if_its_first_sentence_is_whole(written: str, answer: str, flaw: Any) -> None:
    result = generate(task(), FakeClaude([TextBlock(written)], "cut"), PROMPT)
    assert (result.answer, result.flaw) == (answer, flaw)
