"""The commands of the evaluation: eval, also of recorded answers, and eval graders."""

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from selfrag.domain.errors import InvalidInput
from selfrag_cli.local.sources.source import DocumentSource, source_to_ask
from selfrag_cli.options import AsJson, Collection, Docs, Endpoint
from selfrag_cli.sample import QUESTIONS
from selfrag_cli.terminal import (
    err,
    make_visible,
    measuring_progress,
    out,
    print_json,
    reading_progress,
    warn,
    warn_of_wait,
)

if TYPE_CHECKING:
    from pydantic import BaseModel

    from selfrag.judging.graders import GraderKind
    from selfrag_cli.lab.gate import Gate
    from selfrag_cli.lab.graders import GraderReport, Rate
    from selfrag_cli.lab.replay import ReplayReport
    from selfrag_cli.lab.run import EvaluationPlan
    from selfrag_cli.lab.table import Findings
    from selfrag_cli.lab.thresholds import Adoption

_JUDGE_KINDS: "dict[str, GraderKind]" = {"decider": "decider", "claude": "claude", "cascade": "cascade"}


def _check_dollars(dollars: float | None) -> float | None:
    if dollars is not None and dollars <= 0:
        raise InvalidInput("--max-cost is a number of dollars above 0.")
    return dollars


QuestionSet = Annotated[
    Path | None, typer.Argument(metavar="[QUESTIONS]", help="A file of questions; those about the sample if left out.")
]
Recorded = Annotated[
    Path | None,
    typer.Option("--from", metavar="FILE", help="Judge stored results or a history again, or ask a file of feedback."),
]
Variants = Annotated[
    list[str] | None,
    typer.Option(
        "--variant",
        metavar="VARIANT",
        help="A strategy, a profile, a policy as NAME={...} or a prompt as STEP=FILE; more than once. For recorded "
        "answers, a grader's prompt as STEP=FILE.",
    ),
]
ResultsFile = Annotated[
    Path | None,
    typer.Option("--results", help="Where answers are stored, and continued; QUESTIONS.results.jsonl by default."),
]
MaxCost = Annotated[
    float | None,
    typer.Option("--max-cost", metavar="USD", callback=_check_dollars, help="The most dollars to spend in all."),
]
Parallel = Annotated[int, typer.Option("--parallel", metavar="N", min=1, max=64, help="Requests at a time.")]
Limit = Annotated[int | None, typer.Option("--limit", metavar="N", min=1, help="Take the first N rows.")]
JudgeModel = Annotated[
    str,
    typer.Option(
        "--judge",
        metavar="MODEL",
        help="Have this model judge each answer against what its writer saw; as-set for the check of support itself. "
        "For recorded answers, one of decider, claude and cascade.",
    ),
]
Output = Annotated[
    Path | None, typer.Option("--output", metavar="FILE", help="Write a line for each answer to a .csv file.")
]
FailIf = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-if", metavar="'supported < 0.9'", help="Exit with code 3 if the condition holds; more than once."
    ),
]
Rows = Annotated[Path, typer.Argument(metavar="ROWS", help="A file of labelled rows in JSON Lines, or of feedback.")]
AdoptedFile = Annotated[
    Path | None, typer.Argument(metavar="[FILE]", help="With --adopt: the file to write, in place of this laptop's.")
]
Step = Annotated[str, typer.Option("--step", help="The grader: its folder among the steps.")]
Judges = Annotated[
    list[str] | None,
    typer.Option("--judge", metavar="KIND", help="Judge by decider, claude or cascade; more than once."),
]
Adopt = Annotated[
    bool, typer.Option("--adopt", help="Choose the step's judge and its thresholds by the decision model's errors.")
]
FalsePasses = Annotated[
    float, typer.Option("--false-passes", min=0.001, max=0.5, help="With --adopt: the most, of rows that should fail.")
]
FalseStrips = Annotated[
    float, typer.Option("--false-strips", min=0.001, max=0.5, help="With --adopt: the most, of rows that should pass.")
]


