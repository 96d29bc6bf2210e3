"""The command about sets of questions: questions, which makes a first one."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.lab.commands.options import MaxCost
from cli.local.sources.place import Place, place_to_read
from cli.terminal import measuring_progress, print_row, reading_progress, warn
from selfrag.domain.errors import InvalidInput, Misconfigured

if TYPE_CHECKING:
    from cli.lab.making.checks import Kind, Made
    from cli.lab.making.generation import Outcome

Output = Annotated[
    Path | None, typer.Option("--output", metavar="FILE", help="A new file for the questions; printed if left out.")
]
Kinds = Annotated[
    str, typer.Option("--kinds", help="single_fact, several_facts, follow_up, unanswerable: those that you want.")
]


def questions(
    directory: Annotated[
        str, typer.Argument(help="A directory of documents, or the address of a site as it was ingested.")
    ],
    count: Annotated[int, typer.Option("--count", metavar="N", min=1, max=1000, help="How many questions.")] = 20,
    kinds: Kinds = "",
    seed: Annotated[int, typer.Option("--seed", help="Another number chooses other passages.")] = 1,
    max_cost: MaxCost = None,
    output: Output = None,
) -> None:
    """Make a first set of questions from documents with Claude, for `selfrag eval`: read it before you use it."""
    place, wanted = place_to_read(directory), _kinds(kinds)
    if output and (output.exists() or not output.parent.is_dir()):
        there = "is there already" if output.exists() else "is in no directory that there is"
        raise InvalidInput(f"{output} {there}: name a new file.")
    from cli.local.backends import is_offline

    if is_offline():
        raise Misconfigured("Questions are written by a model: set ANTHROPIC_API_KEY (docs/evaluation.md).")
    outcome = _made(place, wanted, count, seed, max_cost)
    if outcome.made:
        _write(output, outcome.made)
    dropped = [f"{times} tries were dropped: {why}" for why, times in outcome.dropped.most_common()]
    warn(dropped + ([f"It ended early: {outcome.ended}"] if outcome.ended else []))
    where = f" are in {output}" if output and outcome.made else ""
    typer.echo(f"selfrag: {len(outcome.made)} questions of {count}{where}", err=True)
    if not outcome.made:
        raise typer.Exit(1)


def _kinds(text: str) -> "Sequence[Kind]":
    from cli.lab.making.generation import KINDS

    named = [name.strip() for name in text.split(",") if name.strip()]
    unknown = sorted(set(named) - set(KINDS))
    if unknown:
        raise InvalidInput(f"There is no kind {', '.join(unknown)}: the kinds are {', '.join(KINDS)}.")
    return [kind for kind in KINDS if kind in named] or KINDS


def _made(place: Place, kinds: "Sequence[Kind]", count: int, seed: int, max_cost: float | None) -> "Outcome":
    from cli.lab.making.generation import estimated_usd, make, passages_of, sampled, writer_for
    from cli.lab.runs.asking import brought_in_step

    with reading_progress() as on_document:
        warn(brought_in_step(place, on_document))
    passages = passages_of(place)
    dollars = estimated_usd(kinds, count, passages)
    about = "an unknown number of dollars" if dollars is None else f"about {dollars:.2f} dollars"
    typer.echo(f"selfrag: {count} questions to make, for {about}", err=True)
    with writer_for(place, max_cost) as writer, measuring_progress() as tell:
        outcome = make(kinds, count, sampled(passages, seed), writer, seed, lambda done: tell("Making", done, count))
        if writer.spent:
            typer.echo(f"selfrag: {writer.spent:.4f} dollars are spent", err=True)
    return outcome


def _write(output: Path | None, made: "Sequence[Made]") -> None:
    from cli.lab.making.checks import rows_of

    if output is None:
        for row in rows_of(made):
            print_row(row)
        return
    lines = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows_of(made))
    try:
        with output.open("x", encoding="utf-8") as file:
            file.write(lines)
    except OSError as error:
        raise InvalidInput(f"{output} cannot be written: {error.strerror}.") from error
