"""The options that the laboratory's commands share."""

from typing import Annotated

import typer

from selfrag.domain.errors import InvalidInput


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
