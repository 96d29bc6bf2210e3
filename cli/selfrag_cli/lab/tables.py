"""The reports of `selfrag eval` and `selfrag replay` as tables in the terminal."""

from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from selfrag_cli.lab.metrics.comparison import FEWEST
from selfrag_cli.lab.report import Report
from selfrag_cli.terminal import visible


def show_report(console: Console, report: Report) -> None:
    """Print the figures of the questions that every variant has answered."""
    if not report["compared"]:
        console.print("No question is answered by every variant yet.")
        return
    console.print(_measures(report))
    for variant in report["variants"]:
        if variant["repeats"]:
            told = f"{escape(variant['name'])}, {repeats_of(variant, report['primary'])}"
            console.print(told, highlight=False, soft_wrap=True)
    if report["front"]:
        console.print(_front(report))
    if report["slices"]:
        console.print(_slices(report))
    if report["judge"]:
        _show_judge(console, report["judge"])
    for comparison in report["comparisons"]:
        base, variant = escape(comparison["base"]), escape(comparison["variant"])
        console.print(_differences(comparison))
        console.print(
            f"{variant} answers {comparison['won']} questions better than {base}, {comparison['lost']} worse."
        )
        for question in comparison["most_different"]:
            _show_question(console, question, (comparison["base"], comparison["variant"]))


def _measures(report: Report) -> Table:
    variants = report["variants"]
    table = Table("Measure", title=f"{report['compared']} questions", title_justify="left")
    for variant in variants:
        table.add_column(escape(variant["name"]), justify="right", overflow="fold")
    for name in variants[0]["measures"]:
        values = [variant["measures"][name] for variant in variants]
        if any(value is not None for value in values):
            table.add_row(words(name), *map(figure, values))
    return table


def _front(report: Report) -> Table:
    """Return a line for each variant: quality, price, and whether no other one beats it in both."""
    quality, price = report["front"]["quality"], report["front"]["price"]
    table = Table(title="Quality with its 95% interval, and price", title_justify="left")
    table.add_column("Variant", overflow="fold")
    for heading in (words(quality), words(price), "on the front"):
        table.add_column(heading, justify="right")
    for variant in report["variants"]:
        measures, interval = variant["measures"], variant["intervals"].get(quality)
        best = "yes" if variant["name"] in report["front"]["variants"] else ""
        table.add_row(escape(variant["name"]), _with_ends(measures[quality], interval), figure(measures[price]), best)
    return table


def _slices(report: Report) -> Table:
    """Return a line for each class of questions, with the primary measure of each variant and its interval."""
    names = [variant["name"] for variant in report["variants"]]
    table = Table("By", "", "questions", title=f"{words(report['primary'])}, 95% interval", title_justify="left")
    for name in names:
        table.add_column(escape(name), justify="right", overflow="fold")
    for by, some in report["slices"].items():
        for one in some:
            shown = (_with_ends(one["measures"][name][report["primary"]], one["intervals"][name]) for name in names)
            table.add_row(by, escape(visible(one["name"])), str(one["questions"]), *shown)
    return table


def _with_ends(value: float | None, interval: tuple[float, float] | None) -> str:
    return f"{figure(value)} ({interval[0]:.3g} to {interval[1]:.3g})" if interval else ""


def repeats_of(variant: Report, primary: str) -> str:
    """Return in words how much the answers of a variant differ from round to round."""
    found = variant["repeats"]
    rounds = ", ".join(figure(value) for value in found["rounds"])
    every = f"in every round {figure(found['always'])} of the questions, in any {figure(found['ever'])}"
    return f"{words(primary)} by round: {rounds}; {every}"


def _show_judge(console: Console, judge: dict[str, Any]) -> None:
    """Print who judged what is called supported and correct, and how far people agree with it."""
    console.print(escape(judge_of(judge)), highlight=False, soft_wrap=True)
    for name, found in judge["corrected"].items():
        told = "no share explains this" if found is None else f"{figure(found['value'])}, 95% interval {ends(found)}"
        console.print(f"supported of {escape(name)}, corrected by how often the judge errs: {told}")


