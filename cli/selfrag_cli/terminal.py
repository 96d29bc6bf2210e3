"""Terminal output: lines, errors, warnings and progress."""

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, NoReturn
from unicodedata import category

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as ProgressBar
from rich.segment import Segment
from rich.table import Column

from selfrag.domain.errors import SelfragError

# Interval of progress lines without a terminal.
_EVERY_SECONDS = 10.0

# Control characters, line and paragraph separators, and characters that reorder text (CVE-2021-42574).
_CONTROL_CATEGORIES = ("Cc", "Zl", "Zp")
_BIDIRECTIONAL = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_DELETE = 0x7F


@dataclass(frozen=True)
class Progress:
    """The state of an ingestion: finished and total documents or passages, and the current document.

    `share` is the finished share of the work by size, None if unknown.
    """

    done: int
    total: int
    name: str
    phase: Literal["Reading", "Embedding"] = "Reading"
    share: float | None = None


# Called with the progress of an ingestion, if there is work to do.
OnDocument = Callable[[Progress], None]


def fail(sentence: str, code: int = 2) -> NoReturn:
    """Print a line on stderr and exit."""
    print_error(sentence)
    sys.exit(code)


def print_error(sentence: str) -> None:
    """Print a line on stderr."""
    one_line = " ".join(sentence.encode("utf-8", "replace").decode().split())
    sys.stderr.write(f"selfrag: {make_visible(one_line)}\n")


def warn(warnings: Sequence[str]) -> None:
    """Print warnings on stderr."""
    for warning in warnings:
        sys.stderr.write(f"selfrag: warning: {make_visible(warning)}\n")


def warn_of_wait(process: int) -> None:
    """Print which process this one waits for."""
    warn([f"Another selfrag (process {process}) reads these documents; waiting for it."])


def make_visible(text: str, keep: str = "") -> str:
    """Return text with control and reordering characters replaced by symbols, except `keep`.

    ASCII control characters become their pictures, such as ␛; others the replacement character.
    """
    return text.translate({ord(c): _picture(ord(c)) for c in _controls(text) if c not in keep})


def _controls(text: str) -> Iterator[str]:
    return (c for c in set(text) if category(c) in _CONTROL_CATEGORIES or c in _BIDIRECTIONAL)


def _picture(control: int) -> str:
    if control > _DELETE:
        return "\ufffd"
    return "\u2421" if control == _DELETE else chr(0x2400 + control)


class Terminal(Console):
    """A console that makes control characters in texts visible."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the segments with `visible` texts; line ends and tabs stay."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=make_visible(segment.text, keep="\n\t"))


out, err = Terminal(), Terminal(stderr=True)


def confirm(question: str, otherwise: SelfragError) -> bool:
    """Ask a yes/no question; raises `otherwise` without a terminal."""
    if not (sys.stdin.isatty() and err.is_terminal):
        raise otherwise
    return typer.confirm(question, err=True)


def print_line(line: str) -> None:
    """Print a line of any length."""
    sys.stdout.write(make_visible(line) + "\n")


def print_json(value: Any) -> None:
    """Print a value as JSON with escaped control characters."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    sys.stdout.write(text.translate({ord(c): f"\\u{ord(c):04x}" for c in _controls(text) if c != "\n"}) + "\n")


@contextmanager
def reading_progress(clock: Callable[[], float] = time.monotonic) -> "Iterator[OnDocument]":
    """Show an ingestion's progress on stderr, if there is work to do.

    At a terminal, this is a bar with the remaining time, which is estimated from passage lengths; otherwise a line
    every ten seconds.
    """
    about = TextColumn("{task.description}", table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis"))
    counts = (TextColumn("{task.fields[phase]}"), BarColumn(bar_width=12), TextColumn("{task.fields[count]}"))
    columns = (*counts, TimeRemainingColumn(), about)
    bar = ProgressBar(*columns, console=err, transient=True, expand=True, disable=not err.is_terminal)
    task = bar.add_task("", total=None, visible=False, phase="", count="")
    last = clock()

    def show(progress: Progress) -> None:
        nonlocal last
        part, whole = (progress.done, progress.total) if progress.share is None else (progress.share, 1.0)
        count = f"{progress.done:,}/{progress.total:,}"
        name = escape(make_visible(progress.name))
        bar.update(task, completed=part, total=whole, description=name, visible=True)
        bar.update(task, phase=progress.phase, count=count)
        if not err.is_terminal and clock() - last >= _EVERY_SECONDS:
            last = clock()
            done = "documents read" if progress.phase == "Reading" else "passages embedded"
            sys.stderr.write(f"selfrag: {progress.done:,} of {progress.total:,} {done}\n")

    with bar:
        yield show
        bar.update(task, visible=False)


@contextmanager
def current_step() -> Iterator[Callable[[str], None]]:
    """Show the running step on stderr at a terminal."""
    with err.status("starting") as status:
        yield lambda step: status.update(step)


@contextmanager
def measuring_progress(clock: Callable[[], float] = time.monotonic) -> Iterator[Callable[[str, int, int], None]]:
    """Yield a progress callback: a bar at a terminal, else a line every ten seconds."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = ProgressBar(*columns, console=err, transient=True, disable=not err.is_terminal)
    task = bar.add_task("Reading", total=None)
    last = clock()

    def show(name: str, done: int, total: int) -> None:
        nonlocal last
        bar.update(task, description=name, completed=done, total=total)
        if not err.is_terminal and clock() - last >= _EVERY_SECONDS:
            last = clock()
            sys.stderr.write(f"selfrag: {name}: {done} of {total}\n")

    with bar:
        yield show
