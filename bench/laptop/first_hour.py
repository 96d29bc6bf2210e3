"""The command: 92 files of Debian's packages, from `selfrag serve` to the first answer and to all vectors."""

import gzip
import json
import re
import shutil
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import Annotated
from urllib.request import Request, urlopen

import typer

from bench.documents.corpus.packages import laid_out
from bench.laptop.process import ROOT, started
from selfrag_cli.local.home import FILE
from selfrag_cli.terminal import err, out, print_json

PACKAGES = (
    "apache2-doc",
    "bash-doc",
    "borgbackup-doc",
    "developers-reference",
    "dovecot-core",
    "exim4-doc-html",
    "gnucash-docs",
    "postgresql-doc-15",
    "rsync",
    "wget",
)
# The first files of each pattern below /usr/share, by name.
FILES = (
    ("doc/apache2-doc/manual/en/*.html", 20),
    ("doc/apache2-doc/manual/en/mod/*.html", 10),
    ("doc/borgbackup/html/usage/*.html", 12),
    ("doc/exim4-doc-html/spec_html/*.html", 10),
    ("doc/gnucash-docs/gnucash-help-en/*.html", 4),
    ("doc/gnucash-docs/gnucash-help-de/*.html", 4),
    ("doc/gnucash-docs/gnucash-guide-ja/*.html", 4),
    ("doc/postgresql-doc-15/html/*.html", 14),
    ("doc/dovecot-core/wiki/*.txt", 8),
    ("doc/bash/*.pdf", 2),
    ("developers-reference/developers-reference.*", 2),
    ("doc/[rw]*/NEWS*", 2),
)
QUESTION = "What does the option --progress do?"
_ANSWER_SECONDS, _LOOK_SECONDS, _WINDOW_SECONDS = 120, 2.0, 20.0


@dataclass(frozen=True)
class Estimate:
    """The remaining time that a line announced and when, in seconds; `share` of the passages were embedded then."""

    share: float
    displayed: float
    actual: float


@dataclass(frozen=True)
class FirstHour:
    """The files and their passages; seconds from the command's start to the server, an answer, and all vectors."""

    files: int
    passages: int
    serving: float
    answered: float
    embedded: float
    embedded_at_answer: int
    # Passages embedded a second, while nobody asks and while questions follow each other.
    alone: float
    while_asked: float
    estimates: list[Estimate]

    def error_of_time_left(self) -> float:
        """Return the median of how far the time left was off, as a share of the true one, from 10% on; nan without."""
        later = [estimate for estimate in self.estimates if estimate.share >= 0.1 and estimate.actual > 0]
        errors = [abs(estimate.displayed / estimate.actual - 1) for estimate in later]
        return statistics.median(errors) if errors else float("nan")


def collected(build: Path) -> Path:
    """Return the directory of the files, copied from Debian's packages; raises RuntimeError."""
    share = laid_out(PACKAGES, build / "debs", build / "packages") / "usr" / "share"
    directory = build / "files"
    shutil.rmtree(directory, ignore_errors=True)
    for pattern, most in FILES:
        paths = [path for path in sorted(share.glob(pattern)) if path.is_file() and not path.name.startswith("index.")]
        for path in paths[:most]:
            content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            name = path.name.removesuffix(".gz")
            target = directory / path.parent.name / (name if Path(name).suffix else f"{name}.txt")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    return directory


def measure(directory: Path) -> FirstHour:
    """Serve the files from an empty home and ask; then ingest them into a second home and compare the estimates."""
    with tempfile.TemporaryDirectory() as home:
        began = time.monotonic()
        with _served(Path(home), directory) as url:
            serving = time.monotonic() - began
            while _asked(url) != "answered":
                time.sleep(_LOOK_SECONDS)
            answered = time.monotonic() - began
            embedded_at_answer, passages = _counts(Path(home))
            rates = _rates(Path(home), url)
        embedded = time.monotonic() - began
    files = sum(path.is_file() for path in directory.rglob("*"))
    with tempfile.TemporaryDirectory() as home:
        estimates = _estimates(Path(home), directory)
    return FirstHour(files, passages, serving, answered, embedded, embedded_at_answer, *rates, estimates)


