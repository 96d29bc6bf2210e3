"""`selfrag serve` from the client's side: answers per second, latency and memory."""

import json
import re
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from urllib.request import Request, urlopen

from bench.laptop.process import question, started

CLIENTS = (1, 4, 16)
_END_SECONDS, _ANSWER_SECONDS = 30, 120


@dataclass(frozen=True)
class Load:
    """The load of a number of clients, each asking one question after the other: answers per second, seconds."""

    clients: int
    questions: int
    per_second: float
    median: float
    p95: float
    failed: int


@dataclass(frozen=True)
class Served:
    """The seconds until the server took questions, its loads, and its memory (MiB) after so many questions."""

    start: float
    loads: list[Load]
    memory: dict[int, float]


def measure_served(home: Path, questions: int, remembered: int, tell: Callable[[str], None]) -> Served:
    """Serve the sample handbook from a home that knows it, and ask: `questions` by each number of clients.

    Then `remembered` in all, with the memory after each quarter of them.
    """
    numbers = count(1)
    with _serving(home) as (url, process, start):
        _asked(url, next(numbers))  # warm up
        memory = {0: memory_of(process.pid)}
        loads = []
        for clients in CLIENTS:
            tell(f"serve, {clients} clients")
            loads.append(_load(url, clients, questions, numbers))
        for part in range(1, 5):
            tell(f"serve, memory after {part * remembered // 4} questions")
            _load(url, CLIENTS[1], remembered // 4, numbers)
            memory[part * remembered // 4] = memory_of(process.pid)
    return Served(start, loads, memory)


def memory_of(process: int) -> float:
    """Return the MiB of memory of a process and its descendants; shared memory is counted for each."""
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid=,rss="], capture_output=True, text=True, check=True)
    rows = [tuple(map(int, line.split())) for line in listed.stdout.splitlines()]
    family = {process}
    for pid, parent, _ in sorted(rows):
        if parent in family:
            family.add(pid)
    return round(sum(kilobytes for pid, _, kilobytes in rows if pid in family) / 1024, 1)


@contextmanager
def _serving(home: Path) -> Iterator[tuple[str, "subprocess.Popen[str]", float]]:
    began = time.perf_counter()
    process = started(home, "serve", "--port", "0")
    try:
        line = process.stdout.readline() if process.stdout else ""
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        if not found:
            raise RuntimeError(f"selfrag serve did not begin: {line}")
        yield found[0], process, time.perf_counter() - began
    finally:
        process.terminate()
        process.wait(_END_SECONDS)


def _load(url: str, clients: int, questions: int, numbers: Iterator[int]) -> Load:
    began = time.perf_counter()
    # No number is given twice: next() of a count is one step for all threads.
    with ThreadPoolExecutor(clients) as threads:
        took = list(threads.map(lambda _: _asked(url, next(numbers)), range(questions)))
    seconds = sorted(one for one in took if one is not None)
    p95 = seconds[int(0.95 * (len(seconds) - 1))] if seconds else 0.0
    per_second = len(seconds) / (time.perf_counter() - began)
    middle = statistics.median(seconds) if seconds else 0.0
    return Load(clients, questions, round(per_second, 2), round(middle, 2), round(p95, 2), questions - len(seconds))


def _asked(url: str, number: int) -> float | None:
    """Return the seconds until a new question was answered; None if it was not."""
    began = time.perf_counter()
    body = json.dumps({"question": question(number)}).encode()
    request = Request(f"{url}/v1/ask", body, {"content-type": "application/json"})
    try:
        with urlopen(request, timeout=_ANSWER_SECONDS) as reply:
            status = json.load(reply)["status"]
    except OSError:
        return None
    return time.perf_counter() - began if status in ("answered", "abstained") else None
