"""The end of a command that may fail by conditions: the checks on stderr and in a file, and the exit code."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from selfrag.domain.errors import InvalidInput

if TYPE_CHECKING:
    from cli.lab.gate import Gate


def end_with(gate: "Gate", summary: Path | None) -> None:
    """Tell the checks, and end with their exit code if one fails; raises InvalidInput for a file that takes nothing."""
    from cli.lab.gate import FAILED

    if not gate.checks:
        return
    told = gate.markdown()
    typer.echo(told, err=True, nl=False)
    if summary:
        try:
            with summary.open("a", encoding="utf-8") as file:
                file.write(told)
        except OSError as error:
            raise InvalidInput(f"{summary} cannot be written: {error.strerror}.") from error
    if gate.failed:
        raise typer.Exit(FAILED)
