"""IsSup: the support of the passages for the answer, claim by claim."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from selfrag.domain.answers import Citation
from selfrag.domain.calls import Limits, StepResult
from selfrag.domain.passages import Passage
from selfrag.domain.verdicts import Claim, ClaimSupport, Precision, SupportLevel, SupportVerdict
from selfrag.ports.grading import Grader
from selfrag.ports.measurements import measurement_key
from selfrag.ports.model import Judgement
from selfrag.question.grade_support.citation_repair import Repair, repair
from selfrag.question.grade_support.evidence import stands_in

STEP = "grade_support"
MOST_MISSING_CHARACTERS = 200


class Task(Limits):
    """The question, the answer to check with its citations, its passages, and whether it may be repaired.

    With `one_call`, only one call is left, so the first grader is skipped.
    """

    question: str
    answer: str
    passages: list[Passage]
    citations: list[Citation] = []
    may_repair: bool = False
    one_call: bool = False


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


class Result(StepResult, Repair):
    """The verdict and its cost, and the answer with repaired citations if some were wrong."""

    verdict: SupportVerdict


def grade(task: Task, grader: Grader, measured: Callable[[str], Precision | None] = lambda key: None) -> Result:
    """Return the claims with their support, and of a full verdict what was `measured` of its judges by their key."""
    judges = replace(grader, first=None) if task.one_call else grader
    result = _graded(task, judges)
    repaired = repair(task.answer, task.citations, result.verdict.claims, task.passages)
    result = result.model_copy(update=dict(repaired))
    if result.verdict.level != "fully_supported":
        return result
    precision = measured(measurement_key(judges, Support))
    return result.model_copy(update={"verdict": result.verdict.model_copy(update={"precision": precision})})


def _graded(task: Task, grader: Grader) -> Result:
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
        return _result(task, grader, [grader.grade(texts, Support)])
    first = grader.first.grade(texts, Support)
    if beyond_doubt(first.verdict, task.passages) or (task.may_repair and _denied(first.verdict, task.passages)):
        return _result(task, grader.first, [first])
    return _result(task, grader, [first, grader.grade(texts, Support)])


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


def verdict_of(found: Support | None, passages: Sequence[Passage]) -> SupportVerdict:
    """Return the claims of a judge with the ids of these passages, and their level."""
    if found is None:
        return SupportVerdict(level="ungraded")
    claims = [_claim(judged, passages) for judged in found.claims]
    return SupportVerdict(level=level_of(claims), claims=claims)


def _result(task: Task, judge: Grader, found: Sequence[Judgement[Support]]) -> Result:
    """Return the last judgement's verdict, and the cost of all of them.

    If the last judge could not be sent a request, an earlier judgement without a verdict gives the reason.
    """
    last = found[-1]
    if not last.attempts and last.verdict is None and found[0].verdict is None:
        last = found[0]
    verdict = verdict_of(last.verdict, task.passages)
    if last.verdict is not None:
        judged_so = {"cached": last.cached, "model": judge.model, "judged_by": judge.judged_by}
        verdict = verdict.model_copy(update=judged_so)
    took: dict[str, Any] = last.took
    took["calls"] = [call.model_copy(update={"step": STEP}) for judgement in found for call in judgement.took["calls"]]
    took["judged"] = [judged for judgement in found for judged in judgement.took["judged"]]
    took["warnings"] = list(dict.fromkeys(warning for judgement in found for warning in judgement.warnings))
    took["attempts"] = sum(judgement.attempts for judgement in found)
    took["throttled"] = any(judgement.throttled for judgement in found)
    return Result(verdict=verdict, **took)


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
