"""A figure as SVG that stands in a page: its text is text, and takes the page's colours."""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib
from markupsafe import Markup, escape
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# Each is told from white and from black alike (3 to 1 and more), and no two variants have only the colour apart.
COLOURS = ("#2a7fc0", "#c2571a", "#00856f", "#9a6bd0", "#c94f7c", "#7d8590")
MARKERS = "osD^vX"
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    # A `$` in a name begins no formula.
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Helvetica", "Arial"],
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11,
    "legend.frameon": False,
}
# Groups are numbered anew in each figure, and an id may stand in a page once; what is referred to has another form.
_NUMBERED = re.compile(r' id="[\w.]+_\d+"')
_BLACK = "#000000"


def style(at: int) -> tuple[str, str]:
    """Return the colour and the marker of a variant, by its place; 36 differ."""
    return COLOURS[at % len(COLOURS)], MARKERS[(at + at // len(COLOURS)) % len(MARKERS)]


class Drawn:
    """The SVG of a figure, once it is drawn."""

    svg = Markup()


@contextmanager
def drawing(name: str, told: str, wide: int = 1, height: float = 3.4) -> Iterator[tuple[list[Axes], Drawn]]:
    """Give so many axes side by side to draw on; afterwards there is their SVG.

    `told` is what the figure shows, for who does not see it. The same figure gives the same text.
    """
    drawn = Drawn()
    with matplotlib.rc_context({**_STYLE, "svg.hashsalt": name}):
        figure = Figure(figsize=(9.6, height), layout="constrained")
        yield [figure.add_subplot(1, wide, at + 1) for at in range(wide)], drawn
        file = io.StringIO()
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(file, format="svg", transparent=True, metadata=nothing)
    drawn.svg = _in_a_page(file.getvalue(), told)


def _in_a_page(svg: str, told: str) -> Markup:
    """Return the SVG without the head of a file, and with its content in words."""
    inside = _NUMBERED.sub("", svg[svg.index("<svg") + len("<svg") :]).replace(_BLACK, "currentColor")
    return Markup('<svg role="img" aria-label="{}"').format(escape(told)) + Markup(inside)  # noqa: S704 (matplotlib's)
