"""IsSup: the support of the passages for the answer, claim by claim."""

from collections.abc import Callable, Sequence

from pydantic import BaseModel, ConfigDict, Field

from selfrag.domain.answers import UNCITED
from selfrag.domain.passages import Passage
from selfrag.domain.steps import GradeSupportResult, GradeSupportTask
from selfrag.domain.verdicts import Claim, ClaimSupport, SupportVerdict, level_of
from selfrag.judging.graders import Grader
from selfrag.ports.model import Judgement
from selfrag.question.grade_support.citation_repair import repair_citations
from selfrag.question.grade_support.decisions import by_decider, cut_phrase
from selfrag.question.grade_support.evidence import facts_of, stands_in
from selfrag.question.grade_support.fact_check import FactChecker
from selfrag.retrieval.duplicates import numbered_versions
from selfrag.text.sentences import split_sentences

STEP = "grade_support"
# A decision model's `full` is at least so probable: the likeliest of five labels may be less.
MIN_PROBABILITY = 0.5


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


def grade(task: GradeSupportTask, grader: Grader) -> GradeSupportResult:
    """Return the claims with their support, whose numbers, dates and codes code looks up, whoever judged them."""
    result = _graded(task, grader.without_smaller() if task.one_call else grader)
    # The judge sees no earlier turn, but a number of its question is the reader's own.
    checker = FactChecker(f"{task.previous.question} {task.question} {task.today}", task.passages)
    verdict = with_unfound(result.verdict, task.answer, checker.unfound)
    repair = repair_citations(
        task.answer, task.citations, verdict.claims, task.passages, lambda sentence: bool(checker.unfound(sentence))
    )
    return result.model_copy(update={"verdict": verdict, **dict(repair)})


def with_unfound(verdict: SupportVerdict, answer: str, unfound: Callable[[str], list[str]]) -> SupportVerdict:
    """Return a verdict in which no claim with a fact that the evidence lacks is full; what no claim has is one more."""
    if verdict.ungraded:
        return verdict
    facts, claims, covered = set(unfound(answer)), [], set[str]()
    for claim in verdict.claims:
        lacking = [fact for fact in unfound(claim.claim) if fact in facts]
        covered |= set(lacking)
        if lacking and not claim.fails:
            claim = claim.model_copy(update={"support": "partial", "unfound": lacking})
        claims.append(claim)
    for sentence in split_sentences(answer):
        if left := [fact for fact in unfound(sentence) if fact not in covered]:
            text = sentence.replace(UNCITED, "").strip()
            claims.append(Claim(claim=text, support="partial", unfound=left))
    return verdict.model_copy(update={"level": level_of(claims), "claims": claims})


def _graded(task: GradeSupportTask, grader: Grader) -> GradeSupportResult:
    """Return the verdict of the decision model if it stands, else that of Claude.

    A cascade whose thresholds were not measured passes nothing, so its model is not even asked. A decision model that
    is sure of no support says neither which claims fail nor what is missing, so its verdict stands only where nothing
    is to be repaired or searched for. Where code disagrees, Claude judges.
    """
    decider = grader.decider
    if decider is None or (decider.thresholds and not decider.measured):
        return _by_claude(task, grader)
    decided = by_decider(task, decider)
    # Full support may be the likeliest of several labels at a low probability, which is no sure no.
    is_no = decided.verdict.level != "fully_supported"
    is_last = not (task.may_repair or task.may_search)
    if grader.stands(decided.verdict.probability, if_low=is_no and is_last) and _is_confirmed(
        decided.verdict, task, grader
    ):
        return decided
    return _by_claude(task, grader).with_cost_of(decided)


def _is_confirmed(verdict: SupportVerdict, task: GradeSupportTask, grader: Grader) -> bool:
    """Return whether code agrees: it finds the facts of each full claim, which is likelier than not, and of no other.

    Without a number or date it has nothing to say against a claim that is not full. Where a rule stands in for Claude,
    each sentence is a quote, so that its facts are always there.
    """
    by_id = {passage.passage_id: passage for passage in task.passages}
    for claim in verdict.claims:
        named = [by_id[name] for name in claim.passage_ids if name in by_id] or task.passages
        stands = stands_in(claim.claim, named)
        if claim.support == "full" and not (stands and (claim.probability or 0.0) >= MIN_PROBABILITY):
            return False
        has_figures = bool(facts_of(claim.claim).figures)
        if claim.support != "full" and stands and has_figures and grader.judged_by != "rule":
            return False
    return True


def _by_claude(task: GradeSupportTask, grader: Grader) -> GradeSupportResult:
    """Return the claims with their support; the level follows from them, and the model is not asked for it.

    A smaller model's verdict stands if all claims are full and code finds their facts in the passages that they name.
    It also stands if it names a passage that contradicts the answer and the answer may be repaired: a repair costs
    little more than a second opinion, and withholds nothing. Else the stronger grader judges the whole answer, and only
    its verdict counts.
    """
    texts = {
        "question": task.question,
        "answer": task.answer,
        "passages": [{"number": number, **p.quoted()} for number, p in enumerate(task.passages, start=1)],
        **numbered_versions(task.passages),
    }
    if grader.smaller is None:
        return _result(task, grader, grader.grade(texts, Support))
    opinion = grader.smaller.grade(texts, Support)
    first = _result(task, grader.smaller, opinion)
    if beyond_doubt(opinion.verdict, task.passages) or (task.may_repair and _denied(opinion.verdict, task.passages)):
        return first
    second = _result(task, grader, grader.grade(texts, Support))
    # If the second judge could not be sent a request, the first gives the reason for want of a verdict.
    unasked = not second.attempts and second.verdict.ungraded and first.verdict.ungraded
    return first.with_cost_of(second) if unasked else second.with_cost_of(first)


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
        verdict = verdict.model_copy(update={"cached": judgement.cached, **judge.judge_fields})
    usage = judgement.usage
    usage["calls"] = [call.model_copy(update={"step": STEP}) for call in usage["calls"]]
    return GradeSupportResult(verdict=verdict, **usage)


def _claim(judged: JudgedClaim, passages: Sequence[Passage]) -> Claim:
    ids = [passage.passage_id for passage in _named(judged, passages)]
    # Support without a passage is no support.
    support: ClaimSupport = "none" if judged.support in ("full", "partial") and not ids else judged.support
    missing = "" if support == "full" else cut_phrase(judged.missing)
    return Claim(claim=judged.claim, support=support, passage_ids=ids, missing=missing)


def _named(judged: JudgedClaim, passages: Sequence[Passage]) -> list[Passage]:
    return [passages[n - 1] for n in dict.fromkeys(judged.passages) if 1 <= n <= len(passages)]
