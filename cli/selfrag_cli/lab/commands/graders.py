"""The command about the graders themselves: eval graders."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.commands.gating import end_with, tell_judged
from selfrag_cli.lab.commands.options import FailIf, Limit, MaxCost, Parallel, Sets, Summary
from selfrag_cli.options import AsJson, Region
from selfrag_cli.terminal import err, measuring_progress

if TYPE_CHECKING:
    from selfrag_cli.lab.graders.evaluation import Judged, Way
    from selfrag_cli.lab.graders.report import Report

Rows = Annotated[
    str, typer.Argument(metavar="ROWS", help="A file of labelled rows in JSON Lines, or the name of a public set.")
]
Step = Annotated[str, typer.Option("--step", help="The grader: its folder among the steps.")]
Prompts = Annotated[
    list[str] | None, typer.Option("--prompt", metavar="FILE", help="Judge with this prompt, too; more than once.")
]
Models = Annotated[
    list[str] | None, typer.Option("--model", metavar="MODEL", help="Judge with this model alone, too; more than once.")
]
Each = Annotated[
    bool, typer.Option("--each", help="Of grade_support: have the second grader judge all rows by itself, too.")
]
Publish = Annotated[
    bool, typer.Option("--publish", help="Of grade_support: show its precision in the answers that it passes from now.")
]
To = Annotated[
    str, typer.Option("--name", help="With --publish: the deployment that it is for; this laptop if left out.")
]


def graders(
    rows: Rows,
    step: Step = "grade_support",
    prompt: Prompts = None,
    model: Models = None,
    each: Each = False,
    sets: Sets = Path("sets"),
    limit: Limit = None,
    max_cost: MaxCost = None,
    parallel: Parallel = 8,
    fail_if: FailIf = None,
    summary: Summary = None,
    publish: Publish = False,
    name: To = "",
    region: Region = None,
    as_json: AsJson = False,
) -> None:
    """Hold a grader against people: labelled rows through the deployed step, and how often it is right.

    Every verdict is kept: the same command pays for none twice. Exit code 1 says that some could not be had, 3
    that a condition of --fail-if does not hold.
    """
    from selfrag_cli.lab.gate import checked_conditions
    from selfrag_cli.lab.graders.evaluation import Asked, graded
    from selfrag_cli.lab.graders.report import gate_of, report_of
    from selfrag_cli.lab.graders.rows import KINDS, read_rows
    from selfrag_cli.lab.graders.sets import is_set, read_sets
    from selfrag_cli.lab.graders.tables import show_graders

    if step not in KINDS:
        raise InvalidInput(f"There is no grader {step!r}; there are {', '.join(KINDS)}.")
    if (publish and step != "grade_support") or ((name or region) and not publish):
        raise InvalidInput("--publish is for grade_support; --name and --region say where to.")
    conditions = checked_conditions(fail_if or [])
    ways = _ways(step, prompt or [], model or [])
    by_name = is_set(rows) and not Path(rows).is_file()
    read = read_sets(rows, sets, limit) if by_name else read_rows(Path(rows), step, limit)
    asked = Asked(step, read, parallel, max_cost, each)
    with measuring_progress() as tell:
        found = graded(asked, ways, lambda done, total: tell("Judging", done, total))
    report = report_of(asked, found)
    tell_judged(report, show_graders, as_json, report["rows"] - report["judged"])
    if publish:
        _publish(report, found[0], Path(rows).stem, name, region)
    end_with(gate_of(asked, report, found, conditions), summary)


def _publish(report: "Report", found: "Judged", set_name: str, name: str, region: str | None) -> None:
    from selfrag_cli.lab.graders.publishing import published
    from selfrag_cli.show.precision import in_full

    told = in_full(published(report["ways"][0], found, set_name, name, region))
    where = escape(name or "this laptop")
    err.print(f"Published for {where}, while it judges by {escape(found.model)} and this prompt: {told}")


def _ways(step: str, prompts: list[str], models: list[str]) -> "list[Way]":
    """Return the step as it is set, then with each of the prompts, then with each of the models."""
    from selfrag_cli.lab.graders.evaluation import Way
    from selfrag_cli.lab.judging import AS_SET, Setting, alone
    from selfrag_cli.lab.runs.variants import read_prompt

    read = [read_prompt(f"{step}={file}", [step]) for file in prompts]
    return [
        Way(AS_SET, Setting()),
        *(Way(path.stem, Setting(prompts={step: text})) for _, path, text in read),
        *(Way(model, alone(step, model)) for model in models),
    ]
