"""The command about sets of questions: questions, which makes a first one."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.local.place import Place, place_to_read
from cli.terminal import attended, err, measuring_progress, reading_progress, warn
from selfrag.domain.errors import InvalidInput

if TYPE_CHECKING:
    from cli.lab.making.made import Kind, Made
    from cli.lab.making.making import Outcome

Output = Annotated[
    Path | None, typer.Option("--output", metavar="FILE", help="A new file for the questions; printed if left out.")
]
Kinds = Annotated[
    str, typer.Option("--kinds", help="single_fact, several_facts, follow_up, unanswerable: those that you want.")
]


def questions(
    directory: Annotated[Path, typer.Argument(help="A directory of documents; links in it are not followed.")],
    count: Annotated[int, typer.Option("--count", metavar="N", min=1, max=1000, help="How many questions.")] = 20,
    kinds: Kinds = "",
    seed: Annotated[int, typer.Option("--seed", help="Another number chooses other passages.")] = 1,
    max_cost: Annotated[float | None, typer.Option("--max-cost", metavar="USD", help="The most to spend.")] = None,
    output: Output = None,
    yes: Annotated[bool, typer.Option("--yes", help="Keep all questions without a review.")] = False,
) -> None:
    """Make a first set of questions from documents with Claude, for `selfrag eval`; each is shown for review.

    Without a key they are sentences with a gap, made by rule.
    """
    place, wanted = place_to_read(directory), _kinds(kinds)
    if max_cost is not None and max_cost <= 0:
        raise InvalidInput("--max-cost is a number of dollars above 0.")
    if output and (output.exists() or not output.parent.is_dir()):
        there = "is there already" if output.exists() else "is in no directory that there is"
        raise InvalidInput(f"{output} {there}: name a new file.")
    outcome = _made(place, wanted, count, seed, max_cost)
    kept = outcome.made if yes or not outcome.made else _reviewed(outcome.made)
    if kept:
        _write(output, kept)
    dropped = [f"{times} tries were dropped: {why}" for why, times in outcome.dropped.most_common()]
    warn(dropped + ([f"It ended early: {outcome.ended}"] if outcome.ended else []))
    typer.echo(
        f"selfrag: {len(kept)} questions of {count}" + (f" are in {output}" if output and kept else ""), err=True
    )
    if not kept:
        raise typer.Exit(1)


def _kinds(text: str) -> "Sequence[Kind]":
    from cli.lab.making.making import KINDS

    named = [name.strip() for name in text.split(",") if name.strip()]
    unknown = sorted(set(named) - set(KINDS))
    if unknown:
        raise InvalidInput(f"There is no kind {', '.join(unknown)}: the kinds are {', '.join(KINDS)}.")
    return [kind for kind in KINDS if kind in named] or KINDS


def _made(place: Place, kinds: "Sequence[Kind]", count: int, seed: int, max_cost: float | None) -> "Outcome":
    from cli.lab.making.choosing import spread
    from cli.lab.making.making import author_for, estimated_usd, make, passages_of
    from cli.lab.runs.asking import brought_in_step
    from cli.local.backends import is_offline

    with reading_progress() as on_document:
        warn(brought_in_step(place, on_document))
    if is_offline():
        warn(["no model is asked without a key: these are sentences with a gap, made by rule, whatever the kind"])
    passages = passages_of(place)
    dollars = estimated_usd(kinds, count, passages)
    about = "an unknown number of dollars" if dollars is None else f"about {dollars:.2f} dollars"
    typer.echo(f"selfrag: {count} questions to make, for {about}", err=True)
    with author_for(place, max_cost) as author, measuring_progress() as tell:
        outcome = make(kinds, count, spread(passages, seed), author, seed, lambda done: tell("Making", done, count))
        if author.spent:
            typer.echo(f"selfrag: {author.spent:.4f} dollars are spent", err=True)
    return outcome


def _reviewed(made: "Sequence[Made]") -> "list[Made]":
    from cli.lab.making.reviewing import review

    if not attended():
        warn(["nobody is at the terminal to review them, so all questions are kept, as with --yes"])
        return list(made)

    def ask(what: str, usual: str) -> str:
        return str(typer.prompt(what, default=usual, err=True))

    return review(made, err, ask)


def _write(output: Path | None, kept: "Sequence[Made]") -> None:
    from cli.lab.making.made import rows_of

    lines = [json.dumps(row, ensure_ascii=False) for row in rows_of(kept)]
    if output is None:
        sys.stdout.write("".join(f"{line}\n" for line in lines))
        return
    try:
        with output.open("x", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
    except OSError as error:
        raise InvalidInput(f"{output} cannot be written: {error.strerror}.") from error
