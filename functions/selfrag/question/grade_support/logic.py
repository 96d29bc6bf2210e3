"""IsSup: the support of the passages for the answer, claim by claim."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from pydantic import BaseModel, ConfigDict, Field

from selfrag.domain.passages import Passage
from selfrag.domain.steps import GradeSupportResult, GradeSupportTask
from selfrag.domain.verdicts import Claim, ClaimSupport, Precision, SupportLevel, SupportVerdict
from selfrag.ports.grading import Grader
from selfrag.ports.measurements import measurement_key
from selfrag.ports.model import Judgement
from selfrag.question.grade_support.citation_repair import repair_citations
from selfrag.question.grade_support.evidence import stands_in

STEP = "grade_support"
MOST_MISSING_CHARACTERS = 200


class JudgedClaim(BaseModel):
    """One claim; `passages` are the numbers of the passages that bear on it, from 1, `missing` what to search for."""

    # The schema requires every field, though a verdict without `missing` can be read.
    model_config = ConfigDict(json_schema_extra={"required": ["claim", "support", "passages", "missing"]})

    claim: str
    support: ClaimSupport
    passages: list[int]
    missing: str = ""


class Support(BaseModel):
    """The shape of the model's verdict: every claim of the answer, in its order."""

    claims: list[JudgedClaim] = Field(min_length=1)


def grade(
    task: GradeSupportTask, grader: Grader, measured: Callable[[str], Precision | None] = lambda key: None
) -> GradeSupportResult:
    """Return the claims with their support, and of a full verdict what was `measured` of its judges by their key."""
    judges = replace(grader, first=None) if task.one_call else grader
    result = _graded(task, judges)
    repair = repair_citations(task.answer, task.citations, result.verdict.claims, task.passages)
    result = result.model_copy(update=dict(repair))
    if result.verdict.level != "fully_supported":
        return result
    precision = measured(measurement_key(judges, Support))
    return result.model_copy(update={"verdict": result.verdict.model_copy(update={"precision": precision})})


def _graded(task: GradeSupportTask, grader: Grader) -> GradeSupportResult:
    """Return the claims with their support; the level follows from them, and the model is not asked for it.

    A first grader's verdict stands if all claims are full and code finds their facts in the passages that they name. It
    also stands if it names a passage that contradicts the answer and the answer may be repaired: a repair costs little
    more than a second opinion, and withholds nothing. Else the stronger grader judges the whole answer, and only its
    verdict counts.
    """
    texts = {
        "question": task.question,
        "answer": task.answer,
        "passages": [{"number": number, **p.quoted()} for number, p in enumerate(task.passages, start=1)],
    }
    if grader.first is None:
        return _result(task, grader, grader.grade(texts, Support))
    opinion = grader.first.grade(texts, Support)
    first = _result(task, grader.first, opinion)
    if beyond_doubt(opinion.verdict, task.passages) or (task.may_repair and _denied(opinion.verdict, task.passages)):
        return first
    second = _result(task, grader, grader.grade(texts, Support))
    # If the second judge could not be sent a request, the first gives the reason for want of a verdict.
    unasked = not second.attempts and second.verdict.ungraded and first.verdict.ungraded
    return first.with_cost_of(second) if unasked else second.with_cost_of(first)


def level_of(claims: Sequence[Claim]) -> SupportLevel:
    """Return the level of an answer: full if every claim is, none if no claim is or one is contradicted."""
    supports = {claim.support for claim in claims}
    if supports == {"full"}:
        return "fully_supported"
    if "contradicted" in supports or supports <= {"none"}:
        return "no_support"
    return "partially_supported"


def beyond_doubt(verdict: Support | None, passages: Sequence[Passage]) -> bool:
    """Return whether every claim is full, and code finds its facts in the passages that it names."""
    return verdict is not None and all(
        judged.support == "full" and stands_in(judged.claim, _named(judged, passages)) for judged in verdict.claims
    )


def _denied(verdict: Support | None, passages: Sequence[Passage]) -> bool:
    """Return whether a passage contradicts a claim."""
    return verdict is not None and any(
        judged.support == "contradicted" and _named(judged, passages) for judged in verdict.claims
    )


def verdict_of(support: Support | None, passages: Sequence[Passage]) -> SupportVerdict:
    """Return the claims of a judge with the ids of these passages, and their level."""
    if support is None:
        return SupportVerdict(level="ungraded")
    claims = [_claim(judged, passages) for judged in support.claims]
    return SupportVerdict(level=level_of(claims), claims=claims)


def _result(task: GradeSupportTask, judge: Grader, judgement: Judgement[Support]) -> GradeSupportResult:
    verdict = verdict_of(judgement.verdict, task.passages)
    if judgement.verdict is not None:
        judge_fields = {"cached": judgement.cached, "model": judge.model, "judged_by": judge.judged_by}
        verdict = verdict.model_copy(update=judge_fields)
    usage = judgement.usage
    usage["calls"] = [call.model_copy(update={"step": STEP}) for call in usage["calls"]]
    return GradeSupportResult(verdict=verdict, **usage)


def _claim(judged: JudgedClaim, passages: Sequence[Passage]) -> Claim:
    ids = [passage.passage_id for passage in _named(judged, passages)]
    # Support without a passage is no support.
    support: ClaimSupport = "none" if judged.support in ("full", "partial") and not ids else judged.support
    missing = "" if support == "full" else _cut(judged.missing)
    return Claim(claim=judged.claim, support=support, passage_ids=ids, missing=missing)


def _named(judged: JudgedClaim, passages: Sequence[Passage]) -> list[Passage]:
    return [passages[n - 1] for n in dict.fromkeys(judged.passages) if 1 <= n <= len(passages)]


def _cut(phrase: str) -> str:
    """Return a search phrase on one line, cut at a word if it is long."""
    phrase = " ".join(phrase.split())
    if len(phrase) <= MOST_MISSING_CHARACTERS:
        return phrase
    whole, _, _ = phrase[: MOST_MISSING_CHARACTERS + 1].rpartition(" ")
    return whole or phrase[:MOST_MISSING_CHARACTERS]
