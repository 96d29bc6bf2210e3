"""The command about the graders themselves: eval graders."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.commands.options import FailIf, Limit, MaxCost, Parallel, end_incomplete, end_with
from selfrag_cli.options import AsJson, Region
from selfrag_cli.terminal import err, measuring_progress, out, print_json

if TYPE_CHECKING:
    from selfrag_cli.lab.graders.evaluation import GraderConfig, GraderReport, Rate, WayReport

Rows = Annotated[Path, typer.Argument(metavar="ROWS", help="A file of labelled rows in JSON Lines.")]
Step = Annotated[str, typer.Option("--step", help="The grader: its folder among the steps.")]
Prompts = Annotated[
    list[str] | None, typer.Option("--prompt", metavar="FILE", help="Also judge with this prompt; more than once.")
]
Models = Annotated[
    list[str] | None, typer.Option("--model", metavar="MODEL", help="Also judge with this model alone; more than once.")
]
Publish = Annotated[
    bool, typer.Option("--publish", help="For grade_support: show its measured precision in answers from now on.")
]
To = Annotated[str, typer.Option("--name", help="With --publish: the name of the deployment; this laptop if left out.")]


def graders(
    rows: Rows,
    step: Step = "grade_support",
    prompt: Prompts = None,
    model: Models = None,
    limit: Limit = None,
    max_cost: MaxCost = None,
    parallel: Parallel = 8,
    fail_if: FailIf = None,
    publish: Publish = False,
    name: To = "",
    region: Region = None,
    as_json: AsJson = False,
) -> None:
    """Compare a grader with people: labelled rows through the deployed step, and how often it is right.

    Every verdict is stored: the same command pays for none twice. Exit code 1 means that verdicts are missing,
    3 that a condition of --fail-if holds.
    """
    from selfrag_cli.lab.gate import read_conditions
    from selfrag_cli.lab.graders.evaluation import Job, graded
    from selfrag_cli.lab.graders.rows import KINDS, read_rows

    if step not in KINDS:
        raise InvalidInput(f"There is no grader {step!r}; there are {', '.join(KINDS)}.")
    if (publish and step != "grade_support") or ((name or region) and not publish):
        raise InvalidInput("--publish is for grade_support; --name and --region say where to.")
    conditions = read_conditions(fail_if or [])
    ways = _ways(step, prompt or [], model or [])
    job = Job(step, read_rows(rows, step)[:limit], parallel, max_cost)
    with measuring_progress() as progress:
        report = graded(job, ways, lambda done, total: progress("Judging", done, total))
    if as_json:
        print_json(report.model_dump(mode="json"))
    else:
        _show(report)
    end_incomplete(report.rows - report.judged)
    if publish:
        _publish(report.ways[0], rows.stem, name, region)
    end_with(report.gate(conditions))


def _ways(step: str, prompts: list[str], models: list[str]) -> "list[GraderConfig]":
    """Return the step as it is set, then with each of the prompts, then with each of the models."""
    from selfrag_cli.lab.graders.evaluation import GraderConfig
    from selfrag_cli.lab.judging import AS_SET, Setting, alone
    from selfrag_cli.lab.runs.variants import read_prompt

    files = [read_prompt(f"{step}={file}", [step]) for file in prompts]
    return [
        GraderConfig(AS_SET, Setting()),
        *(GraderConfig(path.stem, Setting(prompts={step: text})) for _, path, text in files),
        *(GraderConfig(model, alone(step, model)) for model in models),
    ]


def _publish(way: "WayReport", set_name: str, name: str, region: str | None) -> None:
    from selfrag_cli.lab.graders.publishing import published
    from selfrag_cli.show.precision import in_full

    precision = in_full(published(way, set_name, name, region))
    where = escape(name or "this laptop")
    err.print(f"Published for {where}, while it judges by {escape(way.model)} and this prompt: {precision}")


def _show(report: "GraderReport") -> None:
    """Print of each way the confusion, the rates with their n, and the cost."""
    for way in report.ways:
        out.print(_confusion(report, way))
        rates = {
            "passes, of those that should": way.passing_right,
            "fails, of those that should": way.failing_right,
            "right, of those that pass": way.precision,
        }
        table = Table("Rate", "share", "95% interval", "n", box=SIMPLE_HEAD, pad_edge=False)
        for name, rate in rates.items():
            table.add_row(name, *_cells(rate))
        out.print(table)
        balanced = "none" if way.balanced is None else f"{way.balanced:.3f}"
        calls = ", ".join(f"{count} calls of {model}" for model, count in way.calls.items()) or "no calls"
        usd = "an unknown number of" if way.usd is None else f"{way.usd:.4f}"
        ungraded = f"ungraded {way.ungraded}, which count in no rate; " if way.ungraded else ""
        out.print(f"{ungraded}balanced accuracy {balanced}; {escape(calls)}, {usd} dollars", soft_wrap=True)


def _confusion(report: "GraderReport", way: "WayReport") -> Table:
    labels = list(dict.fromkeys(label for row in way.confusion.values() for label in row))
    title = f"{report.step}, {escape(way.name)} ({escape(way.model)}): {report.judged} rows"
    table = Table("People's label", title=title, title_justify="left")
    for label in labels:
        table.add_column(label, justify="right")
    for label, row in way.confusion.items():
        table.add_row(label, *(str(row.get(verdict, 0)) for verdict in labels))
    return table


def _cells(rate: "Rate | None") -> tuple[str, str, str]:
    if rate is None:
        return "", "", "0"
    return f"{rate.share:.2f}", f"{rate.interval.low:.2f} to {rate.interval.high:.2f}", str(rate.n)
