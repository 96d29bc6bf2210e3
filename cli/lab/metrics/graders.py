"""The verdicts of selfrag's own graders on an answer: a model's opinions, not what is known to be right."""

from pydantic import BaseModel


class _Claim(BaseModel):
    support: str


class Support(BaseModel):
    """IsSup of an answer."""

    level: str = "ungraded"
    claims: list[_Claim] = []


class Relevance(BaseModel):
    """IsRel of a passage; `document` is "" where the response does not name it."""

    score: float | None
    document: str = ""


class Utility(BaseModel):
    """IsUse of an answer."""

    score: float | None


class Graded(BaseModel):
    """The verdicts of a response that are measured; of another release they may have more."""

    relevance: list[Relevance] = []
    support: Support | None = None
    utility: Utility | None = None

    def shares(self) -> dict[str, tuple[float, float]]:
        """Return sums, and of how many: claims that are fully supported, utility from 1 to 5, relevance of passages."""
        claims = self.support.claims if self.support else []
        scores = [verdict.score for verdict in self.relevance if verdict.score is not None]
        utility = self.utility.score if self.utility else None
        return {
            "supported_claims": (sum(claim.support == "full" for claim in claims), len(claims)),
            "utility": (utility or 0.0, utility is not None),
            "relevance": (sum(scores), len(scores)),
        }
