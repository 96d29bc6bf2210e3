"""A closed set: which option a passage speaks for (arXiv 2310.11511, B.2), as a number, so that one shape is for all.

A shape that named the options would be another one for each question: the service prepares each shape before it uses
it, and what a caller wrote would stand among what the model is told to do.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel

from question.generate.citations import AROUND
from selfrag.domain.answers import Citation
from selfrag.domain.passages import Evidence
from selfrag.ports.model import Claude, Judgement
from selfrag.ports.prompts import Prompt

MOST_CHOICES = 10


class Choice(BaseModel):
    """The number of an option, from 1; 0 is none of them."""

    option: Literal[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]


def chosen(
    claude: Claude, prompt: Prompt, fields: Mapping[str, Any], choices: Sequence[str], passages: Sequence[Evidence]
) -> tuple[str, Judgement[Choice]]:
    """The option that was chosen, "" for none, and the judgement; a number that no option has is none."""
    told = {
        **fields,
        "task": "choose",
        "options": [{"option": number, "text": text} for number, text in enumerate(choices, start=1)],
        "passages": [{"document": p.document, "title": p.title, "text": p.text} for p in passages],
    }
    judged = claude.judge("generate", prompt, told, Choice)
    option = judged.verdict.option if judged.verdict else 0
    return (choices[option - 1] if 1 <= option <= len(choices) else ""), judged


def named(passages: Sequence[Evidence], answer: str) -> list[Citation]:
    """Citations of passages as a whole: an option is chosen and not quoted, so they quote nothing.

    The empty quote stands where the passage begins.
    """
    return [
        Citation(
            passage_id=passage.passage_id,
            document=passage.document,
            quote="",
            answer_span=(0, len(answer)),
            heading=passage.heading,
            page=passage.page,
            locator=passage.locator,
            after=passage.text[:AROUND],
        )
        for passage in passages
    ]
