"""Ingestion beside the served API: one run at a time, nothing forgotten, no failure silent."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any

import pytest

from cli.local.serving.background import Ingesting

SECONDS = 10.0


class Catalog:
    """Notes what it is told; `refreshed` gives each refresh as it comes."""

    def __init__(self) -> None:
        self.marked: list[str] = []
        self.gone: list[str] = []
        self.refreshed: SimpleQueue[Any] = SimpleQueue()

    def working(self, key: str) -> None:
        self.marked.append(key)

    def removing(self, key: str) -> None:
        self.gone.append(key)

    def refresh(self, changed: Mapping[str, str], unread: Mapping[str, str] | None = None, reason: str = "") -> None:
        self.refreshed.put((dict(changed), dict(unread or {}), reason))


class Runs:
    """An ingestion that the test ends: `begun` gives a number when a run begins, `end` ends it as told."""

    def __init__(self) -> None:
        self.begun: SimpleQueue[int] = SimpleQueue()
        self._ends: SimpleQueue[str | Exception] = SimpleQueue()
        self._count = 0

    def __call__(self) -> str:
        self._count += 1
        self.begun.put(self._count)
        outcome = self._ends.get(timeout=SECONDS)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def end(self, outcome: str | Exception = "") -> None:
        self._ends.put(outcome)


@contextmanager
def ingesting(runs: Runs, catalog: Catalog) -> Iterator[Ingesting]:
    started = Ingesting(runs, catalog)  # type: ignore[arg-type]
    with started.at_work(runs.end):
        yield started


def test_what_comes_during_a_run_is_for_one_run_after_it() -> None:
    runs, catalog = Runs(), Catalog()
    with ingesting(runs, catalog) as documents:
        documents.changed("hr/a.md", '"a"')
        assert runs.begun.get(timeout=SECONDS) == 1
        for key in ("hr/b.md", "hr/c.md", "hr/b.md"):
            documents.changed(key, '"later"')
        documents.changed("hr/d.md", "")
        assert runs.begun.empty()
        runs.end()
        # What waits for the next run is not shown as it was before.
        later = {"hr/b.md": '"later"', "hr/c.md": '"later"', "hr/d.md": ""}
        assert catalog.refreshed.get(timeout=SECONDS) == (later, {}, "")
        assert runs.begun.get(timeout=SECONDS) == 2
        runs.end()
        assert catalog.refreshed.get(timeout=SECONDS) == ({}, {}, "")
    assert runs.begun.empty()
    assert (catalog.marked, catalog.gone) == (["hr/a.md", "hr/b.md", "hr/c.md", "hr/b.md"], ["hr/d.md"])


def test_a_run_that_fails_is_told_with_what_it_was_for_and_the_next_one_runs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    runs, catalog = Runs(), Catalog()
    with ingesting(runs, catalog) as documents:
        documents.changed("hr/a.md", '"a"')
        assert runs.begun.get(timeout=SECONDS) == 1
        documents.changed("hr/gone.md", "")
        runs.end("The disk is full.")
        waiting = {"hr/gone.md": ""}
        assert catalog.refreshed.get(timeout=SECONDS) == (waiting, {"hr/a.md": '"a"'}, "The disk is full.")
        assert runs.begun.get(timeout=SECONDS) == 2
        runs.end(OSError("no more\nprocesses"))
        working, unread, reason = catalog.refreshed.get(timeout=SECONDS)
        assert (working, unread) == ({}, {"hr/gone.md": ""})
        assert reason.endswith("OSError: no more processes")
        documents.changed("hr/c.md", '"c"')
        assert runs.begun.get(timeout=SECONDS) == 3
        runs.end()
        assert catalog.refreshed.get(timeout=SECONDS) == ({}, {}, "")
    assert capsys.readouterr().err == "selfrag: Documents could not be read: OSError: no more processes\n"


def test_the_end_ends_the_run_that_is_under_way_and_begins_no_other() -> None:
    runs, catalog = Runs(), Catalog()
    with ingesting(runs, catalog) as documents:
        documents.changed("hr/a.md", '"a"')
        assert runs.begun.get(timeout=SECONDS) == 1
        documents.changed("hr/b.md", '"b"')
    documents.changed("hr/c.md", '"c"')
    assert runs.begun.empty()
    assert catalog.refreshed.empty()
    assert "ingesting" not in {thread.name for thread in threading.enumerate()}
    assert catalog.marked == ["hr/a.md", "hr/b.md"]
