"""A share of a processor for a process, as Lambda gives a function by its memory: 1,769 MB is a whole one.

It takes a control group of Linux if this user may make one; else the process is stopped and continued by turns.
"""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

# The period in which a process gets its share, as in a Lambda.
_PERIOD_SECONDS = 0.02
_GROUPS = Path("/sys/fs/cgroup")

Hold = Callable[[int], None]


@contextmanager
def share_of_a_processor(share: float) -> Iterator[tuple[Hold, str]]:
    """Yield a function that holds a process, by its id, to a share until the block ends, and its method."""
    if share >= 1:
        yield lambda process: None, "a whole processor"
        return
    group = _group(share)
    if group is None:
        with _stopping(share) as hold:
            yield hold, "stopped and continued by turns"
        return
    try:
        yield lambda process: _write(group / "cgroup.procs", process), f"control group ({group.parent})"
    finally:
        with suppress(OSError):
            group.rmdir()


def _group(share: float) -> Path | None:
    """Return a control group of version 1 or 2 with this share, or None if none can be made."""
    period = round(1_000_000 * _PERIOD_SECONDS)
    limits_of: dict[Path, dict[str, object]] = {
        _GROUPS / "cpu": {"cpu.cfs_period_us": period, "cpu.cfs_quota_us": round(share * period)},
        _GROUPS: {"cpu.max": f"{round(share * period)} {period}"},
    }
    for parent, limits in limits_of.items():
        group = parent / f"selfrag-{os.getpid()}-{threading.get_ident()}"
        with suppress(OSError):
            group.mkdir()
            try:
                for name, limit in limits.items():
                    # This file cannot be made in a folder without a processor controller.
                    _write(group / name, limit)
                return group
            except OSError:
                group.rmdir()
    return None


def _write(file: Path, value: object) -> None:
    with file.open("r+") as out:
        out.write(str(value))


@contextmanager
def _stopping(share: float) -> Iterator[Hold]:
    ended, turning = threading.Event(), []

    def turn(process: int) -> None:
        with suppress(ProcessLookupError):
            while not ended.wait(share * _PERIOD_SECONDS):
                os.kill(process, signal.SIGSTOP)
                ended.wait((1 - share) * _PERIOD_SECONDS)
                os.kill(process, signal.SIGCONT)

    def hold(process: int) -> None:
        turning.append(threading.Thread(target=turn, args=(process,)))
        turning[-1].start()

    try:
        yield hold
    finally:
        ended.set()
        for thread in turning:
            thread.join()
