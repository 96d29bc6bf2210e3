"""The report of `selfrag eval`: in the terminal, and as a line of CSV for each answer."""

import csv
from collections.abc import Sequence
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.comparison import FEWEST, Interval
from selfrag_cli.lab.findings import (
    EvaluationReport,
    Findings,
    JudgeReport,
    VariantComparison,
    VariantReport,
    values,
)
from selfrag_cli.lab.measures import AMOUNTS
from selfrag_cli.lab.runs.results import make_folder
from selfrag_cli.terminal import visible

# Measures that the table leaves out: the outcomes repeat them, or they do not fit.
_ELSEWHERE = ("answered", "partial", "abstained", "failed", "search_recall", "model_calls")
_MOST_QUESTIONS = 4


def show_report(console: Console, report: EvaluationReport) -> None:
    """Print the outcome, the measures, the verdicts and the questions that differ most, each in a line."""
    if not report.compared:
        console.print("No question is answered by every variant yet.")
        return
    for variant in report.variants:
        console.print(f"[bold]{escape(variant.name)}[/]: {outcome_line(variant)}", highlight=False, soft_wrap=True)
    console.print(_measures(report))
    lines = [judge_line(report.judge)] if report.judge else []
    for line in lines + verdict_lines(report):
        console.print(escape(line), highlight=False, soft_wrap=True)
    differing = [question for question in report.most_different if question.differing][:_MOST_QUESTIONS]
    if differing:
        console.print("Answers differ most to these questions (--json shows them):")
    for question in differing:
        sides = ", ".join(f"{side.variant}: {side.outcome}" for side in question.sides)
        console.print(escape(visible(f"  {question.question} {sides}")), highlight=False, soft_wrap=True)


def outcome_line(variant: VariantReport) -> str:
    """Return in words what became of the questions."""
    counts = [(count, outcome) for outcome, count in variant.outcomes.items() if count]
    parts = [f"{count} {outcome if count == 1 or outcome == 'failed' else outcome + 's'}" for count, outcome in counts]
    return f"{', '.join(parts)}, of {sum(count for count, _ in counts)}"


def _measures(report: EvaluationReport) -> Table:
    """Return a row for each measure: by variant its mean, the interval where there is room, and n."""
    table = Table("Measure", box=SIMPLE_HEAD, pad_edge=False)
    has_room = len(report.variants) < 3
    for variant in report.variants:
        table.add_column(escape(variant.name) + (" (95%)" if has_room else ""), justify="right", overflow="fold")
        table.add_column("n", justify="right")
    for name in report.variants[0].measures:
        if name not in _ELSEWHERE and any(variant.measures[name] is not None for variant in report.variants):
            cells = []
            for variant in report.variants:
                value, interval = figure(variant.measures[name], name), variant.intervals.get(name)
                ends = f" ({ends_of(interval, name)})" if interval and has_room and name not in AMOUNTS else ""
                cells += [value + ends, str(variant.n[name])]
            table.add_row(words(name), *cells)
    return table


def verdict_lines(report: EvaluationReport) -> list[str]:
    """Return in words whether each variant differs from the first one in the primary measure."""
    if report.comparisons and report.compared < FEWEST:
        return [f"{report.compared} questions are too few to compare variants: {FEWEST} say whether one is better."]
    return [_verdict_line(comparison, report.primary) for comparison in report.comparisons]


def _verdict_line(comparison: VariantComparison, primary: str) -> str:
    gap = comparison.differences.get(primary)
    if gap is None or comparison.p is None:
        return f"No question has a value of {words(primary)}, so there is no verdict on {comparison.variant}."
    more, size = "more" if gap.value > 0 else "less", figure(abs(gap.value), primary)
    difference = f"{size} {more} than {comparison.base}" if gap.value else f"the same as {comparison.base}"
    return (
        f"{comparison.variant} has {difference} in {words(primary)} (95% {ends_of(gap, primary)}; {gap.won} questions "
        f"won, {gap.lost} lost, of {gap.questions}): {comparison.verdict} (exact p {comparison.p:.2g})."
    )


def judge_line(judge: JudgeReport) -> str:
    """Return in words the judge and the number of answers."""
    judge_name = "by rule, which is no judgement" if judge.judged_by == "rule" else f"by {judge.model}"
    return f"supported, judged claims, correct: {judge.judged} answers written from passages, judged {judge_name}"


def words(name: str) -> str:
    """Return a measure's name for a person."""
    return {"usd": "USD", "f1": "F1"}.get(name, name.replace("_", " "))


def figure(value: float | None, name: str) -> str:
    """Return a measure's value for a person, "" where it is for no question."""
    if value is None:
        return ""
    digits = 4 if name == "usd" else 1 if name in AMOUNTS and abs(value) >= 1 else 2
    return f"{value:.{digits}f}"


def ends_of(interval: Interval, name: str) -> str:
    """Return the ends of an interval for a person."""
    return f"{figure(interval.low, name)} to {figure(interval.high, name)}"


def check_outputs(paths: Sequence[Path]) -> None:
    """Make the folders of files; raises InvalidInput, before anything is asked and paid, for what cannot be written."""
    for path in paths:
        if path.suffix != ".csv":
            raise InvalidInput(f"--output {path}: name a file that ends in .csv.")
        make_folder(path)


def write_outputs(findings: Findings, paths: Sequence[Path]) -> None:
    """Write the findings to each file; raises InvalidInput if one cannot be written."""
    for path in paths:
        try:
            _write_csv(findings, path)
        except OSError as error:
            raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from error


def _write_csv(findings: Findings, path: Path) -> None:
    """Write a line for each answer, with all measures; empty where a measure is not for a question."""
    names = list(dict.fromkeys(name for of in findings.measures.values() for first in of[:1] for name in first))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["question_id", "question", "variant", "id", "status", "answer", *names])
        for variant, results in findings.results.items():
            for result, measures in zip(results, findings.measures[variant], strict=True):
                response, numbers = result.response, values(measures)
                about = [result.question_id, result.question, variant, response.id, response.status, response.answer]
                writer.writerow([*about, *(numbers.get(name, "") for name in names)])
