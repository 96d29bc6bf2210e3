"""The command about sets of questions: questions, which drafts a first one."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from selfrag.domain.errors import InvalidInput, Misconfigured
from selfrag_cli.lab.commands.options import MaxCost
from selfrag_cli.local.sources.place import Place, place_to_read
from selfrag_cli.terminal import measuring_progress, print_row, reading_progress, warn

if TYPE_CHECKING:
    from selfrag_cli.lab.drafting.generation import DraftingResult

Output = Annotated[
    Path | None, typer.Option("--output", metavar="FILE", help="A new file for the questions; printed if left out.")
]


def questions(
    directory: Annotated[
        str, typer.Argument(help="A directory of documents, or the address of a site as it was ingested.")
    ],
    count: Annotated[int, typer.Option("--count", metavar="N", min=1, max=1000, help="How many questions.")] = 20,
    max_cost: MaxCost = None,
    output: Output = None,
) -> None:
    """Draft a first set of questions from documents with Claude, for `selfrag eval`: read it before you use it."""
    place = place_to_read(directory)
    if output and (output.exists() or not output.parent.is_dir()):
        there = "is there already" if output.exists() else "is in no directory that there is"
        raise InvalidInput(f"{output} {there}: name a new file.")
    from selfrag_cli.local.backends import is_offline

    if is_offline():
        raise Misconfigured("Questions are written by a model: set ANTHROPIC_API_KEY (docs/evaluation.md).")
    outcome = _drafted(place, count, max_cost)
    if outcome.drafts:
        _write(output, outcome)
    dropped = [f"{times} tries were dropped: {why}" for why, times in outcome.dropped.most_common()]
    warn(dropped + ([f"It ended early: {outcome.ended}"] if outcome.ended else []))
    where = f" are in {output}" if output and outcome.drafts else ""
    typer.echo(f"selfrag: {len(outcome.drafts)} questions of {count}{where}", err=True)
    if not outcome.drafts:
        raise typer.Exit(1)


def _drafted(place: Place, count: int, max_cost: float | None) -> "DraftingResult":
    from selfrag_cli.lab.drafting.generation import drafted, passages_of, sampled, writer_for
    from selfrag_cli.lab.runs.asking import brought_in_step

    with reading_progress() as on_document:
        warn(brought_in_step(place, on_document))
    pieces = sampled(passages_of(place))
    with writer_for(place, max_cost) as writer, measuring_progress() as progress:
        outcome = drafted(count, pieces, writer, lambda done: progress("Drafting", done, count))
        if writer.spent:
            typer.echo(f"selfrag: {writer.spent:.4f} dollars are spent", err=True)
    return outcome


def _write(output: Path | None, outcome: "DraftingResult") -> None:
    from selfrag_cli.lab.drafting.drafts import rows_of

    rows = rows_of(outcome.drafts)
    if output is None:
        for row in rows:
            print_row(row)
        return
    try:
        with output.open("x", encoding="utf-8") as file:
            file.write("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))
    except OSError as error:
        raise InvalidInput(f"{output} cannot be written: {error.strerror}.") from error
