"""The end of a command that may fail: its report, its checks on stderr and in a file, and the exit code."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console

from selfrag.domain.errors import InvalidInput
from selfrag_cli.terminal import out, print_json, visible, warn

if TYPE_CHECKING:
    from selfrag_cli.lab.gate import Gate


def tell_judged(
    report: dict[str, Any], show: Callable[[Console, dict[str, Any]], None], as_json: bool, missing: int
) -> None:
    """Print a report of verdicts, and end with exit code 1 where some are missing."""
    if as_json:
        print_json(report)
    else:
        show(out, report)
    if missing:
        warn([f"{missing} verdicts are missing; the same command goes on with them"])
        raise typer.Exit(1)


def end_with(gate: "Gate", summary: Path | None) -> None:
    """Tell the checks, and end with their exit code if one fails; raises InvalidInput for a file that takes nothing."""
    from selfrag_cli.lab.gate import FAILED

    if not gate.checks:
        return
    told = gate.markdown()
    typer.echo(visible(told, keep="\n"), err=True, nl=False)
    if summary:
        try:
            with summary.open("a", encoding="utf-8") as file:
                file.write(told)
        except OSError as error:
            raise InvalidInput(f"{summary} cannot be written: {error.strerror}.") from error
    if gate.failed:
        raise typer.Exit(FAILED)