def evaluate(
    questions: QuestionSet = None,
    recorded: Recorded = None,
    docs: Docs = None,
    collection: Collection = "",
    endpoint: Endpoint = "",
    variant: Variants = None,
    results: ResultsFile = None,
    max_cost: MaxCost = None,
    parallel: Parallel = 4,
    limit: Limit = None,
    judge: JudgeModel = "",
    output: Output = None,
    fail_if: FailIf = None,
    as_json: AsJson = False,
) -> None:
    """Ask questions with known answers in one or several ways, and compare quality, certainty and price.

    `selfrag eval graders ROWS` compares the graders themselves with people's labels.

    Every answer is stored as it comes: the same command continues where it ended. Exit code 1 means that answers or
    verdicts are missing, 3 that a condition of --fail-if holds. A deployment's key is SELFRAG_API_KEY.
    """
    from selfrag_cli.lab.gate import read_conditions
    from selfrag_cli.lab.question_sets import feedback_questions, read_questions
    from selfrag_cli.lab.records import read_feedback
    from selfrag_cli.lab.run import EvaluationPlan, read_variants
    from selfrag_cli.lab.table import check_output, show_report, write_output

    conditions = read_conditions(fail_if or [])
    feedback = read_feedback(recorded) if recorded else None
    if recorded and feedback is None:
        if questions or docs or collection or endpoint or results or output or limit:
            raise InvalidInput(
                "Recorded answers are judged without asking: leave out QUESTIONS, --docs and other options of asking."
            )
        replay = _replay(recorded, variant or [], judge, parallel, max_cost)
        _print(replay, as_json, lambda: _show_replay(replay))
        _end(replay.missing, replay.gate(conditions))
        return
    _check_source(questions, recorded, endpoint, docs, collection, judge)
    check_output(output)
    file = questions or recorded
    gold = read_questions(file or QUESTIONS) if feedback is None else feedback_questions(feedback, collection)
    plan = EvaluationPlan(gold[:limit], read_variants(variant or []), parallel, max_cost)
    stored = results or Path(f"{file.stem if file else 'sample'}.results.jsonl")
    place = None if endpoint else source_to_ask(docs, collection)
    if place:
        _update_documents(place)
    findings, left = _ask(plan, stored, place, endpoint)
    unjudged = _judge(plan, findings, judge) if judge else 0
    if output:
        write_output(findings, output)
    report = findings.report()
    _print(report, as_json, lambda: show_report(out, report))
    if left:
        warn([f"{left} answers are missing; the same command goes on with them"])
        raise typer.Exit(1)
    _end(unjudged, findings.gate(conditions))


def _check_source(
    questions: Path | None, recorded: Path | None, endpoint: str, docs: str | None, collection: str, judge: str
) -> None:
    """Raise InvalidInput if options do not say who is asked what."""
    if questions and recorded:
        raise InvalidInput("QUESTIONS and --from both name questions: leave out one of them.")
    if endpoint and (docs or collection or judge):
        raise InvalidInput(
            "A deployment answers from its own documents, and does not show what its writer saw: leave out --docs, "
            "--collection and --judge."
        )
    if not (questions or recorded) and (endpoint or docs or collection):
        raise InvalidInput("The sample's questions are about the sample handbook: name a file of your own questions.")


def _update_documents(place: DocumentSource) -> None:
    """Bring a directory up to date before it is asked, and warn if not all of it can be read.

    Raises InvalidInput for a collection that was never read, Misconfigured for a service that has no URL.
    """
    from selfrag_cli.local.asking import stored_records
    from selfrag_cli.local.backends import check_services
    from selfrag_cli.local.sources.sync import embed_all, read

    check_services()
    if place.directory is None:
        stored_records(place)
        return
    with reading_progress() as on_document:
        report = read(place, on_document, on_wait=warn_of_wait)
        embed_all(place.collection, on_document, on_wait=warn_of_wait)
        warn(report.brief_lines(place))


def _ask(plan: "EvaluationPlan", stored: Path, place: DocumentSource | None, endpoint: str) -> "tuple[Findings, int]":
    """Ask the questions without a result, and return the findings and the number of questions left."""
    from selfrag_cli.lab.records import open_results
    from selfrag_cli.lab.run import Connect, ask_all, connect_endpoint, connect_place
    from selfrag_cli.lab.table import Findings

    if place:
        source = str(place.directory.resolve() if place.directory else place)
        connect: Connect = partial(connect_place, place)
    else:
        plan.check_deployed()
        source, connect = endpoint, connect_endpoint(endpoint, os.environ.get("SELFRAG_API_KEY", ""))
    ways = {variant.name: variant.way for variant in plan.variants}
    with open_results(stored, source, ways) as results:
        with measuring_progress() as progress:
            left = ask_all(plan, connect, results, progress)
        return Findings(plan.questions, plan.variants, results.find), left


def _judge(plan: "EvaluationPlan", findings: "Findings", judge: str) -> int:
    """Have each answer judged within the remaining dollars, and return the number of missing verdicts."""
    from selfrag_cli.lab.judge import judge_answers

    left = None if plan.max_cost is None else plan.max_cost - findings.usd
    with measuring_progress() as progress:
        report, shares = judge_answers(findings.answers, judge, plan.parallel, left, partial(progress, "Judging"))
    findings.add_judgements(report, shares)
    return report.missing


def _replay(
    recorded: Path, variants: Sequence[str], judge: str, parallel: int, max_cost: float | None
) -> "ReplayReport":
    """Judge recorded answers again under other prompts, models or judges, without searching and writing."""
    from selfrag_cli.lab.records import read_traces
    from selfrag_cli.lab.replay import read_overrides, replay_traces

    overrides = read_overrides(variants, *_read_judges([judge] if judge else []))
    with measuring_progress() as progress:
        return replay_traces(read_traces(recorded), overrides, parallel, max_cost, partial(progress, "Judging"))


def _show_replay(report: "ReplayReport") -> None:
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
        question = escape(make_visible(row.question))
        out.print(f"  {pairs}: {question}  [dim]{escape(row.id)}[/]", highlight=False, soft_wrap=True)


