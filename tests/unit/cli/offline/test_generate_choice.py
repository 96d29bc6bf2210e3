"""The stand-in's choice among options: by the words of the passages."""

import pytest

from cli.local.offline.rules import answer_of
from question.generate.choosing import Choice
from selfrag.ports.prompts import as_quoted_fields

PASSAGE = {"document": "a.md", "title": "Leave", "text": "Leave is 25 days a year, and begins in May."}


@pytest.mark.parametrize(
    ("options", "chosen"),
    [(["June", "May"], 2), (["June", "July"], 0), (["May", "25 days"], 0), (["25 days", "30 days"], 1)],
)
def test_the_option_is_chosen_that_alone_stands_in_the_passages(options: list[str], chosen: int) -> None:
    told = [{"option": number, "text": text} for number, text in enumerate(options, start=1)]
    fields = {"task": "choose", "question": "When?", "options": told, "passages": [PASSAGE]}
    message = {"role": "user", "content": [{"type": "text", "text": as_quoted_fields(fields)}]}
    assert answer_of(message, Choice.model_json_schema()) == {"option": chosen}
