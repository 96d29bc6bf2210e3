"""A better search query, other than all that were tried."""

import re
import unicodedata
from collections.abc import Iterable
from typing import Annotated

from pydantic import BaseModel, StringConstraints

from selfrag.domain.answers import Turn
from selfrag.domain.calls import Limits, StepResult
from selfrag.domain.fields import MAX_QUERY_CHARACTERS
from selfrag.domain.passages import Passage
from selfrag.ports.grading import Grader

# The latest relevant passages, each with the beginning of its text: a query needs no more.
MOST_PASSAGES, MOST_CHARACTERS = 8, 2000


class Task(Limits):
    """The question, the turn before it, the queries tried so far, and the relevant passages that they found.

    `not_said` are the sentences of the last answer on what the documents do not say.
    """

    question: str
    previous: Turn = Turn()
    queries: list[str]
    passages: list[Passage] = []
    not_said: list[str] = []


class Rewrite(BaseModel):
    """The shape of the model's reply."""

    reason: str
    query: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Result(StepResult):
    """The next query; `new` is false if it was tried before, `cached` marks a cache hit."""

    query: str = ""
    new: bool = False
    cached: bool = False


def rewrite(task: Task, grader: Grader) -> Result:
    """Return another query, and whether it differs from all that were tried."""
    fields = task.model_dump(include={"question", "previous", "queries"})
    if task.passages:
        fields["passages"] = [
            {**passage.quoted(), "text": passage.text[:MOST_CHARACTERS]} for passage in task.passages[-MOST_PASSAGES:]
        ]
    if task.not_said:
        fields["not_said"] = task.not_said
    found = grader.grade(fields, Rewrite)
    query = " ".join(found.verdict.query.split())[:MAX_QUERY_CHARACTERS] if found.verdict else ""
    new = bool(query) and not was_tried(query, task.queries)
    return Result(query=query if new else "", new=new, cached=found.cached, **found.took)


def was_tried(query: str, queries: Iterable[str]) -> bool:
    """Return whether a query equals one of `queries` but for case, width, punctuation and spacing."""
    return _plain(query) in {_plain(tried) for tried in queries}


def _plain(query: str) -> str:
    return re.sub(r"[\W_]+", " ", unicodedata.normalize("NFKC", query).casefold()).strip()
