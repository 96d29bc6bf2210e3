"""The steps of `selfrag eval` after its answers have come: their judgement, and their export to other tools."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from cli.lab.commands.options import Tool
from cli.terminal import measuring_progress, warn

if TYPE_CHECKING:
    from cli.lab.evaluation import Plan
    from cli.lab.metrics.agreement import Counts
    from cli.lab.report import Findings


def have_judged(findings: "Findings", plan: "Plan", model: str, errors: "dict[str, Counts]") -> int:
    """Have each answer judged; return how many could not be."""
    from cli.lab.judge import Judge, add_judgements, judge_answers
    from cli.lab.traces import written_from_beside

    spent = sum(result.usd or 0.0 for results in findings.results.values() for result in results)
    left = None if plan.max_cost is None else plan.max_cost - spent
    with measuring_progress() as tell:
        judge = Judge(model, plan.parallel, left)
        found = judge_answers(
            findings, written_from_beside(plan.results), judge, lambda done, total: tell("Judging", done, total)
        )
    add_judgements(findings, found, errors)
    if found.missing:
        warn([f"{found.missing} answers are not judged: they have no trace beside the results, or no verdict came"])
    return found.missing


def export_answers(findings: "Findings", tools: Sequence[Tool], kept: Path) -> None:
    """Write the answers for other tools, with what their writers were given."""
    from cli.lab.exports import write_exports
    from cli.lab.traces import written_from_beside

    written = write_exports(findings, tools, kept, written_from_beside(kept))
    typer.echo(f"selfrag: the answers are in {', '.join(map(str, written))}", err=True)
