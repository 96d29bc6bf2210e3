"""One judge for all variants: each final answer against what its writer saw, whatever its strategy checked itself."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

from selfrag import bootstrap
from selfrag.domain.answers import UNCITED
from selfrag.domain.errors import InvalidInput
from selfrag.domain.verdicts import SupportVerdict, judged_by
from selfrag.question.compose_answer.messages import WITHOUT_ANSWER
from selfrag.question.grade_support.logic import Result as Support
from selfrag_cli.lab.correctness import STEP as CORRECTNESS
from selfrag_cli.lab.correctness import Result as Correct
from selfrag_cli.lab.correctness import Says
from selfrag_cli.lab.exports import WrittenFrom
from selfrag_cli.lab.gold.question_sets import GoldQuestion
from selfrag_cli.lab.judging import AS_SET, Case, Setting, Tell, alone, budget_of, judged, judging
from selfrag_cli.lab.metrics.agreement import Counts
from selfrag_cli.lab.metrics.correction import corrected
from selfrag_cli.lab.metrics.measures import NOT_FOR_IT, Share
from selfrag_cli.lab.report import Findings, Report
from selfrag_cli.lab.runs.results import Result

STEP = "grade_support"


@dataclass(frozen=True)
class Judge:
    """The model that judges, or AS_SET; with a sum, the most dollars, and how many answers at a time."""

    model: str
    parallel: int = 4
    max_cost: float | None = None


@dataclass(frozen=True)
class Judgements:
    """The judge's model, and its verdicts by the ids of answers; `missing` of them could not be had.

    `says` is whether an answer says what a right one says, where one is known.
    """

    model: str
    verdicts: Mapping[str, SupportVerdict]
    missing: int
    says: Mapping[str, Says | None]

    def shares(self, answer_id: str) -> dict[str, Share]:
        """Return whether an answer is fully supported, how many of its claims are, and whether it is correct."""
        verdict, says = self.verdicts.get(answer_id), self.says.get(answer_id)
        claims = verdict.claims if verdict else []
        return {
            "supported": Share(verdict.level == "fully_supported") if verdict else NOT_FOR_IT,
            "judged_claims": Share(sum(claim.support == "full" for claim in claims), len(claims)),
            "correct": Share(says == "yes") if says else NOT_FOR_IT,
            "partly_correct": Share(says == "partly") if says else NOT_FOR_IT,
        }


def judge_answers(findings: Findings, written_from: WrittenFrom, judge: Judge, tell: Tell) -> Judgements:
    """Judge every answer that was written from passages, and every one of which a right answer is known.

    An abstention, and a direct answer, claim nothing of passages. Raises what `judging` and `judged` raise.
    """
    rows = [row for results in findings.results.values() for row in zip(findings.questions, results, strict=True)]
    answers = [one for _, one in rows if _is_answer(one)]
    known = [one for one in answers if one.response["id"] in written_from]
    supports = {_id(one): _case(one, written_from) for one in known if written_from[one.response["id"]]}
    says = {_id(one): _without_judge(gold, one) for gold, one in rows}
    left = [(gold, one) for gold, one in rows if says[_id(one)] is None and gold.answers]
    compared = {f"{_id(one)} says": _compared(gold, one) for gold, one in left}
    with judging(Setting() if judge.model == AS_SET else alone(STEP, judge.model), {}) as give:
        model = bootstrap.settings().models[STEP]
        budget = None if judge.max_cost is None else budget_of(judge.max_cost, [STEP])
        results = judged(supports | compared, give, judge.parallel, budget, tell)
    had = {name: result for name, result in results.items() if result.error is None}
    verdicts = {name: cast(Support, had[name]).verdict for name in supports if name in had}
    says |= {name.removesuffix(" says"): cast(Correct, had[name]).verdict.says for name in compared if name in had}
    unsaid = sum(says[_id(one)] is None for _, one in left)
    return Judgements(model, verdicts, len(answers) - len(known) + len(supports) - len(verdicts) + unsaid, says)


def _id(result: Result) -> str:
    return str(result.response["id"])


def _without_judge(gold: GoldQuestion, result: Result) -> Says | None:
    """Return what needs no judge: to abstain is right where there is no answer, and wrong where there is one."""
    if gold.answerable is False:
        return "yes" if result.response["status"] == "abstained" else "no"
    return "no" if gold.answers and not _is_answer(result) else None


def _compared(gold: GoldQuestion, result: Result) -> Case:
    right = {"right": list(gold.answers), "facts": list(gold.facts)}
    return Case(CORRECTNESS, {"question": gold.question, **right, "answer": _without_marks(result)})


def _without_marks(result: Result) -> str:
    return str(result.response["answer"]).replace(f" {UNCITED}", "")


def _is_answer(result: Result) -> bool:
    said = result.response["answer"] not in WITHOUT_ANSWER
    return said and result.response["status"] in ("answered", "partial")


def _case(result: Result, written_from: WrittenFrom) -> Case:
    passages = [passage.model_dump() for passage in written_from[result.response["id"]]]
    return Case(STEP, {"question": result.question, "answer": _without_marks(result), "passages": passages})


def read_errors(paths: Sequence[Path], judge: str) -> dict[str, Counts]:
    """Read how often a judge errs, by step, from what `selfrag eval graders --json` printed of it.

    Raises InvalidInput for another file, and one in which this judge was not tried.
    """
    return dict(_read_errors(path, judge) for path in paths)


def _read_errors(path: Path, judge: str) -> tuple[str, Counts]:
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
        ways = report["ways"] if report["step"] in (STEP, CORRECTNESS) else []
        tried = {way["name"]: Counts(**way["counts"]) for way in ways}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"{path} is not what `selfrag eval graders --json` prints.") from error
    if judge not in tried:
        raise InvalidInput(f"{path} does not say how often {judge} errs as the judge of support or correctness.")
    return report["step"], tried[judge]


def add_judgements(findings: Findings, judgements: Judgements, errors: Mapping[str, Counts]) -> None:
    """Add the judge's measures to the findings, its agreement with people, and the shares corrected by its errors."""
    findings.add(judgements.shares)
    findings.judge = {
        "model": judgements.model,
        "judged_by": judged_by(judgements.model),
        "judged": len(judgements.verdicts),
        "missing": judgements.missing,
        "agreement": {step: _figures(counts) for step, counts in errors.items()},
        "corrected": dict(_corrected(findings, errors[STEP])) if STEP in errors else {},
    }


def _figures(counts: Counts) -> Report:
    return {"counts": asdict(counts), **{name: one and asdict(one) for name, one in counts.figures().items()}}


def _corrected(findings: Findings, errors: Counts) -> Iterator[tuple[str, dict[str, float] | None]]:
    for name, measures in findings.measures.items():
        shares = [one["supported"] for one in measures]
        found = corrected(sum(one.count for one in shares), int(sum(one.of for one in shares)), errors)
        yield name, None if found is None else asdict(found)
