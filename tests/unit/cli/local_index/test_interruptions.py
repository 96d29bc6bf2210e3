"""An ingestion that is broken off, killed or not alone ends with the right index."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from selfrag_cli.local.sources.report import Interruption
from selfrag_cli.terminal import Progress
from tests.support.fakes import FakeEmbedder
from tests.unit.cli.local_index.conftest import Write
from tests.unit.cli.local_index.reading import LEAVE, index_ids, indexed, ingest, manifest_ids, report

pytestmark = pytest.mark.long

INGEST = [
    sys.executable,
    "-c",
    """
import sys
from collections.abc import Callable
from pathlib import Path
from tests.support.reading import sync
from selfrag_cli.local.sources.source import source_to_read
from tests.support.fakes import FakeEmbedder
for directory in sys.argv[1:]:
    sync(source_to_read(Path(directory)), embedder=FakeEmbedder())
""",
]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def test_interrupted_ingestion_is_resumed(write: Write) -> None:
    embedder = FakeEmbedder()
    directory = write({"a.md": LEAVE, "b.md": " ".join(map(str, range(40000)))})

    def interrupt(phase: str) -> Callable[[Progress], None]:
        def interrupted(progress: Progress) -> None:
            if progress.done and progress.phase == phase:
                raise KeyboardInterrupt

        return interrupted

    with pytest.raises(Interruption, match="Interrupted: 1 of 2 documents are in the index; the same command goes on"):
        ingest(directory, on_document=interrupt("Reading"), embedder=embedder)
    with pytest.raises(Interruption, match=r"Interrupted: 8 of \d+ passages are embedded; the same command goes on"):
        ingest(directory, on_document=interrupt("Embedding"), embedder=embedder)
    assert len(embedder.embedded) == 8
    completed = ingest(directory, embedder=embedder)
    assert (completed.unchanged, completed.warnings) == (2, [])
    assert len(embedder.embedded) == len(set(embedder.embedded)) == len(indexed(directory))
    assert manifest_ids() == index_ids()


def test_writes_wait_for_other_processes(write: Write, tmp_path: Path) -> None:
    directory = write({"a.md": "Old."})

    def another_process(progress: Progress) -> None:
        if not (directory / "b.md").exists():
            write({"b.md": "New too."})
            # Whole, as editors do it: this ingestion reads the file just now, and could find it empty.
            (tmp_path / "new").write_text("New.")
            (tmp_path / "new").replace(directory / "a.md")
            processes.append(subprocess.Popen([*INGEST, str(directory)], env=environment()))

    processes: list[subprocess.Popen[bytes]] = []
    ingest(directory, on_document=another_process)
    assert [process.wait(60) for process in processes] == [0]
    assert [(document, text) for document, text, _ in indexed(directory)] == [("a.md", "New."), ("b.md", "New too.")]


def test_processes_that_ingest_at_once_end_with_the_right_index(write: Write) -> None:
    contents = {f"{n}.txt": f"Document {n}\n\nIt says {n}." for n in range(5)}
    one, two = write(contents, "one"), write(contents, "two")
    orders = [(one, two), (two, one), (one,)]
    processes = [subprocess.Popen([*INGEST, *map(str, order)], env=environment()) for order in orders]
    assert [process.wait(120) for process in processes] == [0] * 3
    for directory in (one, two):
        assert [(document, text) for document, text, _ in indexed(directory)] == sorted(contents.items())
        assert ingest(directory) == report(unchanged=5)
