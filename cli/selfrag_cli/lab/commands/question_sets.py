"""The command about sets of questions: questions, which drafts a first one."""

import json
from pathlib import Path
from typing import Annotated

import typer

from selfrag.domain.errors import InvalidInput, Misconfigured
from selfrag_cli.lab.commands.options import MaxCost
from selfrag_cli.local.sources.place import place_to_read
from selfrag_cli.terminal import measuring_progress, print_row, warn

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
    from selfrag_cli.lab.drafting.generation import drafted, sampled, writer_for
    from selfrag_cli.lab.runs.asking import bring_in_step
    from selfrag_cli.lab.runs.results import make_folder
    from selfrag_cli.local.backends import is_offline
    from selfrag_cli.local.index import open_index

    place = place_to_read(directory)
    if output and output.exists():
        raise InvalidInput(f"{output} is there already: name a new file.")
    if is_offline():
        raise Misconfigured("Questions are written by a model: set ANTHROPIC_API_KEY (docs/evaluation.md).")
    if output:
        make_folder(output)
    bring_in_step(place)
    pieces = sampled(open_index().all_of(place.collection))
    with writer_for(place, max_cost) as writer, measuring_progress() as progress:
        outcome = drafted(count, pieces, writer, lambda done: progress("Drafting", done, count))
    if writer.spent:
        typer.echo(f"selfrag: {writer.spent:.4f} dollars are spent", err=True)
    rows = [row for number, draft in enumerate(outcome.drafts, 1) for row in draft.rows(number)]
    if output and rows:
        try:
            output.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
        except OSError as error:
            raise InvalidInput(f"{output} cannot be written: {error.strerror}.") from error
    else:
        for row in rows:
            print_row(row)
    dropped = [f"{times} tries were dropped: {why}" for why, times in outcome.dropped.most_common()]
    warn(dropped + ([f"It ended early: {outcome.ended}"] if outcome.ended else []))
    where = f" are in {output}" if output and rows else ""
    typer.echo(f"selfrag: {len(outcome.drafts)} questions of {count}{where}", err=True)
    if not rows:
        raise typer.Exit(1)
