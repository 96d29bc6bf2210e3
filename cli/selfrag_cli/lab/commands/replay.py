"""The command about recorded questions: replay."""

from pathlib import Path
from typing import Annotated

import typer

from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.commands.gating import end_with, tell_judged
from selfrag_cli.lab.commands.options import FailIf, MaxCost, Parallel, Summary
from selfrag_cli.options import AsJson
from selfrag_cli.terminal import measuring_progress

Traces = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[TRACES]...",
        help="What `selfrag eval` has kept (.traces.jsonl), or histories of executions as JSON; the last questions of "
        "`selfrag ask` if left out.",
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


def replay(
    traces: Traces = None,
    prompt: Prompts = None,
    model: Models = None,
    max_cost: MaxCost = None,
    parallel: Parallel = 8,
    fail_if: FailIf = None,
    summary: Summary = None,
    as_json: AsJson = False,
) -> None:
    """Judge recorded questions again under another prompt or model, without searching and writing.

    Only what would be asked otherwise than it was is asked, and paid, once: the verdicts are kept. Exit code 1 says
    that some could not be had, 3 that a condition of --fail-if does not hold.
    """
    from selfrag_cli.lab.gate import checked_conditions
    from selfrag_cli.lab.replay import Changes, replayed
    from selfrag_cli.lab.tables import show_replay
    from selfrag_cli.lab.traces import kept_traces, read_traces

    conditions = checked_conditions(fail_if or [])
    changes = Changes.of(prompt or [], model or [])
    found = [trace for path in traces for trace in read_traces(path)] if traces else kept_traces()
    if not found:
        raise InvalidInput("There is no trace to judge again: ask questions first, or name a file of traces.")
    with measuring_progress() as tell:
        judged = replayed(found, changes, parallel, max_cost, lambda done, total: tell("Judging", done, total))
    tell_judged(judged.report(), show_replay, as_json, judged.missing)
    end_with(judged.gate(conditions), summary)
