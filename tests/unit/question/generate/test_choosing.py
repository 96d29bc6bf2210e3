"""A question with a closed set of answers: one option for a passage, and nothing is quoted."""

import pytest

from selfrag.domain.steps import GenerateTask
from selfrag.question.generate.logic import generate
from tests.support.fakes import PROMPT, FakeClaude, passage

TEXT = "Leave is 25 days a year. It begins in May."


def task(**fields: object) -> GenerateTask:
    given = {"question": "Is it?", "passages": [passage("p1", TEXT, date="2026-02-01")], "choices": ["true", "false"]}
    return GenerateTask.model_validate({**given, **fields})


def test_the_answer_is_the_option_in_the_words_of_the_request() -> None:
    claude = FakeClaude({"option": 2})
    result = generate(task(), claude, PROMPT)
    assert (result.answer, result.answered, len(result.calls)) == ("false", True, 1)
    (told,) = claude.asked
    assert told["task"] == "choose"
    assert told["options"] == [{"option": 1, "text": "true"}, {"option": 2, "text": "false"}]
    assert told["passages"] == [{"document": "people/leave.md", "title": "Leave", "date": "2026-02-01", "text": TEXT}]


def test_the_passage_is_cited_and_no_quote_is_made_up() -> None:
    (citation,) = generate(task(), FakeClaude({"option": 1}), PROMPT).citations
    assert (citation.passage_id, citation.quote, citation.answer_span) == ("p1", "", (0, len("true")))
    assert (citation.before, citation.after) == ("", TEXT)


@pytest.mark.parametrize(("says", "flaw"), [({"option": 0}, None), ({"option": 3}, None), (None, "refused")])
def test_no_option_is_no_answer(says: dict[str, int] | None, flaw: str | None) -> None:
    result = generate(task(), FakeClaude(says, flaw), PROMPT)
    assert (result.answer, result.citations, result.answered, result.flaw) == ("", [], False, flaw)


def test_without_a_search_an_option_is_chosen_without_a_passage() -> None:
    claude = FakeClaude({"option": 1})
    result = generate(task(mode="direct"), claude, PROMPT)
    assert (result.answer, result.citations) == ("true", [])
    assert claude.asked[0]["passages"] == []
