"""One judge for all variants: each final answer against what its writer saw, whatever its strategy checked itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from selfrag import bootstrap
from selfrag.domain.answers import UNCITED, AnswerResponse
from selfrag.domain.calls import StepResult
from selfrag.domain.passages import Passage
from selfrag.domain.steps import GradeSupportResult
from selfrag.domain.verdicts import judged_by
from selfrag.question.compose_answer.messages import WITHOUT_ANSWER
from selfrag_cli.lab.correctness import STEP as CORRECTNESS
from selfrag_cli.lab.correctness import CorrectnessResult, Says
from selfrag_cli.lab.findings import Findings, JudgeReport
from selfrag_cli.lab.judging import AS_SET, Case, Progress, Setting, alone, budget_of, judged, judging
from selfrag_cli.lab.measures import NOT_FOR_IT, Measured, Share
from selfrag_cli.lab.question_sets import GoldQuestion

STEP = "grade_support"
# The passages from which each answer was written, by its id.
WrittenFrom = Mapping[str, Sequence[Passage]]


@dataclass(frozen=True)
class Judge:
    """The model that judges, or AS_SET, the number of answers at a time, and the most dollars."""

    model: str
    parallel: int = 4
    max_cost: float | None = None


def judge_answers(findings: Findings, written_from: WrittenFrom, judge: Judge, progress: Progress) -> JudgeReport:
    """Judge every answer that was written from passages, and every one of which a right answer is known.

    An abstention, and a direct answer, claim nothing of passages. The findings get the measures. Raises what `judging`
    and `judged` raise.
    """
    rows = [
        (gold, result.response)
        for results in findings.results.values()
        for gold, result in zip(findings.questions, results, strict=True)
    ]
    cases = {
        f"{kind} {response.id}": case
        for gold, response in rows
        for kind, case in _cases(gold, response, written_from).items()
    }
    with judging(Setting() if judge.model == AS_SET else alone(STEP, judge.model), {}) as grade:
        model = bootstrap.question_settings().models[STEP]
        budget = None if judge.max_cost is None else budget_of(judge.max_cost, [STEP])
        results = judged(cases, grade, judge.parallel, budget, progress)
    verdicts = {name: result for name, result in results.items() if result.error is None}
    shares = {
        response.id: {**_support(verdicts.get(f"{STEP} {response.id}")), **_correctness(gold, response, verdicts)}
        for gold, response in rows
    }
    untraced = sum(_claims_anything(response) and response.id not in written_from for _, response in rows)
    unsaid = sum(
        name.startswith(CORRECTNESS) and (name not in verdicts or _says(verdicts[name]) is None) for name in cases
    )
    unsupported = sum(name.startswith(STEP) and name not in verdicts for name in cases)
    report = JudgeReport(
        model=model,
        judged_by=judged_by(model),
        judged=sum(name.startswith(STEP) for name in verdicts),
        missing=untraced + unsaid + unsupported,
    )
    findings.add_judgements(report, shares)
    return report


def _cases(gold: GoldQuestion, response: AnswerResponse, written_from: WrittenFrom) -> dict[str, Case]:
    """Return what the judge is asked about an answer, by kind."""
    cases, answer = {}, response.answer.replace(f" {UNCITED}", "")
    if _claims_anything(response) and (passages := written_from.get(response.id)):
        shown = [passage.model_dump() for passage in passages]
        cases[STEP] = Case(STEP, {"question": gold.question, "answer": answer, "passages": shown})
    if gold.answers and _without_judge(gold, response) is None:
        right = {"right": list(gold.answers), "facts": list(gold.facts)}
        cases[CORRECTNESS] = Case(CORRECTNESS, {"question": gold.question, **right, "answer": answer})
    return cases


def _claims_anything(response: AnswerResponse) -> bool:
    return response.status in ("answered", "partial") and response.answer not in WITHOUT_ANSWER


def _without_judge(gold: GoldQuestion, response: AnswerResponse) -> Says | None:
    """Return what needs no judge: to abstain is right where there is no answer, and wrong where there is one."""
    if gold.answerable is False:
        return "yes" if response.status == "abstained" else "no"
    return "no" if gold.answers and not _claims_anything(response) else None


def _support(result: StepResult | None) -> Measured:
    # Without a claim or a verdict there is nothing to score.
    if not isinstance(result, GradeSupportResult) or not result.verdict.claims:
        return {"supported": NOT_FOR_IT, "judged_claims": NOT_FOR_IT}
    claims = result.verdict.claims
    return {
        "supported": Share(result.verdict.level == "fully_supported"),
        "judged_claims": Share(sum(claim.support == "full" for claim in claims), len(claims)),
    }


def _correctness(gold: GoldQuestion, response: AnswerResponse, verdicts: Mapping[str, StepResult]) -> Measured:
    says = _without_judge(gold, response) or _says(verdicts.get(f"{CORRECTNESS} {response.id}"))
    return {
        "correct": Share(says == "yes") if says else NOT_FOR_IT,
        "partly_correct": Share(says == "partly") if says else NOT_FOR_IT,
    }


def _says(result: StepResult | None) -> Says | None:
    return result.verdict.says if isinstance(result, CorrectnessResult) else None
