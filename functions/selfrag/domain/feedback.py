"""Feedback on an answer and its claims, as sent and as stored."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from selfrag.domain.answers import Status
from selfrag.domain.base import Model
from selfrag.domain.fields import AnswerText, Name, Whole
from selfrag.domain.validation import Request

Wrong = Literal["incorrect", "incomplete", "wrong_documents", "answerable", "unanswerable", "other"]
Label = Literal["supported", "partial", "unsupported", "contradicted"]


class ClaimLabel(Model):
    """A caller's verdict on a claim: whether the passages support it."""

    claim: Whole = Field(ge=0, description="Its place in `reflection.support.claims`, from 0.")
    label: Label


class LabelledClaim(Model):
    """A claim with a person's label, and the indexes of its passages in `Feedback.evidence`."""

    claim: str
    label: Label
    passages: list[int]


class _Opinion(Model):
    """An opinion on an answer: its usefulness, its faults, and the right answer."""

    useful: bool | None = Field(strict=True, description="null: no opinion on the answer as a whole.")
    wrong: Annotated[list[Wrong], Field(max_length=6)] = Field(
        default=[],
        description="`incorrect`: it is false; `incomplete`: something is missing; `wrong_documents`: it "
        "rests on documents that do not say it; `answerable`: it found nothing, and the documents have it; "
        "`unanswerable`: the documents do not have it; `other`.",
    )
    answer: AnswerText = Field(default="", description="The right answer, as it should have been given.")
    documents: Annotated[list[Name], Field(max_length=20)] = Field(
        default=[], description="The documents that have it, named as in `citations`."
    )


class FeedbackRequest(_Opinion, Request):
    """A caller's feedback on an answer that they may read."""

    EXAMPLE: ClassVar[str] = '{"useful": false, "wrong": ["incomplete"], "answer": "25 days, from 50 on 30."}'

    claims: Annotated[list[ClaimLabel], Field(max_length=100)] = Field(
        default=[], description="Labels of claims that a model checked; of the same claim the last one holds."
    )


class Feedback(_Opinion):
    """Stored feedback with the question and answer, which expire earlier.

    `previous` is the id of the earlier question, `evidence` the passages of the `claims`. Times are in seconds since
    the epoch.
    """

    question_id: str
    question: str
    previous: str = ""
    status: Status
    answered: str
    cited: list[str]
    collections: list[str]
    claims: list[LabelledClaim] = []
    evidence: list[str] = []
    given_at: int
    expires_at: int
