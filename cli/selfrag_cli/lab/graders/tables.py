"""The report of `selfrag eval graders` as tables in the terminal."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

Report = dict[str, Any]
FIGURES = {
    "balanced": "balanced accuracy",
    "passing_found": "passes, of those that should",
    "failing_found": "fails, of those that should",
    "precision": "right, of those that pass",
}


def show_graders(console: Console, report: Report) -> None:
    """Print of each way the confusion, the figures and what the parts of the step are worth, then the comparisons."""
    for way in report["ways"]:
        console.print(_confusion(report, way))
        console.print(_figures(way))
        if way["kappa"] is not None:
            console.print(f"weighted kappa {way['kappa']:.3f}")
        if way["clustered"]:
            told = f"by {way['clustered']['groups']} groups that are drawn as a whole"
            console.print(f"balanced accuracy {interval(way['clustered'])}, {told}")
        calls = ", ".join(f"{count} calls of {model}" for model, count in way["calls"].items()) or "no calls"
        usd = "unknown" if way["usd"] is None else f"{way['usd']:.4f}"
        console.print(f"{escape(calls)}, {usd} dollars")
    for one in report["comparisons"]:
        told = f"{one['way']} alone is right in {one['won']} rows, {one['base']} alone in {one['lost']}"
        console.print(f"{escape(told)} (exact p {one['p']:.3g})")


def _confusion(report: Report, way: Report) -> Table:
    said = list(dict.fromkeys(label for row in way["confusion"].values() for label in row))
    title = f"{report['step']}, {escape(way['name'])} ({escape(way['model'])}): {report['judged']} rows"
    table = Table("People said", title=title, title_justify="left")
    for label in said:
        table.add_column(label, justify="right")
    for label, row in way["confusion"].items():
        table.add_row(label, *(str(row.get(one, 0)) for one in said))
    return table


def _figures(way: Report) -> Table:
    """Return a line for all rows, for each class of them, and for each part of the step."""
    table = Table("Rows")
    for heading in FIGURES.values():
        table.add_column(heading, justify="right")
    classes = {name: figures for of_each in way["slices"].values() for name, figures in of_each.items()}
    for name, one in {"all": way, **classes, **way["parts"]}.items():
        table.add_row(escape(name), *(interval(one["figures"][figure]) for figure in FIGURES))
    return table


def interval(found: Mapping[str, float] | None) -> str:
    """Return a figure with its interval for a person; "" where there is none."""
    return f"{found['value']:.3f} ({found['low']:.3f} to {found['high']:.3f})" if found else ""
