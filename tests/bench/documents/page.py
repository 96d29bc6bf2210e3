"""The tables, as the command prints them and docs/bench-documents.md holds them."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from tests.bench.documents.results import Result, read, summed
from tests.bench.page import filled, table

ROOT = Path(__file__).parents[3]
BUILT = ROOT / "build" / "bench-documents.json"
KEPT = ROOT / "docs" / "bench" / "documents.json"
PAGE = ROOT / "docs" / "bench-documents.md"


def shown(results: Sequence[Result], each: bool = False) -> str:
    """The tables for a terminal; with `each`, a table of the files as well."""
    tables = tables_of(results)
    if each:
        tables["files"] = table([asdict(row) for row in summed(results, lambda one: one.file)])
    return "\n".join(tables.values())


def tables_of(results: Sequence[Result]) -> dict[str, str]:
    """The tables by their marks: by kind of file, and by language."""
    return {
        "kinds": table([asdict(row) for row in summed(results, lambda one: one.kind)]),
        "languages": table([asdict(row) for row in summed(results, lambda one: one.language)]),
    }


def published() -> None:
    """Put the figures of the last run into docs/: the file, and the tables of the page."""
    KEPT.write_bytes(BUILT.read_bytes())
    _, results = read(KEPT)
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), tables_of(results)), encoding="utf-8")
