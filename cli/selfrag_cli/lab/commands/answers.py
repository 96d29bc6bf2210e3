"""The answers of `selfrag eval`: what they may cost and show, and how they are got, judged and exported."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from selfrag_cli.lab.commands.options import Tool
from selfrag_cli.local.sources.place import Place
from selfrag_cli.terminal import asking_progress, measuring_progress, reading_progress, warn

if TYPE_CHECKING:
    from selfrag_cli.lab.evaluation import Estimate, Plan
    from selfrag_cli.lab.gold.question_sets import GoldQuestion
    from selfrag_cli.lab.metrics.agreement import Counts
    from selfrag_cli.lab.report import Findings


def questions_of(
    path: Path | None, name: str, region: str | None, place: Place | None, limit: int | None
) -> "list[GoldQuestion]":
    """Read the questions of a file, or, without one, those of which people wrote what is right."""
    from selfrag_cli.feedback.reading import read_feedback
    from selfrag_cli.lab.gold.question_sets import corrected_questions, read_questions

    if path:
        return read_questions(path, limit)
    # What was asked here of other documents is not asked of these; a deployment's collections have names of their own.
    collection = place.collection if place and not name else ""
    return corrected_questions(read_feedback(name, region, collection), limit)


def found_answers(plan: "Plan", collection: str, dry: bool, machine: str, redrive: bool) -> "tuple[Findings, int]":
    """Ask from here, or by the machine of a deployment; return the findings and how many answers are missing."""
    from selfrag_cli.lab.evaluation import Told, evaluate

    if dry and len(plan.variants) > 1:
        _tell_power(len({question.origin for question in plan.questions}))
    told = Told(warn, _tell_estimate, reading_progress, asking_progress)
    if machine and not dry:
        from selfrag_cli.lab.runs.account import evaluate_in_account
        from selfrag_cli.lab.runs.machine import Machine

        return evaluate_in_account(plan, told, Machine(machine), [collection] if collection else [], again=redrive)
    return evaluate(plan, told, dry)


def _tell_estimate(estimate: "Estimate") -> None:
    dollars = "an unknown number of dollars" if estimate.usd is None else f"about {estimate.usd:.2f} dollars"
    spent = f"; {estimate.spent:.2f} dollars are spent" if estimate.spent else ""
    typer.echo(f"selfrag: {estimate.left} of {estimate.total} answers to get, for {dollars}{spent}", err=True)


def _tell_power(questions: int) -> None:
    """Tell which difference between two variants so many questions can show."""
    from selfrag_cli.lab.metrics.power import DISCORDANT, least_difference

    least = least_difference(questions)
    shown = f"a difference of {100 * least:.3g} points" if least else "no difference"
    told = f"where {DISCORDANT:.0%} are answered right by one of two variants alone"
    typer.echo(f"selfrag: {questions} questions show {shown} in four runs of five, {told}", err=True)


def have_judged(findings: "Findings", plan: "Plan", model: str, errors: "Mapping[str, Counts]") -> int:
    """Have each answer judged; return how many could not be."""
    from selfrag_cli.lab.judge import Judge, add_judgements, judge_answers
    from selfrag_cli.lab.traces import written_from_beside

    spent = sum(result.usd or 0.0 for results in findings.results.values() for result in results)
    judge = Judge(model, plan.parallel, None if plan.max_cost is None else plan.max_cost - spent)
    written_from = written_from_beside(plan.results)
    with measuring_progress() as tell:
        found = judge_answers(findings, written_from, judge, lambda done, total: tell("Judging", done, total))
    add_judgements(findings, found, errors)
    if found.missing:
        warn([f"{found.missing} answers are not judged: they have no trace beside the results, or no verdict came"])
    return found.missing


def export_answers(findings: "Findings", tools: Sequence[Tool], kept: Path) -> None:
    """Write the answers for other tools, with what their writers were given."""
    from selfrag_cli.lab.exports import write_exports
    from selfrag_cli.lab.traces import written_from_beside

    written = write_exports(findings, tools, kept, written_from_beside(kept))
    typer.echo(f"selfrag: the answers are in {', '.join(map(str, written))}", err=True)
