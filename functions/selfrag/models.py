"""The words of selfrag as types: passages, verdicts, citations and the calls that made them."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Decision = Literal["yes", "no", "continue", "ungraded"]
RelevanceLabel = Literal["relevant", "irrelevant", "ungraded"]
SupportLevel = Literal["fully_supported", "partially_supported", "no_support", "ungraded"]
ClaimSupport = Literal["full", "partial", "none", "contradicted"]
Status = Literal["answered", "partial", "abstained", "failed"]
Score = Annotated[float, Field(ge=0.0, le=1.0)]


class Model(BaseModel):
    """A domain value: immutable, and strict about its field names."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Passage(Model):
    """A piece of a document, or of a web page, as it was found; `tags` and `date` (ISO 8601) are the document's."""

    passage_id: str
    document: str
    text: str
    title: str = ""
    collection: str = ""
    heading: str = ""
    page: int | None = None
    tags: list[str] = []
    date: str | None = None
    score: float | None = None


class Turn(Model):
    """An earlier question and its answer; both empty when there is none."""

    question: str = ""
    answer: str = ""


class RetrievalVerdict(Model):
    """Retrieve: is a search needed, and why?"""

    decision: Decision
    reason: str


class RelevanceVerdict(Model):
    """IsRel for one passage: `relevant` holds if the score reaches the threshold, and the label says the same."""

    passage_id: str
    relevant: bool
    score: Score | None
    label: RelevanceLabel
    cached: bool = False


class Claim(Model):
    """One statement of an answer, and what the passages say about it."""

    claim: str
    support: ClaimSupport
    passage_ids: list[str] = []


class SupportVerdict(Model):
    """IsSup for an answer, claim by claim."""

    level: SupportLevel
    claims: list[Claim] = []
    cached: bool = False


class UtilityVerdict(Model):
    """IsUse for an answer: 5 is best, 1 is worst, null is ungraded."""

    score: Literal[1, 2, 3, 4, 5] | None
    reason: str = ""
    cached: bool = False


class Citation(Model):
    """Where a part of the answer comes from: `quote` is verbatim in the passage, `answer_span` counts characters.

    `heading` is the nearest one above the passage, `page` that of a PDF.
    """

    passage_id: str
    document: str
    quote: str
    answer_span: tuple[int, int]
    heading: str = ""
    page: int | None = None


class ModelCall(Model):
    """One reply of the model: its tokens, and when it began and ended (seconds since the epoch)."""

    step: str
    model: str
    started_at: float
    ended_at: float
    stop_reason: str
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_input_tokens: int = 0
    cache_creation_input_tokens: int = 0


class StepResult(Model):
    """What every step that may ask the model hands back beside its own result."""

    calls: list[ModelCall] = []
    warnings: list[str] = []
