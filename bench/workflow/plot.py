"""Rounds and dollars by scenario as an SVG; the same rows give the same bytes."""

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from bench.workflow.rows import Row
from bench.workflow.stories import SPECULATE

WIDTH, LABEL, BAR, GAP, TOP = 960, 262, 13, 12, 64
# Where the bars begin, and how long the longest is.
ROUNDS, DOLLARS, LONGEST = 274, 614, 270
STYLE = """
  text { font-family: Helvetica, Arial, sans-serif; font-size: 12px; fill: #1f2328; }
  .head { font-size: 14px; font-weight: bold; } .end { text-anchor: end; } .number { font-size: 10px; }
  rect.page { fill: #ffffff; } .off { fill: #8a929c; } .draft { fill: #2a7fc0; } .full { fill: #00856f; }
  .waste { fill: #ffffff; fill-opacity: 0.55; } .floor { stroke: #d1495b; stroke-width: 2; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; } rect.page { fill: #0d1117; } .waste { fill: #0d1117; }
  }
"""


def drawn(rows: Sequence[Row], profile: str = "balanced") -> str:
    """Return the text of the SVG: for each scenario of a profile a bar for each `speculate`."""
    shown = [row for row in rows if row.profile == profile]
    scenarios = dict.fromkeys(row.scenario for row in shown)
    blocks = [[row for row in shown if row.scenario == scenario] for scenario in scenarios]
    tops = [TOP + sum(len(block) * BAR + GAP for block in blocks[:number]) for number in range(len(blocks) + 1)]
    told = "; ".join(
        f"{row.scenario}, {row.speculate}: {row.rounds:g} rounds, {_usd(row):.2f} dollars" for row in shown
    )
    scales = LONGEST / max(row.rounds for row in shown), LONGEST / max(map(_usd, shown))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {tops[-1]}" role="img" '
            f'aria-label="{escape("; ".join(told))}.">',
            f"<style>{STYLE}</style>",
            _box("page", 0, 0, WIDTH, tops[-1]),
            *_legend(),
            *(line for top, block in zip(tops, blocks, strict=False) for line in _block(top, block, *scales)),
            "</svg>\n",
        ]
    )


def _usd(row: Row) -> float:
    return 1000 * row.usd


def _legend() -> Iterator[str]:
    yield _text(ROUNDS, 22, "Rounds", "head")
    yield _text(DOLLARS, 22, "Dollars for 1,000 questions", "head")
    yield _tick(ROUNDS, 37, 10)
    yield _text(ROUNDS + 8, 47, "the fewest that it could take")
    yield _text(DOLLARS, 47, "pale: asked ahead for nothing")
    for number, speculate in enumerate(SPECULATE):
        yield _box(speculate, 20 + 80 * number, 37, 12, 10)
        yield _text(37 + 80 * number, 47, speculate)


def _block(top: int, block: Sequence[Row], of_rounds: float, of_dollars: float) -> Iterator[str]:
    """Yield the bars of a scenario, side by side for rounds and for dollars."""
    yield _text(LABEL, top + len(block) * BAR // 2 + 4, block[0].scenario, "end")
    for number, row in enumerate(block):
        y = top + number * BAR
        yield from _bar(ROUNDS, y, row, row.rounds * of_rounds, f"{row.rounds:g}")
        yield _tick(ROUNDS + row.floor_rounds * of_rounds, y, BAR - 2)
        yield from _bar(DOLLARS, y, row, _usd(row) * of_dollars, f"{_usd(row):.2f}")
        if row.waste_usd:
            wasted = 1000 * row.waste_usd * of_dollars
            yield _box("waste", DOLLARS + _usd(row) * of_dollars - wasted, y, wasted, BAR - 2)


def _bar(x: float, y: float, row: Row, long: float, told: str) -> Iterator[str]:
    yield _box(row.speculate, x, y, long, BAR - 2)
    yield _text(x + long + 5, y + BAR - 4, told, "number")


def _box(kind: str, x: float, y: float, wide: float, high: float) -> str:
    return f'<rect class="{kind}" x="{x:.1f}" y="{y}" width="{wide:.1f}" height="{high}"/>'


def _tick(x: float, y: float, high: float) -> str:
    return f'<path class="floor" d="M{x:.1f} {y} v{high}"/>'


def _text(x: float, y: float, words: str, kind: str = "") -> str:
    return f'<text{f" class={chr(34)}{kind}{chr(34)}" if kind else ""} x="{x:.1f}" y="{y}">{escape(words)}</text>'
