"""Feedback on an answer: as callers send it, and as it is stored."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from selfrag.domain.answers import Status
from selfrag.domain.base import Model
from selfrag.domain.fields import Name, RightAnswer
from selfrag.domain.validation import Request

Wrong = Literal["incorrect", "incomplete", "wrong_documents", "answerable", "unanswerable", "other"]


class _Opinion(Model):
    """An opinion on an answer: whether it was useful, what was wrong, and the right answer."""

    useful: bool = Field(strict=True)
    wrong: Annotated[list[Wrong], Field(max_length=6)] = Field(
        default=[],
        description="`incorrect`: it is false; `incomplete`: something is missing; `wrong_documents`: it "
        "rests on documents that do not say it; `answerable`: it found nothing, and the documents have it; "
        "`unanswerable`: the documents do not have it; `other`.",
    )
    answer: RightAnswer = Field(default="", description="The right answer, as it should have been given.")
    documents: Annotated[list[Name], Field(max_length=20)] = Field(
        default=[], description="The documents that have it, named as in `citations`."
    )


class FeedbackRequest(_Opinion, Request):
    """A caller's feedback on an answer that they may read."""

    EXAMPLE: ClassVar[str] = '{"useful": false, "wrong": ["incomplete"], "answer": "25 days, from 50 on 30."}'


class Feedback(_Opinion):
    """Stored feedback, with the question and the answer, which expire earlier.

    `previous` is the id of the question that this one followed. Times are in seconds since the epoch.
    """

    question_id: str
    question: str
    previous: str = ""
    status: Status
    answered: str
    cited: list[str]
    collections: list[str]
    given_at: int
    expires_at: int
