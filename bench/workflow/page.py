"""The tables that the command prints, and the figures of the last run."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.workflow.rows import Row

ROOT = Path(__file__).parents[2]
# A run leaves its figures here, the rows and all else; `publish` copies them.
BUILT = ROOT / "build" / "bench.json", ROOT / "build" / "bench-more.json"
FIGURES = ROOT / "bench" / "figures"
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


def publish() -> None:
    """Copy the figures of the last run to bench/figures."""
    for built, name in zip(BUILT, ("rows.json", "more.json"), strict=True):
        (FIGURES / name).write_bytes(built.read_bytes())
