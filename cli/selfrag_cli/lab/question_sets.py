"""Question sets: what is asked, and what people know of the answer."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from pydantic import ValidationError, ValidationInfo, field_validator

from selfrag.domain.errors import InvalidInput
from selfrag.domain.fields import Question
from selfrag.domain.validation import Request, explain


@dataclass(frozen=True)
class GoldQuestion:
    """A question and what people know of its answer.

    Any of the `answers` is right; `documents` are names, and `passages` texts, that hold one. `answerable` is None
    where the set does not say. A right answer says all of the `facts`. `after` is the id of the question before a
    follow-up, None for none. The `id` follows from the question, what it follows, and how often it stood in the set
    before.
    """

    id: str
    question: str
    answers: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    passages: tuple[str, ...] = ()
    answerable: bool | None = None
    facts: tuple[str, ...] = ()
    after: str | None = None
    kind: str | None = None


class SetRow(Request):
    """A line of a set; `after` is the `id` of an earlier line, which this one follows up."""

    EXAMPLE: ClassVar[str] = '{"question": "How many days of leave do I have?", "answer": "30 days"}'

    question: Question
    answer: str = ""
    answers: list[str] = []
    documents: list[str] = []
    passages: list[str] = []
    answerable: bool | None = None
    facts: list[str] = []
    kind: str = ""
    id: str = ""
    after: str = ""

    @field_validator("answerable")
    @classmethod
    def _agrees(cls, answerable: bool | None, info: ValidationInfo) -> bool | None:
        if answerable is False and (info.data.get("answer") or info.data.get("answers")):
            raise ValueError("it is false, but there is an answer")
        return answerable


def read_questions(path: Path, limit: int | None = None) -> list[GoldQuestion]:
    """Read the first `limit` questions of a set in JSON Lines.

    Raises InvalidInput if the file cannot be read or holds no question, and for a bad line, with its number.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise InvalidInput(f"{path} is not a text in UTF-8: {error}.") from error
    # Not `splitlines`: a JSON string may hold other ends of lines than this one.
    lines = [(f"{path}, line {number}", line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise InvalidInput(f"{path} holds no question.")
    return _with_ids([(place, _row(place, line)) for place, line in lines])[:limit]


def _row(place: str, line: str) -> SetRow:
    try:
        value: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{place}: it is not JSON: {error}.") from error
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{place}: it is no JSON object such as {SetRow.EXAMPLE}.")
    try:
        return SetRow.model_validate(value)
    except ValidationError as error:
        raise InvalidInput(f"{place}: {explain(error, SetRow)}") from error


def _with_ids(rows: Sequence[tuple[str, SetRow]]) -> list[GoldQuestion]:
    seen: Counter[str] = Counter()
    ids: dict[str, str] = {}
    questions = []
    for place, row in rows:
        if row.after and row.after not in ids:
            raise InvalidInput(f"{place}: after names no question that stands before it.")
        if row.id in ids:
            raise InvalidInput(f"{place}: another question has this id, too.")
        after = ids.get(row.after)
        text = f"{row.question}\n{after}" if after else row.question
        seen[text] += 1
        question = _question(row, hashlib.sha256(f"{text}\n{seen[text]}".encode()).hexdigest()[:16], after)
        questions.append(question)
        if row.id:
            ids[row.id] = question.id
    return questions


def _question(row: SetRow, own_id: str, after: str | None) -> GoldQuestion:
    answers = _distinct([row.answer, *row.answers])
    return GoldQuestion(
        id=own_id,
        question=row.question,
        answers=answers,
        documents=_distinct(row.documents),
        passages=_distinct(row.passages),
        answerable=True if row.answerable is None and answers else row.answerable,
        facts=_distinct(row.facts),
        after=after,
        kind=row.kind or None,
    )


def _distinct(texts: Sequence[str]) -> tuple[str, ...]:
    # JSON can hold lone surrogates, and a file in UTF-8 cannot.
    return tuple(dict.fromkeys(text.encode(errors="replace").decode() for text in texts if text.strip()))