def graders(
    rows: Rows,
    output: AdoptedFile = None,
    step: Step = "grade_support",
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
    from selfrag_cli.lab.graders import KINDS, grade_rows, read_rows
    from selfrag_cli.lab.judge import DEFAULT_JUDGE, GraderOverrides
    from selfrag_cli.lab.thresholds import ErrorLimits, choose_judge

    if step not in KINDS:
        raise InvalidInput(f"There is no grader {step!r}; there are {', '.join(KINDS)}.")
    if output and not adopt:
        raise InvalidInput(f"{output} would be written by --adopt: name one file of rows, or add --adopt.")
    if (judge or adopt) and step not in DECIDABLE:
        raise InvalidInput(f"A decision model does not judge {step}: it is for {', '.join(DECIDABLE)}.")
    conditions = read_conditions(fail_if or [])
    kinds = _read_judges([*(judge or []), *(["decider"] if adopt else [])])
    ways = {str(kind): GraderOverrides(graders={step: kind}) for kind in kinds} or {DEFAULT_JUDGE: GraderOverrides()}
    labelled = read_rows(rows, step)[:limit]
    with measuring_progress() as progress:
        report = grade_rows(step, labelled, ways, parallel, max_cost, partial(progress, "Judging"))
    if adopt and report.judged == report.rows:
        outcomes = next(way.outcomes for way in report.ways if way.name == "decider")
        report.adoption = choose_judge(step, outcomes, ErrorLimits(false_passes, false_strips))
    _print(report, as_json, lambda: _show_graders(report))
    if report.adoption:
        _adopt(report.adoption, output)
    _end(report.rows - report.judged, report.gate(conditions))


def _adopt(adoption: "Adoption", output: Path | None) -> None:
    from selfrag_cli.local.backends import adopted_file, read_adopted

    path = output or adopted_file()
    thresholds = adoption.thresholds if adoption.grader == "cascade" else None
    read_adopted(path).adopt(adoption.step, adoption.grader, thresholds).write(path)
    err.print(f"{adoption.step} is judged by {adoption.grader}, because {adoption.reason}: {escape(str(path))}")


def _show_graders(report: "GraderReport") -> None:
    table = Table("Judge", box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("n", "false passes", "false strips", "precision", "balanced accuracy"):
        table.add_column(heading, justify="right")
    for way in report.ways:
        calls = ", ".join(f"{count} calls of {model}" for model, count in way.calls.items()) or "no calls"
        ungraded = f"ungraded {way.ungraded}, which count in no rate; " if way.ungraded else ""
        dollars = "an unknown number of dollars" if way.usd is None else f"{way.usd:.4f} dollars"
        out.print(f"{escape(way.name)} ({escape(way.model)}): {ungraded}{escape(calls)}, {dollars}", soft_wrap=True)
        rates = map(_rate_cell, (way.false_passes, way.false_strips, way.precision))
        balanced = "" if way.balanced is None else f"{way.balanced:.2f}"
        table.add_row(escape(way.name), str(way.graded), *rates, balanced)
    out.print(table)
    adoption = report.adoption
    if adoption and adoption.thresholds:
        out.print(f"passes from {adoption.thresholds.upper:.3f} up, fails from {adoption.thresholds.lower:.3f} down")
    for name, half in (("chosen on", adoption.chosen_on), ("held out", adoption.held_out)) if adoption else ():
        if half:
            errors = (("false passes", half.false_passes), ("false strips", half.false_strips))
            counts = (f"{e.count} {kind} of {e.of} (95% sure: below {e.bound:.1%})" for kind, e in errors)
            out.print(f"{name}: {half.decided} of {half.rows} rows decided alone, {', '.join(counts)}", soft_wrap=True)


def _rate_cell(rate: "Rate | None") -> str:
    return f"{rate.share:.2f} ({rate.interval.low:.2f} to {rate.interval.high:.2f})" if rate else ""


def _read_judges(texts: Sequence[str]) -> "list[GraderKind]":
    if unknown := [text for text in texts if text not in _JUDGE_KINDS]:
        raise InvalidInput(f"There is no judge {unknown[0]!r}: --judge is one of {', '.join(_JUDGE_KINDS)}.")
    return [_JUDGE_KINDS[text] for text in dict.fromkeys(texts)]


def _print(report: "BaseModel", as_json: bool, show: Callable[[], None]) -> None:
    if as_json:
        print_json(report.model_dump(mode="json"))
    else:
        show()


def _end(missing: int, gate: "Gate") -> None:
    """End with exit code 1 if verdicts are missing; print the checks, and end with their exit code if one fails."""
    from selfrag_cli.lab.gate import FAILED

    if missing:
        warn([f"{missing} verdicts are missing; the same command goes on with those that have a trace"])
        raise typer.Exit(1)
    if gate.checks:
        typer.echo(make_visible(f"\n{gate.markdown()}", keep="\n"), err=True, nl=False)
    if gate.failed:
        raise typer.Exit(FAILED)
