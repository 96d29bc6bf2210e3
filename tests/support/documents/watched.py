"""Reads files in a separate process, and reports its system calls and memory."""

import json
import resource
import subprocess
import sys
import time
import zoneinfo
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from selfrag.domain.errors import BadDocument
from selfrag.reader.readers import parse

# Audit events forbidden while a file is read.
_FORBIDDEN = ("socket.", "subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.fork", "urllib.", "tempfile.")
# The product's modules.
_MODULES = str(Path(__file__).parents[3] / "functions")


def outcomes(folder: Path, files: Mapping[str, bytes]) -> dict[str, Any]:
    """Read files by name: `outcomes` has a `reason`, or the `text` and `warnings`, of each.

    `asked` are audit events other than memory, `before_mb` and `peak_mb` the peak memory without and with reading.
    """
    for key, content in files.items():
        (folder / key).write_bytes(content)
    command = [sys.executable, "-m", __name__, str(folder), *files]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, timeout=500)
    told: dict[str, Any] = json.loads(ended.stdout)
    return told


def most_memory() -> float:
    """The most megabytes so far; a process's resources count those of the process that began it, Linux's file not."""
    status = Path("/proc/self/status")
    if status.exists():
        return next(int(line.split()[1]) / 1024 for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _outcome(key: str, content: bytes) -> dict[str, Any]:
    try:
        document = parse(key, content)
    except BadDocument as error:
        return {"reason": str(error)}
    return {"text": document.text[:100], "warnings": document.warnings}


def main() -> None:
    """Read each file of a directory that is named."""
    asked: list[str] = []
    reading = ""

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        # Python opens its own files, ours and the machine's time zones when they are first needed.
        own = (sys.base_prefix, sys.prefix, _MODULES, *zoneinfo.TZPATH)
        opened = event == "open" and not str(arguments[0]).startswith(own)
        if reading and (event.startswith(_FORBIDDEN) or opened):
            asked.append(f"{reading}: {event} {arguments[:1]}")

    sys.dont_write_bytecode = True
    sys.addaudithook(watch)
    folder, found, took = Path(sys.argv[1]), dict[str, Any](), dict[str, float]()
    before = most_memory()
    for key in sys.argv[2:]:
        content = (folder / key).read_bytes()
        began, reading = time.process_time(), key
        found[key] = _outcome(key, content)
        reading = ""
        took[key] = time.process_time() - began
    slowest = max(took, key=lambda key: took[key])
    peak = most_memory()
    report = {"asked": asked, "before_mb": before, "peak_mb": peak, "slowest": f"{slowest} {took[slowest]:.1f} s"}
    json.dump({**report, "outcomes": found}, sys.stdout)


if __name__ == "__main__":
    main()
