"""The tables, as the command prints them and docs/bench/workflow.md holds them, and the page's files."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.workflow.plot import drawn
from bench.workflow.rows import Row, read

ROOT = Path(__file__).parents[2]
# Where a run leaves its figures, and where those of the page are: the rows, and all else.
BUILT = ROOT / "build" / "bench.json", ROOT / "build" / "bench-more.json"
KEPT = ROOT / "docs" / "bench" / "rows.json", ROOT / "docs" / "bench" / "more.json"
PAGE, PICTURE = ROOT / "docs" / "bench" / "workflow.md", ROOT / "docs" / "bench" / "rows.svg"
_HEADINGS = {
    "floor_rounds": "at least",
    "model_seconds": "of the model",
    "waited_seconds": "of it refused",
    "input_tokens": "tokens in",
    "output_tokens": "tokens out",
    "usd": "USD per 1,000",
    "waste_usd": "of it waste",
    "standard_usd": "Standard, USD per 1,000",
    "express_usd": "Express, USD per 1,000",
    "never_read": "of these never read",
    "k": "top_k",
    "graders_usd": "of graders",
    "passed_on": "passed on to Claude",
}
_OF_ONE, _TINY = ("usd", "waste_usd", "graders_usd"), ("express_usd",)


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows with the same fields as a table in Markdown; the dollars of a question as those of a thousand."""
    if not rows:
        return ""
    words = [isinstance(value, str) for value in rows[0].values()]
    headings = [_HEADINGS.get(name, name.replace("_", " ")) for name in rows[0]]
    lines = [headings, ["---" if word else "---:" for word in words]]
    lines += [[_cell(name, value) for name, value in row.items()] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _cell(name: str, value: Any) -> str:
    if value is None:
        return ""
    if name in _OF_ONE:
        return f"{1000 * value:.2f}"
    if name in _TINY:
        return f"{value:.4f}"
    if isinstance(value, float):
        return f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def rows_table(rows: Sequence[Row]) -> str:
    """Return the rows as a table, with how many times the model's seconds a question took."""
    shown = []
    for row in rows:
        fields: dict[str, Any] = {}
        for name, value in vars(row).items():
            fields[name] = value
            if name == "model_seconds":
                fields["times"] = round(row.seconds / value, 2) if row.seconds and value else None
        shown.append(fields)
    return table(shown)


def filled(page: str, tables: Mapping[str, str]) -> str:
    """Return the page with each table between its marks, `<!-- name -->` and `<!-- /name -->`."""
    for name, text in tables.items():
        page = re.sub(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", rf"\1\n{text}\n\2", page, flags=re.S)
    return page


def tables_of(rows: Sequence[Row], more: Mapping[str, Any]) -> dict[str, str]:
    """Every table of the page by its mark."""
    return {"rows": rows_table(rows), **{name: table(found) for name, found in more.items()}}


def published() -> None:
    """Put the figures of the last run into docs/: the files, the tables of the page, and the picture."""
    for built, kept in zip(BUILT, KEPT, strict=True):
        kept.parent.mkdir(exist_ok=True)
        kept.write_bytes(built.read_bytes())
    rows, more = kept_figures()
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), tables_of(rows, more)), encoding="utf-8")
    PICTURE.write_text(drawn(rows), encoding="utf-8")


def kept_figures() -> tuple[list[Row], dict[str, Any]]:
    """Return the figures of the page: the rows, and the other tables by their names."""
    return read(KEPT[0]), json.loads(KEPT[1].read_text(encoding="utf-8"))
