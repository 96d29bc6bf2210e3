"""Closed sets: the number of the option that a passage supports (arXiv 2310.11511, B.2).

A number, so that one schema serves every question. A schema that named the options would differ for each question: the
service prepares each schema before its first use, and the caller's words would stand among the instructions.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel

from selfrag.domain.answers import Citation
from selfrag.domain.citations import AROUND, copies_of
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
    """Return the chosen option, "" for none, and the judgement; a number without an option is none."""
    told = {
        **fields,
        "task": "choose",
        "options": [{"option": number, "text": text} for number, text in enumerate(choices, start=1)],
        "passages": [passage.quoted() for passage in passages],
    }
    judged = claude.judge("generate", prompt, told, Choice)
    option = judged.verdict.option if judged.verdict else 0
    return (choices[option - 1] if 1 <= option <= len(choices) else ""), judged


def named(passages: Sequence[Evidence], answer: str) -> list[Citation]:
    """Return citations of whole passages: an option is chosen and not quoted, so the quotes are empty.

    An empty quote stands where its passage begins.
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
            copies=copies_of(passage),
            copy_count=len(passage.copies),
        )
        for passage in passages
    ]
