"""The end of a command that may fail: its report, its checks on stderr, and the exit code."""

from typing import TYPE_CHECKING

import typer

from selfrag_cli.terminal import visible, warn

if TYPE_CHECKING:
    from selfrag_cli.lab.gate import Gate


def end_incomplete(missing: int) -> None:
    """End with exit code 1 if verdicts are missing."""
    if missing:
        warn([f"{missing} verdicts are missing; the same command goes on with them"])
        raise typer.Exit(1)


def end_with(gate: "Gate") -> None:
    """Print the checks, and end with their exit code if one fails."""
    from selfrag_cli.lab.gate import FAILED

    if gate.checks:
        typer.echo(visible(f"\n{gate.markdown()}", keep="\n"), err=True, nl=False)
    if gate.failed:
        raise typer.Exit(FAILED)
