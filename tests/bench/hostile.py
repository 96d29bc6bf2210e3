"""`python -m tests.bench.hostile`: files of tokens that readers find hard, by kind and size, as a Markdown page."""

import random
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated

import typer

from tests.support.documents.hostile import KINDS, MORE_KINDS, TOKENS, Measured, hostile, measured

MEGABYTE = 1_000_000
SIZES = (1, 2, 4, 10)
RANKED = 50_000  # bytes of the files by which the worst token of a kind is found
_WORDS = ("the", "museum", "lends", "books", "and", "games", "to", "each", "person", "who", "lives", "here")
_HEAD = ("Kind", "Token", "MB", "Reads (s)", "Memory (MB)", "Splits (s)", "Passages", "Outcome")


def honest(kind: str, size: int) -> bytes:
    """Return a file of a kind in ordinary words, with paragraphs, headings and rows, of about so many bytes."""
    lines = list(_sentences(size))
    made: dict[str, Callable[[], str]] = {
        "txt": lambda: "\n\n".join(lines),
        "md": lambda: "\n\n".join(f"## Part {n}\n\n{line}" if n % 9 == 0 else line for n, line in enumerate(lines)),
        "html": lambda: "<h1>Museum</h1>" + "".join(f"<p>{line}</p>" for line in lines),
        "csv": lambda: "place,fee,note\n" + "".join(f"{n},{n * 3},{line}\n" for n, line in enumerate(lines)),
        "json": lambda: "[" + ",\n".join(f'{{"place": {n}, "note": "{line}"}}' for n, line in enumerate(lines)) + "]",
    }
    return made[kind]().encode()


def _sentences(size: int) -> Iterator[str]:
    draw = random.Random(42)
    while size > 0:
        sentence = " ".join(draw.choices(_WORDS, k=25)).capitalize() + f" {draw.randint(1, 9999)}."
        size -= len(sentence)
        yield sentence


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


if __name__ == "__main__":
    typer.run(main)
