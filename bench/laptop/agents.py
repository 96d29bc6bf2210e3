"""`selfrag mcp` as an agent's program starts it: seconds until its first reply, and until it has listed its tools."""

import json
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from bench.laptop.process import started
from selfrag_cli.terminal import out

_INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


def measure(home: Path) -> tuple[float, float]:
    """Return the seconds from the start of the process to both replies."""
    began = time.perf_counter()
    process = started(home, "mcp", has_input=True)
    assert process.stdin
    assert process.stdout
    seconds = []
    for number, (method, params) in enumerate((("initialize", _INITIALIZE), ("tools/list", {}))):
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
        reply = json.loads(process.stdout.readline())
        if "result" not in reply:
            raise RuntimeError(f"{method} failed: {reply}")
        seconds.append(time.perf_counter() - began)
    process.communicate()
    return seconds[0], seconds[1]


def main(runs: Annotated[int, typer.Option(min=1, help="Processes that are started.")] = 10) -> None:
    """Measure the start of `selfrag mcp`; it takes half a minute, and a quiet machine."""
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as home:
        measured = [measure(Path(home, "state")) for _ in range(runs)]
    out.print(f"{os.cpu_count()} cores, load {before:.2f} before and {os.getloadavg()[0]:.2f} after", highlight=False)
    for name, seconds in zip(("first reply", "tools listed"), zip(*measured, strict=True), strict=True):
        middle = statistics.median(seconds)
        out.print(f"{name}: {middle:.2f} s ({min(seconds):.2f} to {max(seconds):.2f})", highlight=False)


def run() -> None:
    """Run the command."""
    typer.run(main)
