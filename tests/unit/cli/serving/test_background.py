"""Background ingestion of the served API: one run at a time, no lost events, no silent failures."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any

import pytest

from selfrag.domain.errors import Misconfigured
from selfrag_cli.local.serving.background import EmbeddingThread, IngestionThread
from selfrag_cli.local.sources.sync import Busy

SECONDS = 10.0


class Documents:
    """Records calls; `refreshed` yields each refresh."""

    def __init__(self) -> None:
        self.marked: list[tuple[str, str]] = []
        self.refreshed: SimpleQueue[Any] = SimpleQueue()

    def changed(self, key: str, etag: str) -> None:
        self.marked.append((key, etag))

    def refresh(self, waiting: Mapping[str, str], unread: Mapping[str, str], reason: str) -> None:
        self.refreshed.put((dict(waiting), dict(unread), reason))


class Runs:
    """A controllable ingestion: `begun` yields a number when a run begins, `end` ends it."""

    def __init__(self) -> None:
        self.begun: SimpleQueue[int] = SimpleQueue()
        self._ends: SimpleQueue[Exception | None] = SimpleQueue()
        self._count = 0

    def __call__(self) -> None:
        self._count += 1
        self.begun.put(self._count)
        if error := self._ends.get(timeout=SECONDS):
            raise error

    def end(self, error: Exception | None = None) -> None:
        self._ends.put(error)


@contextmanager
def ingesting(runs: Runs, listed: Documents) -> Iterator[IngestionThread]:
    started = IngestionThread(runs, listed)  # type: ignore[arg-type]
    with started.at_work(runs.end):
        yield started


def test_events_during_a_run_share_one_following_run() -> None:
    runs, listed = Runs(), Documents()
    with ingesting(runs, listed) as documents:
        documents.changed("hr/a.md", '"a"')
        assert runs.begun.get(timeout=SECONDS) == 1
        for key in ("hr/b.md", "hr/c.md", "hr/b.md"):
            documents.changed(key, '"later"')
        documents.changed("hr/d.md", "")
        assert runs.begun.empty()
        runs.end()
        # A pending document is not shown in its former state.
        later = {"hr/b.md": '"later"', "hr/c.md": '"later"', "hr/d.md": ""}
        assert listed.refreshed.get(timeout=SECONDS) == (later, {}, "")
        assert runs.begun.get(timeout=SECONDS) == 2
        runs.end()
        assert listed.refreshed.get(timeout=SECONDS) == ({}, {}, "")
    assert runs.begun.empty()
    assert listed.marked == [
        ("hr/a.md", '"a"'),
        ("hr/b.md", '"later"'),
        ("hr/c.md", '"later"'),
        ("hr/b.md", '"later"'),
        ("hr/d.md", ""),
    ]


def test_failed_run_is_reported_and_the_next_one_starts(capsys: pytest.CaptureFixture[str]) -> None:
    runs, listed = Runs(), Documents()
    with ingesting(runs, listed) as documents:
        documents.changed("hr/a.md", '"a"')
        assert runs.begun.get(timeout=SECONDS) == 1
        documents.changed("hr/gone.md", "")
        runs.end(Misconfigured("The disk is full."))
        waiting = {"hr/gone.md": ""}
        assert listed.refreshed.get(timeout=SECONDS) == (
            waiting,
            {"hr/a.md": '"a"'},
            "Documents could not be read: The disk is full.",
        )
        assert runs.begun.get(timeout=SECONDS) == 2
        runs.end(OSError("no more\nprocesses"))
        working, unread, reason = listed.refreshed.get(timeout=SECONDS)
        assert (working, unread) == ({}, {"hr/gone.md": ""})
        assert reason.endswith("OSError: no more processes")
        documents.changed("hr/c.md", '"c"')
        assert runs.begun.get(timeout=SECONDS) == 3
        runs.end()
        assert listed.refreshed.get(timeout=SECONDS) == ({}, {}, "")
    assert capsys.readouterr().err.splitlines() == [
        "selfrag: Documents could not be read: The disk is full.",
        "selfrag: Documents could not be read: OSError: no more processes",
    ]


def test_shutdown_ends_current_run_and_starts_no_other() -> None:
    runs, listed = Runs(), Documents()
    with ingesting(runs, listed) as documents:
        documents.changed("hr/a.md", '"a"')
        assert runs.begun.get(timeout=SECONDS) == 1
        documents.changed("hr/b.md", '"b"')
    documents.changed("hr/c.md", '"c"')
    assert runs.begun.empty()
    assert listed.refreshed.empty()
    assert "ingesting" not in {thread.name for thread in threading.enumerate()}
    assert listed.marked == [("hr/a.md", '"a"'), ("hr/b.md", '"b"')]


class Embeddings:
    """An embedding that raises these errors, one a run; `runs` has an entry for each run that began."""

    def __init__(self, *errors: Exception) -> None:
        self._errors = list(errors)
        self.runs: SimpleQueue[threading.Event] = SimpleQueue()

    def __call__(self, stopped: threading.Event) -> None:
        self.runs.put(stopped)
        if self._errors:
            raise self._errors.pop(0)


def test_passages_are_embedded_at_first_and_whenever_some_were_written() -> None:
    embeddings = Embeddings()
    thread = EmbeddingThread(embeddings)
    with thread.at_work():
        stopped = embeddings.runs.get(timeout=SECONDS)
        assert embeddings.runs.empty()
        thread.wake()
        embeddings.runs.get(timeout=SECONDS)
        assert not stopped.is_set()
    assert stopped.is_set(), "a run that is at work ends with the server"


def test_an_embedding_that_fails_is_told_and_tried_again_when_passages_come(capsys: pytest.CaptureFixture[str]) -> None:
    embeddings = Embeddings(Misconfigured("The model\nis not there."))
    thread = EmbeddingThread(embeddings)
    with thread.at_work():
        embeddings.runs.get(timeout=SECONDS)
        thread.wake()
        embeddings.runs.get(timeout=SECONDS)
    assert capsys.readouterr().err == "selfrag: Documents could not be embedded: The model is not there.\n"


def test_a_server_embeds_what_another_process_has_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("selfrag_cli.local.serving.background.BUSY_SECONDS", 0)
    embeddings = Embeddings(Busy(1), Busy(1))
    with EmbeddingThread(embeddings).at_work():
        for _ in range(3):
            embeddings.runs.get(timeout=SECONDS)
