"""Display of a trace: the question, its outcome, a line per step, and failure_notes of failures."""

import json
from collections.abc import Mapping, Sequence

from rich.bar import Bar
from rich.console import Console, Group
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from selfrag.domain.history import Step
from selfrag_cli.local.stores.histories import ExecutionHistory
from selfrag_cli.show.places import places
from selfrag_cli.show.step_summaries import summarize
from selfrag_cli.terminal import make_visible

BAR_WIDTH = 16


def show_trace(console: Console, history: ExecutionHistory, *, full: bool = False) -> None:
    """Print an execution: question, status, id, seconds, strategy, and a line per step.

    `full` adds each step's input and output.
    """
    steps, seconds = history.steps, history.seconds
    console.print(f"[bold]Question[/]  {escape(history.question)}")
    console.print(f"[bold]Status[/]    {history.status}")
    console.print(f"[bold]Id[/]        {history.id}")
    console.print(f"[bold]Time[/]      {seconds:.2f} s from beginning to end")
    console.print(f"[bold]Strategy[/]  {escape(history.strategy)}")
    if steps:
        console.print(_timeline(steps, seconds))
    if full:
        for number, step in enumerate(steps, start=1):
            console.print(_format_whole(number, step))


def _timeline(steps: Sequence[Step], seconds: float) -> Table:
    table = Table("", "Step", box=None, expand=True, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("Took", justify="right", no_wrap=True)
    table.add_column("When", width=BAR_WIDTH)
    table.add_column("Verdict", ratio=1)
    where = places(steps)
    # Show at least a moment for an instantaneous step.
    whole, least = seconds or 1.0, (seconds or 1.0) / BAR_WIDTH / 2
    for number, step in enumerate(steps, start=1):
        begin = min(max(step.started, 0.0), whole - least)
        end = min(max(step.started + step.seconds, begin + least), whole)
        bar = Bar(whole, begin, end, width=BAR_WIDTH, color="red" if step.error else "blue")
        table.add_row(str(number), step.name, f"{step.seconds:.2f} s", bar, _verdict(step, where))
    return table


def _verdict(step: Step, where: Mapping[str, str]) -> Text:
    """Return a step's summary, cut to the line; errors in full."""
    again = f" ({step.attempts} attempts)" if step.attempts > 1 else ""
    if step.error:
        return Text(f"error {make_visible(_error(step))}{again}", style="red")
    return Text(make_visible(summarize(step, where) + again), no_wrap=True, overflow="ellipsis")


def _format_whole(number: int, step: Step) -> Panel:
    again = f", {step.attempts} attempts" if step.attempts > 1 else ""
    title = f"{number}. {step.name}  [dim]at {step.started:.2f} s, took {step.seconds:.2f} s{again}[/]"
    ending = Text(f"error   {_error(step)}", style="red") if step.error else Text("result  " + _json(step.result))
    parts = Group(Text("task    " + _json(step.task)), ending, *map(Text, _strips(step)))
    return Panel(parts, title=title, title_align="left", border_style="red" if step.error else "blue")


def failure_notes(steps: Sequence[Step]) -> list[str]:
    """Return a sentence per error cause with the failed steps."""
    failed: dict[str, dict[str, None]] = {}
    for step in steps:
        if step.error and step.cause:
            failed.setdefault(step.cause.rstrip("."), {})[step.name] = None
    return [f"{', '.join(names)}: {cause}." for cause, names in failed.items()]


def _strips(step: Step) -> list[str]:
    """Return a line with the kept strips of a passage (`corrective`), if any."""
    if step.name != "GradeRelevance" or not isinstance(step.result, dict):
        return []
    strips = (step.result.get("verdict") or {}).get("strips") or []
    text = step.task["passage"]["text"] if strips else ""
    return ["strips  " + _json([text[strip["start"] : strip["end"]] for strip in strips])] if strips else []


def _error(step: Step) -> str:
    return f"{step.error}: {step.cause}" if step.cause else step.error


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
