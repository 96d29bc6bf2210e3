"""A better search query, different from those already tried."""

import re
import unicodedata
from collections.abc import Iterable
from typing import Annotated

from pydantic import BaseModel, StringConstraints

from selfrag.domain.fields import MAX_QUERY_CHARACTERS
from selfrag.domain.steps import RewriteQuestionResult, RewriteQuestionTask
from selfrag.judging.graders import Grader

# Limits of the evidence shown: the latest relevant passages, each shortened.
MAX_PASSAGES, MAX_CHARACTERS = 8, 2000


class Rewrite(BaseModel):
    """The shape of the model's reply."""

    reason: str
    query: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


def rewrite(task: RewriteQuestionTask, grader: Grader) -> RewriteQuestionResult:
    """Return another query, and whether it is new."""
    fields = {**task.model_dump(include={"question", "previous", "queries"}), **task.date_fields}
    if task.passages:
        fields["passages"] = [
            {**passage.quoted(), "text": passage.text[:MAX_CHARACTERS]} for passage in task.passages[-MAX_PASSAGES:]
        ]
    if task.not_said:
        fields["not_said"] = task.not_said
    judgement = grader.grade(fields, Rewrite)
    query = " ".join(judgement.verdict.query.split())[:MAX_QUERY_CHARACTERS] if judgement.verdict else ""
    new = bool(query) and not was_tried(query, task.queries)
    return RewriteQuestionResult(query=query if new else "", new=new, **judgement.usage)


def was_tried(query: str, queries: Iterable[str]) -> bool:
    """Return whether a query is in `queries`, ignoring case, width, punctuation and spacing."""
    return _normalize(query) in {_normalize(tried) for tried in queries}


def _normalize(query: str) -> str:
    return re.sub(r"[\W_]+", " ", unicodedata.normalize("NFKC", query).casefold()).strip()
