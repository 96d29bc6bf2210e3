"""A replay in the terminal: what was judged anew and how far it agrees, and the questions that would end otherwise."""

from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from cli.lab.tables import agreement_table
from cli.terminal import visible


def show_replay(console: Console, report: dict[str, Any]) -> None:
    """Print the figures of a replay."""
    table = Table("Step", title=f"{report['traces']} traces", title_justify="left")
    for heading in ("verdicts", "judged anew", "calls", "USD"):
        table.add_column(heading, justify="right")
    for step, took in report["steps"].items():
        usd = "unknown" if took["usd"] is None else f"{took['usd']:.4f}"
        table.add_row(step, str(took["verdicts"]), str(took["judged"]), str(took["calls"]), usd)
    console.print(table)
    console.print(agreement_table(report["agreement"], "As recorded, and now"))
    endings = [row for row in report["otherwise"] if row["status"] != row["would_be"]]
    console.print(
        f"{len(endings)} of {report['traces']} questions would have ended otherwise, "
        f"{len(report['otherwise']) - len(endings)} more gone another way."
    )
    for row in report["otherwise"]:
        ending = f"{row['status']} → {row['would_be']}" if row in endings else "another way"
        console.print(f"  {ending}: {escape(visible(row['question']))}  [dim]{escape(row['id'])}[/]", highlight=False)
