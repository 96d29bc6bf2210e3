"""One judge for all variants: each final answer against what its writer saw, whatever its strategy checked itself."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

from cli.lab.exports import WrittenFrom
from cli.lab.judging import AS_SET, Case, Setting, Tell, alone, budget_of, judged, judging
from cli.lab.metrics.agreement import Counts
from cli.lab.metrics.correction import corrected
from cli.lab.metrics.measures import NOT_FOR_IT, Share
from cli.lab.report import Findings, Report
from cli.lab.runs.results import Result
from question.compose_answer.outcome import NO_MONEY, NO_ROOM, NO_TIME
from question.grade_support.logic import Result as Support
from selfrag import bootstrap
from selfrag.domain.answers import UNCITED
from selfrag.domain.errors import InvalidInput
from selfrag.domain.verdicts import SupportVerdict

STEP = "grade_support"


@dataclass(frozen=True)
class Judge:
    """The model that judges, or AS_SET; with a sum, the most dollars, and how many answers at a time."""

    model: str
    parallel: int = 4
    max_cost: float | None = None


@dataclass(frozen=True)
class Judgements:
    """The judge's model, and its verdicts by the ids of answers; `missing` answers could not be judged."""

    model: str
    verdicts: Mapping[str, SupportVerdict]
    missing: int

    def shares(self, answer_id: str) -> dict[str, Share]:
        """Return whether an answer is fully supported, and how many of its claims are."""
        verdict = self.verdicts.get(answer_id)
        if verdict is None:
            return {"supported": NOT_FOR_IT, "judged_claims": NOT_FOR_IT}
        full = sum(claim.support == "full" for claim in verdict.claims)
        return {
            "supported": Share(verdict.level == "fully_supported"),
            "judged_claims": Share(full, len(verdict.claims)),
        }


def judge_answers(findings: Findings, written_from: WrittenFrom, judge: Judge, tell: Tell) -> Judgements:
    """Judge every answer that was written from passages; an abstention, and a direct answer, claim nothing of them.

    Raises what `judging` and `judged` raise.
    """
    answers = [result for results in findings.results.values() for result in results if _is_answer(result)]
    known = [result for result in answers if result.response["id"] in written_from]
    cases = {
        str(result.response["id"]): _case(result, written_from)
        for result in known
        if written_from[result.response["id"]]
    }
    with judging(Setting() if judge.model == AS_SET else alone(STEP, judge.model), {}) as give:
        model = bootstrap.settings().models[STEP]
        budget = None if judge.max_cost is None else budget_of(judge.max_cost, [STEP])
        found = judged(cases, give, judge.parallel, budget, tell)
    verdicts = {name: cast(Support, result).verdict for name, result in found.items() if result.error is None}
    return Judgements(model, verdicts, len(answers) - len(known) + len(cases) - len(verdicts))


def _is_answer(result: Result) -> bool:
    said = result.response["answer"] not in (NO_TIME, NO_MONEY, NO_ROOM)
    return said and result.response["status"] in ("answered", "partial")


def _case(result: Result, written_from: WrittenFrom) -> Case:
    passages = [passage.model_dump() for passage in written_from[result.response["id"]]]
    answer = str(result.response["answer"]).replace(f" {UNCITED}", "")
    given = {"question": result.question, "answer": answer, "passages": passages}
    return Case(STEP, given)


def read_errors(path: Path, judge: str) -> Counts:
    """Read how often a judge errs, from what `selfrag eval graders --json` printed of it.

    Raises InvalidInput for another file, and one in which this judge was not tried.
    """
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
        tried = {way["name"]: way["counts"] for way in report["ways"] if report["step"] == STEP}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"{path} is not what `selfrag eval graders --json` prints.") from error
    if judge not in tried:
        raise InvalidInput(f"{path} does not say how often {judge} errs as the judge of support.")
    return Counts(**tried[judge])


def add_judgements(findings: Findings, judgements: Judgements, errors: Counts | None) -> None:
    """Add the judge's measures to the findings, and, where its errors are known, the shares corrected by them."""
    findings.add(judgements.shares)
    told: Report = {"model": judgements.model, "judged": len(judgements.verdicts), "missing": judgements.missing}
    if errors:
        figures = {name: one and asdict(one) for name, one in errors.figures().items()}
        told |= {"counts": asdict(errors), "figures": figures, "corrected": dict(_corrected(findings, errors))}
    findings.judge = told


def _corrected(findings: Findings, errors: Counts) -> Iterator[tuple[str, dict[str, float] | None]]:
    for name, measures in findings.measures.items():
        shares = [one["supported"] for one in measures]
        found = corrected(sum(one.count for one in shares), int(sum(one.of for one in shares)), errors)
        yield name, None if found is None else asdict(found)
