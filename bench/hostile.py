"""Files of tokens that readers find hard, by kind and size, as a Markdown page."""

from collections.abc import Iterable
from typing import Annotated

import typer

from tests.support.documents.hostile import KINDS, MORE_KINDS, TOKENS, Measured, honest, hostile, measured

MEGABYTE = 1_000_000
SIZES = (1, 2, 4, 10)
RANKED = 50_000  # bytes of the files by which the worst token of a kind is found
_HEAD = ("Kind", "Token", "MB", "Reads (s)", "Memory (MB)", "Splits (s)", "Passages", "Outcome")


def worst(kind: str) -> str:
    """Return the token whose file takes this kind's reader and the splitting the longest."""
    spent = {token: measured(f"a.{kind}", hostile(kind, token, RANKED)) for token in TOKENS}
    return max(TOKENS, key=lambda token: spent[token].seconds + spent[token].split_seconds)


def main(
    kinds: Annotated[list[str] | None, typer.Argument(help="Kinds to measure; all by default.")] = None,
    sizes: Annotated[str, typer.Option(help="Megabytes of each file.")] = " ".join(map(str, SIZES)),
) -> None:
    """Print a table of the worst token of each kind at each size, and of honest files of the largest one."""
    megabytes = [int(size) for size in sizes.split()]
    _row(_HEAD)
    _row(["---"] * len(_HEAD))
    for kind in ("txt", "md", "html", "csv", "json"):
        _row(_told(kind, "ordinary words", megabytes[-1], measured(f"a.{kind}", honest(kind, megabytes[-1] * 950_000))))
    for kind in kinds or [*KINDS, *MORE_KINDS]:
        token = worst(kind)
        for size in megabytes:
            file = measured(f"a.{kind}", hostile(kind, token, size * MEGABYTE - 1000))
            _row(_told(kind, f"`{token!r}`".replace("|", "\\|"), size, file))


def _told(kind: str, token: str, size: int, file: Measured) -> Iterable[str]:
    figures = (f"{file.seconds:.1f}", f"{file.megabytes:.0f}", f"{file.split_seconds:.1f}", f"{file.passages:,}")
    return (kind, token, str(size), *figures, file.reason or "read")


def _row(cells: Iterable[str]) -> None:
    typer.echo(f"| {' | '.join(cells)} |")


def run() -> None:
    """Run the command."""
    typer.run(main)
