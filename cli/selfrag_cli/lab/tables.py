"""The report of `selfrag eval` as tables in the terminal."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from selfrag_cli.lab.comparison import Difference, Interval
from selfrag_cli.lab.findings import EvaluationReport, JudgeReport, SideBySide, VariantComparison
from selfrag_cli.terminal import visible


def show_report(console: Console, report: EvaluationReport) -> None:
    """Print the figures of the questions that every variant has answered."""
    if not report.compared:
        console.print("No question is answered by every variant yet.")
        return
    console.print(_measures(report))
    if report.judge:
        console.print(escape(judge_line(report.judge)), highlight=False, soft_wrap=True)
    for comparison in report.comparisons:
        console.print(_differences(comparison))
        console.print(escape(verdict_line(comparison, report.primary)), highlight=False, soft_wrap=True)
        for question in comparison.most_different:
            _show_question(console, question)


def _measures(report: EvaluationReport) -> Table:
    title = f"{report.compared} questions, with 95% intervals"
    table = Table("Measure", title=title, title_justify="left")
    for variant in report.variants:
        table.add_column(escape(variant.name), justify="right", overflow="fold")
    for name in report.variants[0].measures:
        if any(variant.measures[name] is not None for variant in report.variants):
            cells = [_with_ends(variant.measures[name], variant.intervals.get(name)) for variant in report.variants]
            table.add_row(words(name), *cells)
    return table


def _with_ends(value: float | None, interval: Interval | None) -> str:
    return f"{figure(value)} ({interval.low:.3g} to {interval.high:.3g})" if interval else figure(value)


def _differences(comparison: VariantComparison) -> Table:
    """Return a line for each measure that differs, or may."""
    title = escape(f"{comparison.variant} against {comparison.base}")
    table = Table("Measure", title=title, title_justify="left")
    for heading in ("difference", "95% interval", "won : lost"):
        table.add_column(heading, justify="right")
    for name, gap in comparison.differences.items():
        if differs(gap):
            table.add_row(words(name), f"{gap.value:+.4g}", ends(gap), f"{gap.won} : {gap.lost}")
    return table


def differs(gap: Difference) -> bool:
    """Return whether a measure differs for any question."""
    return bool(gap.low or gap.high)


def ends(gap: Difference) -> str:
    """Return the interval of a difference for a person."""
    return f"{gap.low:+.4g} to {gap.high:+.4g}"


def verdict_line(comparison: VariantComparison, primary: str) -> str:
    """Return in words whether a variant differs from the first one in the primary measure."""
    if comparison.p is None:
        return f"No question has a value of {words(primary)}, so there is no verdict."
    p = "" if comparison.verdict == "too few questions" else f" (exact p {comparison.p:.2g})"
    return f"The difference of {comparison.variant} in {words(primary)}: {comparison.verdict}{p}."


def judge_line(judge: JudgeReport) -> str:
    """Return in words the judge and the number of answers."""
    judge_name = "by rule, which is no judgement" if judge.judged_by == "rule" else f"by {judge.model}"
    return f"supported, judged claims, correct: {judge.judged} answers written from passages, judged {judge_name}"


def _show_question(console: Console, question: SideBySide) -> None:
    right = "; ".join(question.answers) or ("no answer" if question.answerable is False else "")
    console.print(f"[bold]{escape(visible(question.question))}[/]  [dim]{escape(visible(right))}[/]")
    for side in question.sides:
        answer = f"{side.response.status}, {escape(visible(side.response.answer))}"
        console.print(f"  {escape(side.variant)}: {answer}", highlight=False)
        console.print(f"  [dim]{escape(' → '.join(side.response.path))}[/]", highlight=False)


def words(name: str) -> str:
    """Return a measure's name for a person."""
    return {"usd": "USD", "f1": "F1"}.get(name, name.replace("_", " "))


def figure(value: float | None) -> str:
    """Return a measure's value for a person, "" where it is for no question."""
    return "" if value is None else f"{value:.4g}"
