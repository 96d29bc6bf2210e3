"""The fields of a response that are measured; all other fields are stored as they came."""

from pydantic import BaseModel, ConfigDict

from selfrag.domain.answers import Status
from selfrag.domain.verdicts import ClaimSupport


class _Part(BaseModel):
    """A part of a response, which another release may extend."""

    model_config = ConfigDict(extra="allow")


class ResponseCitation(_Part):
    """A cited document and the words of it."""

    passage_id: str = ""
    document: str
    quote: str


class ResponseUsage(_Part):
    """The cost of an answer; `cost_usd` is None if a price is not known."""

    model_calls: int
    rounds: int
    cost_usd: float | None


class ResponseClaim(_Part):
    """A claim of the answer, and its support."""

    claim: str = ""
    support: ClaimSupport | None


class ResponseSupport(_Part):
    """IsSup of an answer."""

    level: str | None = "ungraded"
    claims: list[ResponseClaim] = []


class ResponseRelevance(_Part):
    """IsRel of a passage; `document` is "" where the response does not name it."""

    score: float | None
    document: str = ""


class ResponseUtility(_Part):
    """IsUse of an answer."""

    score: float | None


class ResponseReflection(_Part):
    """The graders' verdicts on an answer."""

    relevance: list[ResponseRelevance] = []
    support: ResponseSupport | None = None
    utility: ResponseUtility | None = None


class Response(_Part):
    """The response to a question."""

    id: str
    status: Status
    answer: str
    citations: list[ResponseCitation]
    reflection: ResponseReflection = ResponseReflection()
    path: list[str] = []
    queries: list[str] = []
    usage: ResponseUsage

    @property
    def failed(self) -> bool:
        """Return whether a step failed, so that the question is worth another try."""
        return self.status == "failed"

    @property
    def documents(self) -> list[str]:
        """Return the cited documents, each once."""
        return list(dict.fromkeys(citation.document for citation in self.citations))
