"""The verdicts of the four reflection tokens."""

from typing import Annotated, Literal

from pydantic import Field

from selfrag.domain.base import Model

Decision = Literal["yes", "no", "continue", "ungraded"]
RelevanceLabel = Literal["relevant", "irrelevant", "ungraded"]
SupportLevel = Literal["fully_supported", "partially_supported", "no_support", "ungraded"]
ClaimSupport = Literal["full", "partial", "none", "contradicted"]
Score = Annotated[float, Field(ge=0.0, le=1.0)]


class RetrievalVerdict(Model):
    """Retrieve: is a search needed, and how complex is the question?"""

    decision: Decision
    reason: str = ""
    complexity: Literal["simple", "complex"] = "simple"


class RelevanceVerdict(Model):
    """IsRel for one passage: `relevant` holds only if the label says so and the score reaches the threshold."""

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
