"""The report of `selfrag eval`: in the terminal, as a page, and as a line of CSV for each answer."""

import csv
import json
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import get_args

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from selfrag.domain.answers import Status
from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.comparison import FEWEST, Difference, Interval
from selfrag_cli.lab.findings import (
    OUTCOMES,
    EvaluationReport,
    Findings,
    JudgeReport,
    VariantComparison,
    VariantReport,
    values,
)
from selfrag_cli.lab.measures import AMOUNTS, cited_documents
from selfrag_cli.lab.runs.results import make_folder
from selfrag_cli.lab.runs.variants import VariantConfig
from selfrag_cli.terminal import visible

# What the outcomes say already, and what only the page has room for.
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
        console.print("Answers differ most to these questions (--output report.html shows them):")
    for question in differing:
        sides = ", ".join(f"{side.variant}: {side.outcome}" for side in question.sides)
        console.print(escape(visible(f"  {question.question} {sides}")), highlight=False, soft_wrap=True)


def headline(report: EvaluationReport) -> str:
    """Return in a sentence how many questions each variant has right, of those whose right answer is in the set."""
    counts = [max(variant.n.get(name, 0) for name in ("match", "correct")) for variant in report.variants]
    if not report.compared:
        return "No question is answered by every variant yet"
    if not any(counts):
        return f"{report.compared} questions, whose right answers the set does not hold"
    right = [variant.outcomes["right answer"] + variant.outcomes["right abstention"] for variant in report.variants]
    return "; ".join(
        f"{variant.name} is right in {count} of {of}"
        for variant, count, of in zip(report.variants, right, counts, strict=True)
    )


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
    for name in shown_measures(report):
        if name not in _ELSEWHERE:
            cells = []
            for variant in report.variants:
                value, interval = figure(variant.measures[name], name), variant.intervals.get(name)
                ends = f" ({ends_of(interval, name)})" if interval and has_room and name not in AMOUNTS else ""
                cells += [value + ends, str(variant.n[name])]
            table.add_row(words(name), *cells)
    return table


def shown_measures(report: EvaluationReport) -> list[str]:
    """Return the measures that any variant has a value of."""
    names = report.variants[0].measures
    return [name for name in names if any(variant.measures[name] is not None for variant in report.variants)]


def differs(gap: Difference) -> bool:
    """Return whether a measure differs for any question."""
    return bool(gap.low or gap.high)


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


def described(way: VariantConfig) -> str:
    """Return in words what a variant changes."""
    fields = {name: value for name, value in way.policy.items() if name != "cache"}
    texts = {name: value if isinstance(value, str) else json.dumps(value) for name, value in fields.items()}
    parts = [f"{words(name)}: {text}" for name, text in texts.items()]
    parts += [f"profile: {way.profile}"] if way.profile else []
    parts += [f"another prompt of {words(step)}" for step in way.prompts]
    parts += [] if "cache" in way.policy else ["reads stored verdicts"]
    return ", ".join(parts) or "the defaults"


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
        if path.suffix not in _WRITERS:
            raise InvalidInput(f"--output {path}: name a file that ends in {', '.join(_WRITERS)}.")
        make_folder(path)


def write_outputs(findings: Findings, paths: Sequence[Path]) -> None:
    """Write the findings to each file, by its ending; raises InvalidInput if one cannot be written."""
    for path in paths:
        try:
            _WRITERS[path.suffix](findings, path)
        except OSError as error:
            raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from error


def _write_page(findings: Findings, path: Path) -> None:
    # It takes a while to load.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("selfrag_cli.lab", ".")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    wording = (cited_documents, described, differs, ends_of, figure, headline, judge_line, outcome_line)
    functions = (*wording, shown_measures, verdict_lines, words)
    environment.filters.update({function.__name__: function for function in functions})
    environment.globals.update(amounts=AMOUNTS, outcomes=OUTCOMES, statuses=get_args(Status))
    # The colours are those of the page that answers questions.
    colours = files("selfrag.api.page").joinpath("tokens.css").read_text(encoding="utf-8")
    page = environment.get_template("report.html.j2").render(report=findings.report(), colours=colours)
    path.write_text(page, encoding="utf-8")


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


_WRITERS: dict[str, Callable[[Findings, Path], None]] = {".html": _write_page, ".csv": _write_csv}
