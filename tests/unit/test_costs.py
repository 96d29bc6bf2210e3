"""docs/costs.md adds up, and its prices of Claude are those that the responses are priced with."""

import re
from decimal import Decimal
from pathlib import Path

import pytest

from selfrag.profiles import PRICES

PAGE = (Path(__file__).parents[2] / "docs" / "costs.md").read_text(encoding="utf-8")
TABLES = re.findall(r"## ([^\n]+)\n(.*?)\*\*Total\*\* \| \| \| \*\*([\d.]+)\*\*", PAGE, re.S)
ROW = re.compile(r"^\| ([^|*]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", re.M)


@pytest.mark.parametrize(("heading", "table", "total"), TABLES, ids=[heading for heading, _, _ in TABLES])
def test_each_row_is_price_times_quantity_and_the_total_is_their_sum(heading: str, table: str, total: str) -> None:
    rows = ROW.findall(table)
    assert len(rows) >= 4
    for what, price, quantity, cost in rows:
        assert abs(Decimal(price) * Decimal(quantity) - Decimal(cost)) <= Decimal("0.005"), what
    assert sum(Decimal(cost) for *_, cost in rows) == Decimal(total)


@pytest.mark.parametrize(
    ("name", "model"), [("Claude Haiku 5.5", "claude-haiku-5-5"), ("Claude Sonnet 5.5", "claude-sonnet-5-5")]
)
def test_the_prices_of_claude_are_those_of_the_responses(name: str, model: str) -> None:
    prices = [float(price) for what, price, _, _ in ROW.findall(PAGE) if what.startswith(name)]
    assert prices == list(PRICES[model][:2])


def test_both_tables_are_there() -> None:
    assert len(TABLES) == 2
