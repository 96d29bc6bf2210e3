"""The tables that the command prints, and the figures of the last run."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.documents.corpus.building import HELD_OUT, OWN, WORKED
from bench.documents.results import Result, Row, read, summed
from bench.documents.targets import targets
from bench.workflow.page import FIGURES, table

ROOT = Path(__file__).parents[2]
BUILT = ROOT / "build" / "bench-documents.json"
KEPT = FIGURES / "documents.json"
# As the tables have them.
READERS = ("selfrag", "pypdf", "pdfplumber", "markitdown", "docling")
KINDS = (
    *("pdf by TeX", "pdf by LibreOffice", "pdf by FOP", "pdf by groff"),
    *("html", "md", "docx", "odt", "epub", "pptx", "xlsx"),
)
Rows = dict[str, list[Row]]


def rows_of(results: Sequence[Result]) -> Rows:
    """By the marks of the page: every kind of the bench's own files, their PDFs by language, and the public halves."""
    own = [result for result in results if result.part == OWN]
    of_pdf = [result for result in own if result.kind.startswith("pdf")]
    return {
        "kinds": _sorted(summed(own, lambda one: one.kind)),
        "languages": _sorted(summed(of_pdf, lambda one: f"pdf in {one.language}")),
        **{
            part: _sorted(summed([result for result in results if result.part == part], lambda one: one.kind))
            for part in (WORKED, HELD_OUT)
        },
    }


def tables_of(rows: Rows) -> dict[str, str]:
    """Return the tables of the page by their marks."""
    shown = {name: table([asdict(row) for row in found]) for name, found in rows.items()}
    return {**shown, "targets": table([asdict(one) for one in targets(rows["kinds"])])}


def shown(results: Sequence[Result], each: bool = False) -> str:
    """Return the tables for a terminal; with `each`, a table of the files as well."""
    tables = list(tables_of(rows_of(results)).values())
    if each:
        tables.insert(0, table([asdict(row) for row in summed(results, lambda one: one.file)]))
    return "\n".join(tables)


def publish() -> None:
    """Put the figures of the last run into bench/figures; figures that it did not measure stay."""
    about, results = read(BUILT)
    new = rows_of(results)
    _, old = kept_figures() if KEPT.exists() else ({}, {})
    for name, rows in new.items():
        again = {(row.kind, row.reader) for row in rows}
        new[name] = _sorted([*rows, *(row for row in old.get(name, []) if (row.kind, row.reader) not in again)])
    figures = {"about": about, **{name: [asdict(row) for row in rows] for name, rows in new.items()}}
    KEPT.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def kept_figures() -> tuple[dict[str, Any], Rows]:
    """Return the description of the page's figures, and their rows."""
    found = json.loads(KEPT.read_text(encoding="utf-8"))
    about = found.pop("about")
    return about, {name: [Row(**row) for row in rows] for name, rows in found.items()}


def _sorted(rows: Iterable[Row]) -> list[Row]:
    def place(row: Row) -> tuple[int, str, int]:
        kind = KINDS.index(row.kind) if row.kind in KINDS else len(KINDS)
        return kind, row.kind, READERS.index(row.reader)

    return sorted(rows, key=place)
