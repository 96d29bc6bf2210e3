"""The table of rows as Markdown, as the command prints it and docs/bench.md holds it."""

from collections.abc import Sequence

from tests.bench.rows import Row

HEADINGS = (
    "Scenario",
    "Speculate",
    "Profile",
    "Status",
    "Calls",
    "Rounds",
    "At least",
    "Seconds",
    "Of the model",
    "Tokens in",
    "Tokens out",
    "USD per 1,000",
    "Of it waste",
)
_WORDS = 4  # columns


def table(rows: Sequence[Row]) -> str:
    """The rows as a table; dollars are for a thousand questions."""
    lines = [HEADINGS, ["---"] * _WORDS + ["---:"] * (len(HEADINGS) - _WORDS), *map(_cells, rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _cells(row: Row) -> list[str]:
    words = [row.scenario, row.speculate, row.profile, row.status]
    counts = [f"{count:g}" for count in (row.calls, row.rounds, row.floor_rounds)]
    seconds = ["" if value is None else f"{value:.2f}" for value in (row.seconds, row.model_seconds)]
    tokens = [f"{count:,.0f}" for count in (row.input_tokens, row.output_tokens)]
    return [*words, *counts, *seconds, *tokens, *(f"{1000 * usd:.2f}" for usd in (row.usd, row.waste_usd))]
