"""The terminal of a command: what it prints where, and how far it is."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

out, err = Console(), Console(stderr=True)


def fail(sentence: str) -> NoReturn:
    """Print one line on stderr and end the command with 2."""
    one_line = " ".join(sentence.encode("utf-8", "replace").decode().split())
    sys.stderr.write(f"selfrag: {one_line}\n")
    sys.exit(2)


def warn(warnings: Sequence[str]) -> None:
    """Print a line on stderr for each warning."""
    for warning in warnings:
        sys.stderr.write(f"selfrag: warning: {warning}\n")


def print_json(value: Any) -> None:
    """Print a value for a program."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


@contextmanager
def reading_progress() -> Iterator[Callable[[int, int, str], None]]:
    """A progress bar for ingestion, for a person at a terminal; it appears only if there is something to do."""
    columns = (TextColumn("Reading"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    bar = Progress(*columns, console=err, transient=True, disable=not err.is_terminal)
    task = bar.add_task("", total=None, visible=False)
    with bar:
        yield lambda done, total, name: bar.update(task, completed=done, total=total, description=name, visible=True)
        bar.update(task, visible=False)


@contextmanager
def measuring_progress() -> Iterator[Callable[[str, int, int], None]]:
    """A progress bar for what is done first, and what after it, for a person at a terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task("Reading", total=None)
        yield lambda name, done, total: bar.update(task, description=name, completed=done, total=total)


@contextmanager
def current_step() -> Iterator[Callable[[str], None]]:
    """The step that runs just now, on stderr, for a person at a terminal."""
    with err.status("starting") as status:
        yield lambda step: status.update(step)
