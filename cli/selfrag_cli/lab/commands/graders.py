"""The command about the graders themselves: eval graders."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.commands.options import FailIf, Limit, MaxCost, Parallel, end_incomplete, end_with, read_judges
from selfrag_cli.options import AsJson
from selfrag_cli.terminal import err, measuring_progress, out, print_json, visible

if TYPE_CHECKING:
    from selfrag.judging.graders import GraderKind
    from selfrag_cli.lab.graders.adoption import Adoption
    from selfrag_cli.lab.graders.evaluation import GraderConfig, GraderReport, WayReport
    from selfrag_cli.lab.graders.figures import Calibration, JudgeFigures, Rate

# The width of a bar, in characters.
_BAR = 40

Rows = Annotated[Path, typer.Argument(metavar="ROWS", help="A file of labelled rows in JSON Lines.")]
Step = Annotated[str, typer.Option("--step", help="The grader: its folder among the steps.")]
Prompts = Annotated[
    list[str] | None, typer.Option("--prompt", metavar="FILE", help="Also judge with this prompt; more than once.")
]
Models = Annotated[
    list[str] | None, typer.Option("--model", metavar="MODEL", help="Also judge with this model alone; more than once.")
]
Judges = Annotated[
    list[str] | None,
    typer.Option("--judge", metavar="KIND", help="Judge by decider, claude or cascade; more than once."),
]
Adopt = Annotated[
    bool, typer.Option("--adopt", help="Choose the step's judge and its thresholds by the decision model's errors.")
]
Output = Annotated[
    Path | None, typer.Argument(metavar="[FILE]", help="With --adopt: the file to write, in place of this laptop's.")
]
FalsePasses = Annotated[
    float, typer.Option("--false-passes", min=0.001, max=0.5, help="With --adopt: the most, of rows that should fail.")
]
FalseStrips = Annotated[
    float, typer.Option("--false-strips", min=0.001, max=0.5, help="With --adopt: the most, of rows that should pass.")
]


def graders(
    rows: Rows,
    output: Output = None,
    step: Step = "grade_support",
    prompt: Prompts = None,
    model: Models = None,
    judge: Judges = None,
    adopt: Adopt = False,
    false_passes: FalsePasses = 0.02,
    false_strips: FalseStrips = 0.02,
    limit: Limit = None,
    max_cost: MaxCost = None,
    parallel: Parallel = 8,
    fail_if: FailIf = None,
    as_json: AsJson = False,
) -> None:
    """Compare a grader with people: labelled rows through the deployed step, and how often it is right.

    Every verdict is stored: the same command pays for none twice. Exit code 1 means that verdicts are missing,
    3 that a condition of --fail-if holds.
    """
    from selfrag.runtime.decider_settings import GRADERS as DECIDABLE
    from selfrag_cli.lab.gate import read_conditions
    from selfrag_cli.lab.graders.adoption import ErrorLimits
    from selfrag_cli.lab.graders.evaluation import Job, graded
    from selfrag_cli.lab.graders.rows import KINDS, read_rows

    if step not in KINDS:
        raise InvalidInput(f"There is no grader {step!r}; there are {', '.join(KINDS)}.")
    if output and not adopt:
        raise InvalidInput(f"{output} would be written by --adopt: name one file of rows, or add --adopt.")
    if (judge or adopt) and step not in DECIDABLE:
        raise InvalidInput(f"A decision model does not judge {step}: it is for {', '.join(DECIDABLE)}.")
    conditions = read_conditions(fail_if or [])
    kinds = read_judges([*(judge or []), *(["decider"] if adopt else [])])
    ways = _ways(step, prompt or [], model or [], kinds)
    limits = ErrorLimits(false_passes, false_strips) if adopt else None
    job = Job(step, read_rows(rows, step)[:limit], parallel, max_cost, limits)
    with measuring_progress() as progress:
        report = graded(job, ways, lambda done, total: progress("Judging", done, total))
    if as_json:
        print_json(report.model_dump(mode="json"))
    else:
        _show(report)
    end_incomplete(report.rows - report.judged)
    if report.adoption:
        _adopt(report.adoption, output)
    end_with(report.gate(conditions))


def _ways(step: str, prompts: list[str], models: list[str], judges: "list[GraderKind]") -> "list[GraderConfig]":
    """Return the judges, or the step as it is set without any; then each of the prompts, then each of the models."""
    from selfrag_cli.lab.graders.evaluation import GraderConfig
    from selfrag_cli.lab.judging import AS_SET, Setting, alone
    from selfrag_cli.lab.runs.variants import read_prompt

    files = [read_prompt(f"{step}={file}", [step]) for file in prompts]
    return [
        *(GraderConfig(judge, Setting(graders={step: judge})) for judge in judges),
        *([] if judges else [GraderConfig(AS_SET, Setting())]),
        *(GraderConfig(path.stem, Setting(prompts={step: text})) for _, path, text in files),
        *(GraderConfig(model, alone(step, model)) for model in models),
    ]


def _adopt(adoption: "Adoption", output: Path | None) -> None:
    from selfrag_cli.local.adopted_graders import adopted_file, read_adopted

    path = output or adopted_file()
    thresholds = adoption.thresholds if adoption.grader == "cascade" else None
    read_adopted(path).adopt(adoption.step, adoption.grader, thresholds).write(path)
    err.print(f"{adoption.step} is judged by {adoption.grader}, because {adoption.reason}: {escape(str(path))}")


def _show(report: "GraderReport") -> None:
    """Print of each way the confusion and the cost; then the rates of all ways side by side."""
    for way in report.ways:
        out.print(_confusion(report, way))
        balanced = "none" if way.balanced is None else f"{way.balanced:.3f}"
        calls = ", ".join(f"{count} calls of {model}" for model, count in way.calls.items()) or "no calls"
        ungraded = f"ungraded {way.ungraded}, which count in no rate; " if way.ungraded else ""
        out.print(f"{ungraded}balanced accuracy {balanced}; {escape(calls)}, {_dollars(way.usd)}", soft_wrap=True)
        if way.calibration:
            out.print(_reliability(way.calibration))
    out.print(_side_by_side(report.ways))
    for way in report.ways:
        if way.per_thousand:
            calls = ", ".join(f"{count:.0f} calls of {model}" for model, count in way.per_thousand.calls.items())
            seconds = f"{way.per_thousand.seconds:.0f} seconds one after another"
            cost = f"{calls or 'no calls'}, {seconds}, {_dollars(way.per_thousand.usd)}"
            out.print(escape(f"{way.name}, for 1,000 verdicts: {cost}"), soft_wrap=True)
    if report.adoption:
        _show_adoption(report.adoption)


def _dollars(usd: float | None) -> str:
    return "an unknown number of dollars" if usd is None else f"{usd:.4f} dollars"


def _side_by_side(ways: "list[WayReport]") -> Table:
    table = Table("Judge", "rows", box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("n", "false passes", "false strips", "precision", "balanced accuracy", "ECE"):
        table.add_column(heading, justify="right")
    for way in ways:
        groups: dict[str, JudgeFigures] = {"all": way}
        groups |= {f"language {name}": figures for name, figures in way.by_language.items()}
        groups |= {f"{name} characters": figures for name, figures in way.by_length.items()}
        for name, figures in groups.items():
            interval = figures.balanced_interval
            ends = f" ({interval.low:.2f} to {interval.high:.2f})" if interval else ""
            balanced = "" if figures.balanced is None else f"{figures.balanced:.2f}{ends}"
            ece = f"{figures.calibration.ece:.2f}" if figures.calibration else ""
            rates = map(_with_interval, (figures.false_passes, figures.false_strips, figures.precision))
            table.add_row(escape(way.name), escape(visible(name)), str(figures.graded), *rates, balanced, ece)
    return table


def _reliability(calibration: "Calibration") -> Table:
    """Return the reliability diagram: the bars are as long as the probabilities if these are calibrated."""
    table = Table("Probability", "rows", "should pass", "(│ is the probability)", box=SIMPLE_HEAD, pad_edge=False)
    for rows, probability, share in calibration.bins:
        bar = "█" * round(share * _BAR)
        at = min(round(probability * _BAR), _BAR - 1)
        marked = f"{bar:<{_BAR}}"
        table.add_row(f"{probability:.2f}", str(rows), f"{share:.2f}", f"{marked[:at]}│{marked[at + 1 :]}")
    return table


def _show_adoption(adoption: "Adoption") -> None:
    if adoption.thresholds:
        out.print(f"passes from {adoption.thresholds.upper:.3f} up, fails from {adoption.thresholds.lower:.3f} down")
    for name, half in (("chosen on", adoption.chosen_on), ("held out", adoption.held_out)):
        if half:
            errors = {"false passes": half.false_passes, "false strips": half.false_strips}
            counts = (
                f"{each.count} {what} of {each.of} (95% sure: below {each.bound:.1%})" for what, each in errors.items()
            )
            out.print(f"{name}: {half.decided} of {half.rows} rows decided alone, {', '.join(counts)}", soft_wrap=True)


def _with_interval(rate: "Rate | None") -> str:
    return f"{rate.share:.2f} ({rate.interval.low:.2f} to {rate.interval.high:.2f})" if rate else ""


def _confusion(report: "GraderReport", way: "WayReport") -> Table:
    labels = list(dict.fromkeys(label for row in way.confusion.values() for label in row))
    title = f"{report.step}, {escape(way.name)} ({escape(way.model)}): {report.judged} rows"
    table = Table("People's label", title=title, title_justify="left")
    for label in labels:
        table.add_column(label, justify="right")
    for label, row in way.confusion.items():
        table.add_row(label, *(str(row.get(verdict, 0)) for verdict in labels))
    return table
