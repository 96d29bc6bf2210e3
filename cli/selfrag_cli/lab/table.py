"""The findings of a run: measures, variants compared in pairs, and the report as table, JSON and CSV."""

import csv
from collections.abc import Callable, Sequence
from math import comb
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.gate import Condition, Gate, check_figures
from selfrag_cli.lab.graders import Interval
from selfrag_cli.lab.judge import JudgeReport
from selfrag_cli.lab.question_sets import AMOUNTS, NOT_FOR_IT, GoldQuestion, Measured, aggregate, measure
from selfrag_cli.lab.records import RunResult, VariantConfig, make_folder
from selfrag_cli.lab.run import Variant
from selfrag_cli.terminal import make_visible

Floats = NDArray[np.float64]
# Draws by questions: how often a draw contains each.
Weights = NDArray[np.int64]
Verdict = Literal["real", "may be chance", "too few questions"]
Outcome = Literal["right answer", "other answer", "right abstention", "other abstention", "failed"]

# With fewer questions variants are not compared.
MIN_QUESTIONS = 20
_ALPHA = 0.05
_DRAWS, _BATCH, _SEED = 10_000, 500, 12
_OUTCOMES: tuple[Outcome, ...] = ("right answer", "right abstention", "other answer", "other abstention", "failed")
# Measures that the table leaves out: the outcomes repeat them, or they do not fit.
_ELSEWHERE = ("answered", "partial", "abstained", "failed", "model_calls")
_MAX_SHOWN_QUESTIONS = 4


class Difference(Interval):
    """The other variant's lead in a measure, with its interval; it has more on `won` questions and less on `lost`."""

    value: float
    questions: int
    won: int
    lost: int

    @property
    def p(self) -> float:
        """Return the exact two-sided p of McNemar's test, for a measure that is yes or no for each question."""
        differing = self.won + self.lost
        tail = sum(comb(differing, count) for count in range(min(self.won, self.lost) + 1))
        return min(1.0, tail / 2.0 ** (differing - 1))

    @property
    def verdict(self) -> Verdict:
        """Return whether the choice of questions explains the difference."""
        if self.questions < MIN_QUESTIONS:
            return "too few questions"
        return "real" if self.p < _ALPHA else "may be chance"


