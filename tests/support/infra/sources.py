"""Sources of two releases that do not understand each other, and whose steps say which of them they are of."""

import shutil
from pathlib import Path

from infra.packages.zips import write_zip
from tests.support.cold_start import packed
from tests.support.infra.tools import ROOT, emulator_python, needed

DEADLINE_SECONDS = 1200
FIRST, SECOND = "by the first release", "by the second release"
# Fields that one step hands to another and that the second release calls otherwise: the score of a passage, which
# Retrieve hands to GradeRelevance and Generate, and where vectors lie, which EmbedPassages hands to IndexPassages.
_HANDED_ON = ("vectors_key", "vectors_at")
_RENAMED = {
    "functions/selfrag/domain/passages.py": ("    score: float", "    fused: float"),
    "functions/selfrag/retrieval/search.py": ("score=round", "fused=round"),
    "functions/selfrag/question/search_web/logic.py": ('"score": hit', '"fused": hit'),
    "functions/selfrag/ingestion/split_document/logic.py": ('{"score"}', '{"fused"}'),
    "functions/selfrag/ingestion/embed_passages/logic.py": _HANDED_ON,
    "functions/selfrag/ingestion/index_passages/logic.py": _HANDED_ON,
}
# The emulator starts a function in seconds, and many at once on a busy machine in a minute: a step may take longer.
_PATIENT = {
    "../functions/selfrag/workflows/question.asl.yaml": (
        ("$min([${step_seconds},", "$min([300,"),
        ("$max([3, $min([10,", "$max([60, $min([300,"),
        ("TimeoutSeconds: 10\n", "TimeoutSeconds: 300\n"),
        ("TimeoutSeconds: 300\n\n# Common parts", "TimeoutSeconds: 3000\n\n# Common parts"),
    ),
    "../functions/selfrag/workflows/ingestion.asl.yaml": (("TimeoutSeconds: 30", "TimeoutSeconds: 300"),),
    "steps.tf": (("timeout     = 10", "timeout     = 300"), ("timeout = 30", "timeout = 300")),
}
_WRAPPER = "functions/selfrag/runtime/observability.py"
_INDENT = 16 * " "
_DONE = f"{_INDENT}count_calls(result.calls, prices())\n"


def sources(directory: Path) -> Path:
    """Return a copy of the sources whose steps add to their warnings that they are of the first release."""
    shutil.copytree(ROOT / "functions", directory / "functions", ignore=shutil.ignore_patterns("__pycache__"))
    _replace(directory / "functions/selfrag/domain/policy.py", "SECONDS = 240.0", f"SECONDS = {DEADLINE_SECONDS}")
    _replace(directory / _WRAPPER, _DONE, f'{_DONE}{_INDENT}result.warnings.append("{FIRST}")\n')
    return directory


def patient(infra: Path) -> None:
    """Give the steps of a copy of infra/ more time."""
    for file, pairs in _PATIENT.items():
        for old, new in pairs:
            _replace(infra / file, old, new)


def change(sources: Path, infra: Path) -> None:
    """Make the sources, and a copy of infra/, those of the second release."""
    _replace(sources / _WRAPPER, FIRST, SECOND)
    for file, (old, new) in _RENAMED.items():
        _replace(sources / file, old, new)
    _replace(infra / "../functions/selfrag/workflows/ingestion.asl.yaml", *_HANDED_ON)


def packages_of(sources: Path, out: Path) -> Path:
    """Return the packages of these sources, for this machine's processor and Python."""
    libraries = ROOT / "build" / "libraries" / "host"
    needed(libraries, "nothing in build/libraries/host: make .venv/.test")
    # Two dozen functions start there, so bytecode is included.
    for part, files in packed(sources / "functions", libraries, emulator_python()):
        write_zip(out / f"{part}.zip", files)
    return out


def _replace(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text, f"{file.name} has no {old!r}"
    file.write_text(text.replace(old, new), encoding="utf-8")
