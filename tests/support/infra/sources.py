"""Sources of two releases that do not understand each other, and whose steps say which of them they are of."""

import shutil
import sys
from pathlib import Path

from tests.support.infra.tools import ROOT, needed, run

FIRST, SECOND = "by the first release", "by the second release"
# Fields that one step hands to another and that the second release calls otherwise: the score of a passage, which
# Retrieve hands to GradeRelevance and Generate, and where vectors lie, which EmbedPassages hands to IndexPassages.
_RENAMED = {
    "functions/selfrag/domain/passages.py": ("    score: float", "    fused: float"),
    "functions/selfrag/ports/index.py": ('{"score":', '{"fused":'),
    "functions/question/search_web/logic.py": ("score=hit", "fused=hit"),
    "functions/ingestion/split_document/logic.py": ('{"score"}', '{"fused"}'),
    "functions/ingestion/embed_passages/logic.py": ("vectors_key", "vectors_at"),
    "functions/ingestion/index_passages/logic.py": ("vectors_key", "vectors_at"),
    "infra/workflows/ingestion.asl.yaml": ("vectors_key", "vectors_at"),
}
_WRAPPER = "functions/selfrag/runtime/observability.py"
_DONE = "                count_calls(result.calls, prices())\n"


def sources(directory: Path) -> Path:
    """A copy of the sources whose steps add to their warnings that they are of the first release."""
    for folder in ("functions", "infra/packages", "infra/workflows"):
        shutil.copytree(ROOT / folder, directory / folder, ignore=shutil.ignore_patterns("__pycache__"))
    _replace(directory / _WRAPPER, _DONE, f'{_DONE}                result.warnings.append("{FIRST}")\n')
    return directory


def change(sources: Path) -> None:
    """Make them those of the second release."""
    _replace(sources / _WRAPPER, FIRST, SECOND)
    for file, (old, new) in _RENAMED.items():
        _replace(sources / file, old, new)


def packages_of(sources: Path, out: Path) -> Path:
    """The packages of these sources, for this machine's processor and Python."""
    libraries = ROOT / "build" / "libraries" / "host"
    needed(libraries, "nothing in build/libraries/host: make .venv/.test")
    command = ["-m", "infra.packages.package", "--libraries", str(libraries), "--out", str(out)]
    run([sys.executable, *command], sources, env={})
    return out


def _replace(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text, f"{file.name} has no {old!r}"
    file.write_text(text.replace(old, new), encoding="utf-8")
