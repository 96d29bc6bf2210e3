"""A trace as a person sees it: the question and how it ended, then each step; and the causes of what failed."""

import json
from collections.abc import Sequence
from typing import Any

from rich.console import Console, Group
from rich.markup import escape
from rich.panel import Panel
from rich.text import Text

from cli.show.ways import strategy_and_way
from selfrag.domain.history import Step, steps_of
from selfrag.domain.questions import Policy

LONGEST_VALUE = 600


def show_trace(console: Console, question_id: str, history: Sequence[dict[str, Any]]) -> None:
    """Print an execution: its question, status, id and strategy, then each step with its input, output and times."""
    given, steps = _given(history), steps_of(history)
    # What was asked before there were strategies, or names none.
    strategy = (given.get("policy") or {}).get("strategy", Policy().strategy)
    console.print(f"[bold]Question[/]  {escape(str(given.get('question', '')))}")
    console.print(f"[bold]Status[/]    {_status(history)}")
    console.print(f"[bold]Id[/]        {question_id}")
    console.print(f"[bold]Strategy[/]  {escape(strategy_and_way(strategy, steps))}")
    for number, step in enumerate(steps, start=1):
        again = f", {step.attempts} attempts" if step.attempts > 1 else ""
        title = f"{number}. {step.name}  [dim]at {step.started:.2f} s, took {step.seconds:.2f} s{again}[/]"
        ending = Text(f"error   {_error(step)}", style="red") if step.error else Text("result  " + _short(step.result))
        parts = Group(Text("given   " + _short(step.given)), ending, *map(Text, _strips(step)))
        console.print(Panel(parts, title=title, title_align="left", border_style="red" if step.error else "blue"))


def causes(steps: Sequence[Step]) -> list[str]:
    """A sentence for each step that failed, with the cause that its error named; the same one once."""
    failed = [step for step in steps if step.error and step.cause]
    return list(dict.fromkeys(f"{step.name}: {step.cause.rstrip('.')}." for step in failed))


def _given(history: Sequence[dict[str, Any]]) -> dict[str, Any]:
    given: dict[str, Any] = json.loads(history[0].get("executionStartedEventDetails", {}).get("input", "{}"))
    return given


def _status(history: Sequence[dict[str, Any]]) -> str:
    """The response's status, or how the execution ended without one."""
    output = json.loads(history[-1].get("executionSucceededEventDetails", {}).get("output", "{}"))
    return str(output.get("status", "")) or f"no response ({history[-1]['type']})"


def _strips(step: Step) -> list[str]:
    """A line with what is kept of a passage that was graded strip by strip (`corrective`); none if that is all."""
    if step.name != "GradeRelevance" or not isinstance(step.result, dict):
        return []
    kept = (step.result.get("verdict") or {}).get("strips") or []
    text = step.given["passage"]["text"] if kept else ""
    return ["strips  " + _short([text[strip["start"] : strip["end"]] for strip in kept])] if kept else []


def _error(step: Step) -> str:
    return f"{step.error}: {step.cause}" if step.cause else step.error


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}… ({len(text)} characters)"
