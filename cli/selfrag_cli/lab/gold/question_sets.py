"""Question sets: what is asked, and what is known of the answer."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from selfrag.domain.errors import InvalidInput
from selfrag.domain.feedback import Feedback
from selfrag_cli.feedback.gold import question_set
from selfrag_cli.lab.bench.squad import clean, squad_data
from selfrag_cli.lab.gold.formats import Row, read_row, squad_rows


@dataclass(frozen=True)
class GoldQuestion:
    """A question and what is known of its answer.

    Any of the `answers` is right; `documents` are names, and `passages` texts, that hold one. `answerable` is None
    where it is not said. A right answer says all of the `facts`. `after` is the id of the question before a follow-up,
    None for none. The `id` follows from the question, what it follows, and how often it stood in the set before; from
    the second `round` on, in which all are asked once more, it has the round's number.
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
    round: int = 1

    @property
    def origin(self) -> str:
        """Return its id in the first round."""
        return self.id if self.round == 1 else self.id.removesuffix(f".{self.round}")


def repeated(questions: Sequence[GoldQuestion], times: int) -> list[GoldQuestion]:
    """Return the questions in so many rounds; a follow-up follows the one of its round."""

    def again(one: GoldQuestion, round_: int) -> GoldQuestion:
        after = one.after and f"{one.after}.{round_}"
        return replace(one, id=f"{one.id}.{round_}", after=after, round=round_)

    return [*questions, *(again(one, round_) for round_ in range(2, times + 1) for one in questions)]


def read_questions(path: Path, limit: int | None = None) -> list[GoldQuestion]:
    """Read the first `limit` questions of a set, in its order.

    JSON Lines or a JSON array in selfrag's own format, Ragas's or DeepEval's, or a file in SQuAD's (1.1 or 2.0).
    Raises InvalidInput if the file cannot be read or holds no question, and for a bad one, which it names by number.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise InvalidInput(f"{path} is not a text in UTF-8: {error}.") from error
    read = [(place, _checked(path, place, value)) for place, value in _rows(path, text)]
    if not read:
        raise InvalidInput(f"{path} holds no question.")
    return _with_ids(path, read)[:limit]


def corrected_questions(given: Iterable[Feedback], limit: int | None = None) -> list[GoldQuestion]:
    """Return the first `limit` questions, by their words, of which people wrote what is right.

    That is an answer, the documents that have one, or that none do. Raises InvalidInput if there are none.
    """
    rows = [Row.model_validate(line) for line in question_set(given, corrected=True)]
    if not rows:
        raise InvalidInput(
            "No feedback says what is right: an answer, its documents, or that there is none (docs/use.md)."
        )
    return _with_ids(Path("feedback"), [(f"item {number}", row) for number, row in enumerate(rows[:limit], 1)])


def _rows(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    """Return the rows of a file, each with its place."""
    whole = _whole(path, text)
    if isinstance(whole, dict) and "data" in whole:
        yield from ((f"question {number}", row) for number, row in enumerate(squad_rows(squad_data(path, whole)), 1))
    elif isinstance(whole, list):
        yield from ((f"row {number}", value) for number, value in enumerate(whole, 1))
    else:
        # Not `splitlines`: a JSON string may hold other ends of lines than this one.
        lines = ((f"line {number}", line) for number, line in enumerate(text.split("\n"), 1) if line.strip())
        yield from ((place, _value(path, place, line)) for place, line in lines)


def _whole(path: Path, text: str) -> Any:
    """Read the file as one JSON value; None if it is none, as with several lines of JSON."""
    if path.suffix == ".jsonl":
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _value(path: Path, place: str, line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{path}, {place}: it is not JSON: {error}.") from error


def _checked(path: Path, place: str, value: Any) -> Row:
    try:
        return read_row(value)
    except InvalidInput as error:
        raise InvalidInput(f"{path}, {place}: {error}") from error


def _with_ids(path: Path, rows: Sequence[tuple[str, Row]]) -> list[GoldQuestion]:
    seen: Counter[str] = Counter()
    called: dict[str, str] = {}
    questions = []
    for place, row in rows:
        if row.after and row.after not in called:
            raise InvalidInput(f"{path}, {place}: after names no question that stands before it.")
        if row.id in called:
            raise InvalidInput(f"{path}, {place}: another question has this id, too.")
        follows = called.get(row.after)
        asked = f"{row.question}\n{follows}" if follows else row.question
        seen[asked] += 1
        question = _question(row, hashlib.sha256(f"{asked}\n{seen[asked]}".encode()).hexdigest()[:16], follows)
        questions.append(question)
        if row.id:
            called[row.id] = question.id
    return questions


def _question(row: Row, own_id: str, follows: str | None) -> GoldQuestion:
    answers = _distinct([row.answer, *row.answers])
    return GoldQuestion(
        id=own_id,
        question=row.question,
        answers=answers,
        documents=_distinct(row.documents),
        passages=_distinct(row.passages),
        answerable=True if row.answerable is None and answers else row.answerable,
        facts=_distinct(row.facts),
        after=follows,
        kind=row.kind or None,
    )


def _distinct(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(clean(text) for text in texts if text.strip()))
