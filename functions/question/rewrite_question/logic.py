"""A better search query, never one that was already tried."""

import re
import unicodedata
from collections.abc import Iterable

from pydantic import BaseModel, Field

from selfrag.domain.calls import StepResult
from selfrag.ports.grading import Grader

MAX_QUERY_CHARACTERS = 400


class Task(BaseModel):
    """The question, the queries tried so far, and the claims that their passages did not support."""

    question: str
    queries: list[str]
    failed_claims: list[str] = []
    previous_question: str = ""
    deadline_ms: float | None = None


class Rewrite(BaseModel):
    """The shape of the model's reply."""

    reason: str
    query: str = Field(min_length=1)


class Result(StepResult):
    """The next query; `new` is false when there is none that was not tried before."""

    query: str = ""
    new: bool = False


def rewrite(task: Task, grader: Grader) -> Result:
    """Ask for another query and check that it differs from every one that was tried."""
    fields = task.model_dump(include={"question", "queries", "failed_claims", "previous_question"})
    found = grader.grade(fields, Rewrite)
    query = " ".join(found.verdict.query.split())[:MAX_QUERY_CHARACTERS] if found.verdict else ""
    new = bool(query) and not was_tried(query, task.queries)
    return Result(query=query if new else "", new=new, calls=found.calls, warnings=found.warnings)


def was_tried(query: str, queries: Iterable[str]) -> bool:
    """Whether a query is one of `queries` but for case, width, punctuation and spacing."""
    return _plain(query) in {_plain(tried) for tried in queries}


def _plain(query: str) -> str:
    return re.sub(r"[\W_]+", " ", unicodedata.normalize("NFKC", query).casefold()).strip()