@contextmanager
def _served(home: Path, directory: Path) -> Iterator[str]:
    process = started(home, "serve", "--docs", str(directory), "--port", "0")
    try:
        address = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline() if process.stdout else "")
        if address is None:
            raise RuntimeError("selfrag serve did not begin")
        yield address[0]
    finally:
        process.terminate()
        process.wait()


def _rates(home: Path, url: str) -> tuple[float, float]:
    """Ask in every other window until all is embedded; return passages a second of the windows without and with it."""
    windows, cases = (list[float](), list[float]()), count()
    done, passages = _counts(home)
    while done < passages:
        asks = len(windows[0]) > len(windows[1])
        before, began = done, time.monotonic()
        while done < passages and time.monotonic() - began < _WINDOW_SECONDS:
            if asks:
                _asked(url, f"{QUESTION} (case {next(cases)})")
            else:
                time.sleep(_LOOK_SECONDS)
            done = _counts(home)[0]
        windows[asks].append((done - before) / (time.monotonic() - began))
    return statistics.mean(windows[0] or [0]), statistics.mean(windows[1] or [0])


def _asked(url: str, question: str = QUESTION) -> str:
    body = json.dumps({"question": question}).encode()
    with urlopen(
        Request(f"{url}/v1/ask", body, {"content-type": "application/json"}), timeout=_ANSWER_SECONDS
    ) as reply:
        status: str = json.load(reply)["status"]
    return status


def _counts(home: Path) -> tuple[int, int]:
    """Return how many passages have a vector, and how many there are."""
    with closing(sqlite3.connect(home / FILE)) as connection:
        counts: tuple[int, int] = connection.execute(
            "SELECT (SELECT count(*) FROM vectors), (SELECT count(*) FROM passages)"
        ).fetchone()
    return counts


def _estimates(home: Path, directory: Path) -> list[Estimate]:
    """Ingest, and return the remaining time announced by each line."""
    process, lines = started(home, "ingest", str(directory), errors=True), list[tuple[float, float, float]]()
    for line in process.stderr or ():
        if told := re.search(r"([\d,]+) of ([\d,]+) passages embedded, (\d+) (s|min) left", line):
            done, total, left = (int(number.replace(",", "")) for number in told.groups()[:3])
            lines.append((time.monotonic(), done / total, left * (60 if told[4] == "min" else 1)))
    process.wait()
    ended = time.monotonic()
    return [Estimate(round(share, 3), left, round(ended - at, 1)) for at, share, left in lines]


def show(measured: FirstHour) -> None:
    """Print the figures for a person."""
    rows: Sequence[tuple[str, object]] = (
        ("files", measured.files),
        ("passages", measured.passages),
        ("serve, until it takes questions, s", round(measured.serving, 1)),
        ("until the first question is answered, s", round(measured.answered, 1)),
        ("passages embedded then", measured.embedded_at_answer),
        ("until all passages are embedded, s", round(measured.embedded)),
        ("passages embedded a second, alone", round(measured.alone, 1)),
        ("passages embedded a second, while asked", round(measured.while_asked, 1)),
        ("time left, median error from 10% done", f"{measured.error_of_time_left():.0%}"),
    )
    for name, figure in rows:
        out.print(f"{name}: {figure}", highlight=False)


def main(
    docs: Annotated[Path | None, typer.Option(help="Another directory of documents than Debian's.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, alone on stdout.")] = False,
) -> None:
    """Measure the first hour with 92 files that nobody here wrote. It takes half an hour, and a quiet machine."""
    with err.status("fetch the files"):
        directory = docs or collected(ROOT / "build" / "first-hour")
    measured = measure(directory)
    if as_json:
        print_json(asdict(measured))
    else:
        show(measured)


def run() -> None:
    """Run the command."""
    typer.run(main)