def compute_differences(base: Sequence[Measured], other: Sequence[Measured]) -> dict[str, Difference]:
    """Return by measure how much more `other` has than `base`, over the same questions in the same order.

    The interval is the percentile bootstrap's: questions are drawn with replacement, the same ones for both (Efron and
    Tibshirani 1993, chapter 13). A measure that applies to none of the questions is left out.
    """
    names = [name for name in (base[0] if base else ()) if _applies(base, name) and _applies(other, name)]
    if not names:
        return {}
    before, after = _counts(base, names), _counts(other, names)
    random, equal = np.random.default_rng(_SEED), np.full(len(base), 1 / len(base))
    draws = (random.multinomial(len(base), equal, size=_BATCH) for _ in range(_DRAWS // _BATCH))
    gaps = np.concatenate([_ratios(weights, after) - _ratios(weights, before) for weights in draws])
    low, high = np.nanpercentile(gaps, (2.5, 97.5), axis=0)
    every = np.ones((1, len(base)), dtype=np.int64)
    whole = (_ratios(every, after) - _ratios(every, before))[0]
    leads = {}
    for at, name in enumerate(names):
        pairs = [(before[name], after[name]) for before, after in zip(base, other, strict=True)]
        of_questions = [b.value - a.value for a, b in pairs if a.value is not None and b.value is not None]
        leads[name] = Difference(
            value=whole[at],
            low=low[at],
            high=high[at],
            questions=sum(bool(a.of or b.of) for a, b in pairs),
            won=sum(gap > 0 for gap in of_questions),
            lost=sum(gap < 0 for gap in of_questions),
        )
    return leads


def _applies(measures: Sequence[Measured], name: str) -> bool:
    return any(of_question[name].of for of_question in measures)


def _counts(measures: Sequence[Measured], names: Sequence[str]) -> tuple[Floats, Floats]:
    counts = np.array([[of_question[name].count for name in names] for of_question in measures], dtype=np.float64)
    return counts, np.array([[of_question[name].of for name in names] for of_question in measures], dtype=np.float64)


def _ratios(weights: Weights, counts: tuple[Floats, Floats]) -> Floats:
    """Return draws by measures, nan if a draw contains no question that a measure applies to."""
    of = weights @ counts[1]
    ratios: Floats = np.divide(weights @ counts[0], of, out=np.full(of.shape, np.nan), where=of != 0)
    return ratios


class VariantReport(VariantConfig):
    """The figures of a variant: each measure, and the number of questions that it is over."""

    name: str
    outcomes: dict[Outcome, int]
    measures: dict[str, float | None]
    n: dict[str, int]


class VariantComparison(BaseModel):
    """A variant against the first one; the verdict and its p are those of the primary measure."""

    base: str
    variant: str
    verdict: Verdict | None
    p: float | None
    differences: dict[str, Difference]


class EvaluationReport(BaseModel):
    """The figures of a run over the `compared` questions that every variant has answered.

    `differing` are the questions whose outcomes differ, with the outcome of each variant.
    """

    questions: int
    compared: int
    primary: str
    judge: JudgeReport | None
    variants: list[VariantReport]
    comparisons: list[VariantComparison]
    differing: dict[str, dict[str, Outcome]]


class Findings:
    """The questions that every variant has answered, with all measures of each answer."""

    def __init__(
        self,
        questions: Sequence[GoldQuestion],
        variants: Sequence[Variant],
        find: Callable[[str, str], RunResult | None],
    ) -> None:
        self.total, self.variants = len(questions), variants
        self.questions: list[GoldQuestion] = []
        self.results: dict[str, list[RunResult]] = {variant.name: [] for variant in variants}
        for question in questions:
            results = [result for variant in variants if (result := find(variant.name, question.id))]
            if len(results) == len(variants):
                self.questions.append(question)
                for result in results:
                    self.results[result.variant].append(result)
        self.measures: dict[str, list[Measured]] = {
            name: [
                measure(question, result.response, result.seconds)
                for question, result in zip(self.questions, results, strict=True)
            ]
            for name, results in self.results.items()
        }
        self.judge: JudgeReport | None = None

    @property
    def answers(self) -> list[tuple[GoldQuestion, RunResult]]:
        """Return all answers, each with its question."""
        return [answer for results in self.results.values() for answer in zip(self.questions, results, strict=True)]

    @property
    def usd(self) -> float:
        """Return the known dollars of all answers."""
        return sum(result.usd or 0.0 for results in self.results.values() for result in results)

    @property
    def primary(self) -> str:
        """Return the measure that decides: whether an answer is supported if a judge was asked, else `match`."""
        return "supported" if self.judge else "match"

    def add_judgements(self, judge: JudgeReport, shares: dict[str, Measured]) -> None:
        """Add a judge's measures, by the ids of answers, to those of each answer."""
        self.judge = judge
        for name, results in self.results.items():
            for result, of_answer in zip(results, self.measures[name], strict=True):
                of_answer.update(shares[result.response.id])

    def report(self) -> EvaluationReport:
        """Return the figures of all variants, and of each against the first one."""
        first, *others = [variant.name for variant in self.variants]
        outcomes = {
            name: list(map(_outcome, self.questions, results, self.measures[name]))
            for name, results in self.results.items()
        }
        return EvaluationReport(
            questions=self.total,
            compared=len(self.questions),
            primary=self.primary,
            judge=self.judge,
            variants=[self._variant_report(variant, outcomes[variant.name]) for variant in self.variants],
            comparisons=[self._compare(first, other) for other in others],
            differing={
                question.question: {name: of_variant[at] for name, of_variant in outcomes.items()}
                for at, question in enumerate(self.questions)
                if len({of_variant[at] for of_variant in outcomes.values()}) > 1
            },
        )

    def gate(self, conditions: Sequence[Condition]) -> Gate:
        """Return the result of conditions on the measures of each variant.

        The questions are those that lower the figure that fails.
        """
        gate = Gate()
        for variant, measures in self.measures.items():
            for check, condition in zip(
                check_figures(variant, aggregate(measures), conditions), conditions, strict=True
            ):
                gate.checks.append(check)
                if check.failed:
                    shares = [(gold, m[condition.name]) for gold, m in zip(self.questions, measures, strict=True)]
                    gate.questions.extend(gold.question for gold, share in shares if share.count < share.of)
        return gate

    def _variant_report(self, variant: Variant, outcomes: list[Outcome]) -> VariantReport:
        measures = self.measures[variant.name]
        means = aggregate(measures)
        return VariantReport(
            name=variant.name,
            outcomes={outcome: outcomes.count(outcome) for outcome in _OUTCOMES},
            measures=means,
            n={name: sum(bool(of_question[name].of) for of_question in measures) for name in means},
            **variant.way.model_dump(),
        )

    def _compare(self, base: str, variant: str) -> VariantComparison:
        gaps = compute_differences(self.measures[base], self.measures[variant])
        primary = gaps.get(self.primary)
        return VariantComparison(
            base=base,
            variant=variant,
            verdict=primary.verdict if primary else None,
            p=primary.p if primary else None,
            differences=dict(sorted(gaps.items(), key=lambda gap: gap[0] != self.primary)),
        )


def _outcome(gold: GoldQuestion, result: RunResult, measures: Measured) -> Outcome:
    """Return what became of a question: by the judge's verdict if it has one, else by `match`."""
    if result.response.status == "failed":
        return "failed"
    if result.response.status == "abstained":
        return "right abstention" if gold.answerable is False else "other abstention"
    judged, matched = measures.get("correct", NOT_FOR_IT).value, measures["match"].value
    return "right answer" if (matched if judged is None else judged) == 1 else "other answer"


def show_report(console: Console, report: EvaluationReport) -> None:
    """Print the outcomes, the measures, the verdicts and the questions that differ, each in a line."""
    if not report.compared:
        console.print("No question is answered by every variant yet.")
        return
    for variant in report.variants:
        console.print(f"[bold]{escape(variant.name)}[/]: {_outcome_line(variant)}", highlight=False, soft_wrap=True)
    console.print(_measures_table(report))
    lines = [describe_judge(report.judge)] if report.judge else []
    for line in lines + describe_verdicts(report):
        console.print(escape(line), highlight=False, soft_wrap=True)
    if report.differing:
        console.print("Outcomes differ for these questions (--json shows all):")
    for question, outcomes in list(report.differing.items())[:_MAX_SHOWN_QUESTIONS]:
        sides = ", ".join(f"{variant}: {outcome}" for variant, outcome in outcomes.items())
        console.print(escape(make_visible(f"  {question} {sides}")), highlight=False, soft_wrap=True)


def _outcome_line(variant: VariantReport) -> str:
    counts = [(count, outcome) for outcome, count in variant.outcomes.items() if count]
    parts = [f"{count} {outcome if count == 1 or outcome == 'failed' else outcome + 's'}" for count, outcome in counts]
    return f"{', '.join(parts)}, of {sum(count for count, _ in counts)}"


def _measures_table(report: EvaluationReport) -> Table:
    table = Table("Measure", box=SIMPLE_HEAD, pad_edge=False)
    for variant in report.variants:
        table.add_column(escape(variant.name), justify="right", overflow="fold")
        table.add_column("n", justify="right")
    for name in report.variants[0].measures:
        if name not in _ELSEWHERE and any(variant.measures[name] is not None for variant in report.variants):
            pairs = [(_figure(variant.measures[name], name), str(variant.n[name])) for variant in report.variants]
            table.add_row(_words(name), *(cell for pair in pairs for cell in pair))
    return table


def describe_verdicts(report: EvaluationReport) -> list[str]:
    """Return in words whether each variant differs from the first one in the primary measure."""
    if report.comparisons and report.compared < MIN_QUESTIONS:
        few = f"{report.compared} questions are too few to compare variants"
        return [f"{few}: {MIN_QUESTIONS} say whether one is better."]
    return [_verdict_line(comparison, report.primary) for comparison in report.comparisons]


def _verdict_line(comparison: VariantComparison, primary: str) -> str:
    gap = comparison.differences.get(primary)
    if gap is None or comparison.p is None:
        return f"No question has a value of {_words(primary)}, so there is no verdict on {comparison.variant}."
    more, size = "more" if gap.value > 0 else "less", _figure(abs(gap.value), primary)
    difference = f"{size} {more} than {comparison.base}" if gap.value else f"the same as {comparison.base}"
    return (
        f"{comparison.variant} has {difference} in {_words(primary)} "
        f"(95% {_figure(gap.low, primary)} to {_figure(gap.high, primary)}; {gap.won} questions "
        f"won, {gap.lost} lost, of {gap.questions}): {comparison.verdict} (exact p {comparison.p:.2g})."
    )


def describe_judge(judge: JudgeReport) -> str:
    """Return in words the judge and the number of answers."""
    judge_name = "by rule, which is no judgement" if judge.judged_by == "rule" else f"by {judge.model}"
    return f"supported, judged claims, correct: {judge.judged} answers written from passages, judged {judge_name}"


def _words(name: str) -> str:
    return {"usd": "USD", "f1": "F1"}.get(name, name.replace("_", " "))


def _figure(value: float | None, name: str) -> str:
    if value is None:
        return ""
    digits = 4 if name == "usd" else 1 if name in AMOUNTS and abs(value) >= 1 else 2
    return f"{value:.{digits}f}"


def check_output(path: Path | None) -> None:
    """Create the folder of a file; raises InvalidInput, before anything is asked and paid, if it cannot be written."""
    if path and path.suffix != ".csv":
        raise InvalidInput(f"--output {path}: name a file that ends in .csv.")
    if path:
        make_folder(path)


def write_output(findings: Findings, path: Path) -> None:
    """Write a line for each answer with all measures; raises InvalidInput if the file cannot be written."""
    names = list(dict.fromkeys(name for of in findings.measures.values() for first in of[:1] for name in first))
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["question_id", "question", "variant", "id", "status", "answer", *names])
            for variant, results in findings.results.items():
                for result, measures in zip(results, findings.measures[variant], strict=True):
                    response = result.response
                    about = [response.id, response.status, response.answer]
                    # A measure that does not apply to a question is empty.
                    shares = [measures[name].value for name in names]
                    writer.writerow([result.question_id, result.question, variant, *about, *shares])
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from error
