"""`selfrag serve` under load: a process of its own that reads documents, and clients that ask it over HTTP."""

import os
import re
import signal
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

import httpx2

from tests.bench.api.server import MessagesApi, Pace, no_time, usual_pace
from tests.bench.stories import STORIES, found
from tests.support.command import Command

CLIENTS = (1, 4, 16)
QUESTIONS_OF_A_CLIENT = 10
FOUR = STORIES["four"]
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Throughput:
    """So many clients that ask one question after another: questions a second, and the seconds that one takes."""

    model: str
    clients: int
    a_second: float
    median_seconds: float
    p95_seconds: float
    failed: int


@dataclass(frozen=True)
class Memory:
    """The resident memory of the processes after so many questions, in MiB."""

    questions: int
    mib: int


class Served:
    """A running `selfrag serve`, with the simulated service behind it; made by `served`."""

    def __init__(self, url: str, pid: int, api: MessagesApi) -> None:
        self.url, self._pid, self._api = url, pid, api
        self._numbers = count()

    def pace(self, pace: Pace) -> None:
        """Set how long the model takes from now on."""
        self._api.pace = pace

    def question(self) -> str:
        """Return the question in words that were not used before."""
        return FOUR.question(next(self._numbers))

    def throughput(self, name: str, pace: Pace, clients: int) -> Throughput:
        """Ask with so many clients at once, each question in other words."""
        self.pace(pace)
        each = [QUESTIONS_OF_A_CLIENT] * clients
        began = time.perf_counter()
        with ThreadPoolExecutor(clients) as pool:
            asked = [one for client in pool.map(self._ask, each) for one in client]
        seconds = time.perf_counter() - began
        took = [one for one in asked if one is not None]
        p95 = quantiles(took, n=20)[-1]
        failed = len(asked) - len(took)
        return Throughput(name, clients, round(len(took) / seconds, 2), round(median(took), 2), round(p95, 2), failed)

    def memory(self, most: int, every: int) -> Iterator[Memory]:
        """Ask so many questions, two at a time, and look every so often."""
        self.pace(no_time)
        yield Memory(0, self._mib())
        for questions in range(every, most + 1, every):
            with ThreadPoolExecutor(2) as pool:
                list(pool.map(self._ask, [every // 2] * 2))
            yield Memory(questions, self._mib())

    def _ask(self, questions: int) -> list[float | None]:
        """Return the seconds of each question; None where it was not answered."""
        took: list[float | None] = []
        with httpx2.Client(base_url=self.url, timeout=60, trust_env=False) as client:
            for _ in range(questions):
                began = time.perf_counter()
                asked = {"question": self.question()}
                response = client.post("/v1/ask", json=asked, headers={"x-api-key": "any"})
                answered = response.status_code == 200 and response.json()["status"] == "answered"
                took.append(time.perf_counter() - began if answered else None)
        return took

    def _mib(self) -> int:
        pages = [int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in _family(self._pid)]
        return round(sum(pages) * _PAGE / 2**20)


def _family(pid: int) -> Sequence[int]:
    """Return a process and all that it started."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(one for child in children for one in _family(int(child)))]


@contextmanager
def served() -> Iterator[Served]:
    """Serve four relevant documents, and four that are not, from a home of its own."""
    with TemporaryDirectory() as place, MessagesApi() as api:
        home, documents = Path(place), Path(place, "documents")
        documents.mkdir()
        for passage in [*found(FOUR.question(0)), *found(f"other: {FOUR.question(0)}")]:
            (documents / f"{passage.passage_id}.md").write_text(passage.text, encoding="utf-8")
        environment = (("ANTHROPIC_BASE_URL", api.url), ("ANTHROPIC_API_KEY", "simulated"))
        process = Command(home, environment).start("serve", "--port", "0", "--docs", str(documents))
        try:
            assert process.stdout is not None
            told = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
            assert told, process.communicate(timeout=5)
            yield Served(told[0], process.pid, api)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=60)


def throughputs(at: Served) -> Iterator[Throughput]:
    """By clients, with a model that takes its time and with one that takes none."""
    for name, pace in (("usual", usual_pace), ("no time", no_time)):
        for clients in CLIENTS:
            yield at.throughput(name, pace, clients)
