"""IsSup: do the passages support the answer, claim by claim?"""

from collections.abc import Sequence

from pydantic import BaseModel, Field

from selfrag.domain.calls import Limits, StepResult
from selfrag.domain.passages import Passage
from selfrag.domain.verdicts import Claim, ClaimSupport, SupportLevel, SupportVerdict
from selfrag.ports.grading import Grader


class Task(Limits):
    """The question, the answer to check, and the passages that it was written from."""

    question: str
    answer: str
    passages: list[Passage]


class JudgedClaim(BaseModel):
    """One claim; `passages` are the numbers of the passages that bear on it, from 1."""

    claim: str
    support: ClaimSupport
    passages: list[int]


class Support(BaseModel):
    """The shape of the model's verdict: every claim of the answer, in its order."""

    claims: list[JudgedClaim] = Field(min_length=1)


class Result(StepResult):
    """The verdict and what it cost."""

    verdict: SupportVerdict


def grade(task: Task, grader: Grader) -> Result:
    """Ask for the claims and their support; the level follows from them and is not asked for."""
    texts = {
        "question": task.question,
        "answer": task.answer,
        "passages": [
            {"number": number, "document": p.document, "title": p.title, "text": p.text}
            for number, p in enumerate(task.passages, start=1)
        ],
    }
    found = grader.grade(texts, Support)
    if found.verdict is None:
        verdict = SupportVerdict(level="ungraded")
    else:
        claims = [_claim(judged, task.passages) for judged in found.verdict.claims]
        verdict = SupportVerdict(level=level_of(claims), claims=claims, cached=found.cached)
    return Result(verdict=verdict, **found.took)


def level_of(claims: Sequence[Claim]) -> SupportLevel:
    """The level of an answer: full if every claim is, none if no claim is or one is contradicted."""
    supports = {claim.support for claim in claims}
    if supports == {"full"}:
        return "fully_supported"
    if "contradicted" in supports or supports <= {"none"}:
        return "no_support"
    return "partially_supported"


def _claim(judged: JudgedClaim, passages: Sequence[Passage]) -> Claim:
    ids = [passages[n - 1].passage_id for n in dict.fromkeys(judged.passages) if 1 <= n <= len(passages)]
    # Support that names no passage is not support.
    support: ClaimSupport = "none" if judged.support in ("full", "partial") and not ids else judged.support
    return Claim(claim=judged.claim, support=support, passage_ids=ids)
