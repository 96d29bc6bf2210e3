"""The verdicts of selfrag's own graders on an answer: a model's opinions, not what is known to be right."""

from typing import Any

from pydantic import BaseModel, model_validator

from selfrag_cli.show.by_rule import is_by_rule


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
    """The verdicts of a response that are measured; of another release they may have more.

    A rule's verdict is no judgement: it counts as none.
    """

    relevance: list[Relevance] = []
    support: Support | None = None
    utility: Utility | None = None

    @model_validator(mode="before")
    @classmethod
    def _without_rules(cls, given: dict[str, Any]) -> dict[str, Any]:
        judged = {name: verdict for name, verdict in given.items() if name != "relevance" and not _by_rule(verdict)}
        passages = given.get("relevance", [])
        return {**judged, "relevance": [{**one, "score": None} if _by_rule(one) else one for one in passages]}

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


def _by_rule(verdict: Any) -> bool:
    return isinstance(verdict, dict) and is_by_rule(verdict)
