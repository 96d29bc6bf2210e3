"""The options and the ends that the laboratory's commands share."""

from typing import TYPE_CHECKING, Annotated

import typer

from selfrag.domain.errors import InvalidInput
from selfrag_cli.terminal import visible, warn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from selfrag.judging.graders import GraderKind
    from selfrag_cli.lab.gate import Gate


def _above_zero(dollars: float | None) -> float | None:
    if dollars is not None and dollars <= 0:
        raise InvalidInput("--max-cost is a number of dollars above 0.")
    return dollars


MaxCost = Annotated[
    float | None,
    typer.Option("--max-cost", metavar="USD", callback=_above_zero, help="The most dollars to spend in all."),
]
Parallel = Annotated[int, typer.Option("--parallel", metavar="N", min=1, max=64, help="Requests at a time.")]
Limit = Annotated[int | None, typer.Option("--limit", metavar="N", min=1, help="Take the first N rows.")]
FailIf = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-if", metavar="'supported < 0.9'", help="Exit with code 3 if the condition holds; more than once."
    ),
]


def read_judges(texts: "Sequence[str]") -> "list[GraderKind]":
    """Return kinds of judges, each once; raises InvalidInput for another name."""
    kinds: dict[str, GraderKind] = {"decider": "decider", "claude": "claude", "cascade": "cascade"}
    if unknown := [text for text in texts if text not in kinds]:
        raise InvalidInput(f"There is no judge {unknown[0]!r}: --judge is one of {', '.join(kinds)}.")
    return [kinds[text] for text in dict.fromkeys(texts)]


def end_incomplete(missing: int) -> None:
    """End with exit code 1 if verdicts are missing."""
    if missing:
        warn([f"{missing} verdicts are missing; the same command goes on with those that have a trace"])
        raise typer.Exit(1)


def end_with(gate: "Gate") -> None:
    """Print the checks, and end with their exit code if one fails."""
    from selfrag_cli.lab.gate import FAILED

    if gate.checks:
        typer.echo(visible(f"\n{gate.markdown()}", keep="\n"), err=True, nl=False)
    if gate.failed:
        raise typer.Exit(FAILED)
