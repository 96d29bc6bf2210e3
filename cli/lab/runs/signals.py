"""The orderly end of a run by the first Ctrl-C or SIGTERM."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from cli.lab.runs.running import Run


@contextmanager
def ended_by_signals(run: Run) -> Iterator[None]:
    """Let the first Ctrl-C or SIGTERM end the run in order; the next one ends the process."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def end(number: int, frame: object) -> None:
        run.end()
        restore()

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    for number in before:
        signal.signal(number, end)
    try:
        yield
    finally:
        restore()
