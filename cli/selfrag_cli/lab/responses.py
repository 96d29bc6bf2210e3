"""The fields of a response that are measured; all other fields are stored as they came."""

from pydantic import BaseModel, ConfigDict

from selfrag.domain.answers import Status
from selfrag.domain.verdicts import ClaimSupport, JudgedBy


class _Part(BaseModel):
    """A part of a response, which another release may extend."""

    model_config = ConfigDict(extra="allow")


class Citation(_Part):
    """A cited document and the words of it."""

    passage_id: str = ""
    document: str
    quote: str


class Usage(_Part):
    """The cost of an answer; `cost_usd` is None if a price is not known."""

    model_calls: int
    rounds: int
    cost_usd: float | None


class Claim(_Part):
    """A claim of the answer, and its support."""

    claim: str = ""
    support: ClaimSupport


class Verdict(_Part):
    """A verdict; one by rule is no judgement, and counts as none."""

    judged_by: JudgedBy = "model"


class Support(Verdict):
    """IsSup of an answer."""

    level: str = "ungraded"
    claims: list[Claim] = []


class Relevance(Verdict):
    """IsRel of a passage; `document` is "" where the response does not name it."""

    score: float | None
    document: str = ""


class Utility(Verdict):
    """IsUse of an answer."""

    score: float | None


class Reflection(_Part):
    """The graders' verdicts on an answer."""

    relevance: list[Relevance] = []
    support: Support | None = None
    utility: Utility | None = None


class Response(_Part):
    """The response to a question."""

    id: str
    status: Status
    answer: str
    citations: list[Citation]
    reflection: Reflection = Reflection()
    path: list[str] = []
    queries: list[str] = []
    usage: Usage

    @property
    def failed(self) -> bool:
        """Return whether a step failed, so that the question is worth another try."""
        return self.status == "failed"

    @property
    def documents(self) -> list[str]:
        """Return the cited documents, each once."""
        return list(dict.fromkeys(citation.document for citation in self.citations))
