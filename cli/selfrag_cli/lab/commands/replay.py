"""The command about recorded questions: replay."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.commands.options import FailIf, MaxCost, Parallel, end_incomplete, end_with, read_judges
from selfrag_cli.options import AsJson
from selfrag_cli.terminal import measuring_progress, out, print_json, visible

if TYPE_CHECKING:
    from selfrag_cli.lab.replay import ReplayReport

Traces = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[TRACES]...",
        help="What `selfrag eval` has stored (.traces.jsonl), or histories of executions as JSON; the last questions "
        "of `selfrag ask` if left out.",
    ),
]
Prompts = Annotated[
    list[str] | None,
    typer.Option("--prompt", metavar="STEP=FILE", help="A grader's prompt in place of its own; more than once."),
]
Models = Annotated[
    list[str] | None,
    typer.Option("--model", metavar="STEP=MODEL", help="A grader's model in place of its own; more than once."),
]
JudgeOption = Annotated[
    str | None, typer.Option("--judge", metavar="KIND", help="Who judges: decider, claude or cascade.")
]


def replay(
    traces: Traces = None,
    prompt: Prompts = None,
    model: Models = None,
    judge: JudgeOption = None,
    max_cost: MaxCost = None,
    parallel: Parallel = 8,
    fail_if: FailIf = None,
    as_json: AsJson = False,
) -> None:
    """Judge recorded questions again under another prompt, model or judge, without searching and writing.

    Only requests that differ from the recorded ones are sent and paid, once: verdicts are stored. Exit code 1 means
    that verdicts are missing, 3 that a condition of --fail-if holds.
    """
    from selfrag_cli.lab.gate import read_conditions
    from selfrag_cli.lab.replay import Changes, replayed
    from selfrag_cli.lab.traces import last_traces, read_traces

    conditions = read_conditions(fail_if or [])
    changes = Changes.of(prompt or [], model or [], *read_judges([judge] if judge else []))
    recorded = [trace for path in traces for trace in read_traces(path)] if traces else last_traces()
    if not recorded:
        raise InvalidInput("There is no trace to judge again: ask questions first, or name a file of traces.")
    with measuring_progress() as progress:
        judged = replayed(recorded, changes, parallel, max_cost, lambda done, total: progress("Judging", done, total))
    report = judged.report()
    if as_json:
        print_json(report.model_dump(mode="json"))
    else:
        _show(report)
    end_incomplete(report.missing)
    end_with(judged.gate(conditions))


def _show(report: "ReplayReport") -> None:
    """Print what was judged anew, and the questions with a verdict that differs."""
    table = Table("Step", title=f"{report.traces} traces", title_justify="left")
    for heading in ("verdicts", "same", "changed", "ungraded", "judged anew", "calls", "USD"):
        table.add_column(heading, justify="right")
    for name, step in report.steps.items():
        usd = "unknown" if step.usd is None else f"{step.usd:.4f}"
        counts = (step.verdicts, step.same, step.changed, step.ungraded, step.judged, step.calls)
        table.add_row(name, *map(str, counts), usd)
    out.print(table)
    out.print(f"{len(report.changed)} of {report.traces} questions have a verdict that differs.")
    for row in report.changed:
        pairs = ", ".join(f"{change.step} {change.before} → {change.now}" for change in row.verdicts)
        question = escape(visible(row.question))
        out.print(f"  {pairs}: {question}  [dim]{escape(row.id)}[/]", highlight=False, soft_wrap=True)