def judge_of(judge: dict[str, Any]) -> str:
    """Return in words who judged, and how often it says as people do of support and of correctness."""
    who = "by rule, which is no judgement" if judge["judged_by"] == "rule" else f"by {judge['model']}"
    told = [f"supported, judged claims, correct: {judge['judged']} answers written from passages, judged {who}"]
    for step, found in judge["agreement"].items():
        if right := found["balanced"]:
            told.append(f"balanced accuracy against people in {step} {figure(right['value'])} ({ends(right)})")
    return "; ".join(told)


def ends(found: dict[str, float]) -> str:
    """Return the ends of an interval for a person."""
    return f"{figure(found['low'])} to {figure(found['high'])}"


def _differences(comparison: dict[str, Any]) -> Table:
    """Return a line for each measure that differs, or may."""
    title = escape(f"{comparison['variant']} against {comparison['base']}")
    table = Table("Measure", title=title, title_justify="left")
    for heading in ("difference", "95% interval", "won : lost"):
        table.add_column(heading, justify="right")
    table.add_column("")
    for name, gap in comparison["differences"].items():
        if gap["low"] or gap["high"]:
            interval = f"{gap['low']:+.4g} to {gap['high']:+.4g}"
            counted = f"{gap['won']} : {gap['lost']}"
            table.add_row(words(name), f"{gap['value']:+.4g}", interval, counted, verdict_of(gap))
    return table


def verdict_of(gap: dict[str, Any]) -> str:
    """Return whether a difference is real, with its p, which is Holm's of all but the primary measure."""
    told = f"p {gap['p']:.2g}" if gap["corrected"] is None else f"Holm's p {gap['corrected']:.2g}"
    return str(gap["verdict"]) if gap["questions"] < FEWEST else f"{gap['verdict']}, {told}"


def show_replay(console: Console, report: Report) -> None:
    """Print what a replay judged anew, and the questions with a verdict that differs."""
    table = Table("Step", title=f"{report['traces']} traces", title_justify="left")
    columns = ("verdicts", "same", "changed", "judged anew", "calls", "USD")
    for heading in columns:
        table.add_column(heading, justify="right")
    for step, took in report["steps"].items():
        usd = "unknown" if took["usd"] is None else f"{took['usd']:.4f}"
        counts = (str(took[name]) for name in ("verdicts", "same", "changed", "judged", "calls"))
        table.add_row(step, *counts, usd)
    console.print(table)
    console.print(f"{len(report['changed'])} of {report['traces']} questions have a verdict that differs.")
    for row in report["changed"]:
        pairs = ", ".join(f"{one['step']} {one['was']} → {one['is']}" for one in row["verdicts"])
        asked = escape(visible(row["question"]))
        console.print(f"  {pairs}: {asked}  [dim]{escape(row['id'])}[/]", highlight=False, soft_wrap=True)


def _show_question(console: Console, question: dict[str, Any], names: tuple[str, ...]) -> None:
    right = "; ".join(question["answers"]) or ("no answer" if question["answerable"] is False else "")
    console.print(f"[bold]{escape(visible(question['question']))}[/]  [dim]{escape(visible(right))}[/]")
    for name in names:
        said = question[name]
        console.print(f"  {escape(name)}: {said['status']}, {escape(visible(said['answer']))}", highlight=False)
        console.print(f"  [dim]{' → '.join(said['path'] or ())}[/]", highlight=False)


def words(name: str) -> str:
    """Return a measure's name for a person."""
    return {"usd": "USD", "f1": "F1"}.get(name, name.replace("_", " "))


def figure(value: float | None) -> str:
    """Return a measure's value for a person, "" where it is for no question."""
    return "" if value is None else f"{value:.4g}"
