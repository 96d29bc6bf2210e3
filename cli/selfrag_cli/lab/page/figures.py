"""The figures of a report, each of its JSON values; None where there is nothing to be drawn."""

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup
from matplotlib.axes import Axes

from selfrag_cli.lab.metrics.pareto import front_of
from selfrag_cli.lab.page.drawing import COLOURS, drawing, style
from selfrag_cli.lab.report import Report
from selfrag_cli.lab.tables import figure, words

# From where to where a quality is drawn; all others are shares.
UTILITY, SHARE = (0.9, 5.1), (-0.03, 1.03)
GRADERS = {"relevance": "IsRel, passages", "support": "IsSup, answers", "utility": "IsUse, answers"}
BARS = 0.8


def cost_against_quality(report: Report) -> Markup | None:
    """Draw a point for each variant, the cost and the quality of its answers with 95% intervals, and the front."""
    front = report["front"] or front_of(report["variants"])
    if not front:
        return None
    price, quality = front["price"], front["quality"]
    points = {one["name"]: one for one in report["variants"] if {price, quality} <= one["intervals"].keys()}
    told = "; ".join(f"{name}: {_told(one, price)}, {_told(one, quality)}" for name, one in points.items())
    with drawing("cost", f"Cost against quality. {told}.") as ((axes,), drawn):
        for at, one in enumerate(points.values()):
            _point(axes, one, price, quality, at)
        best = [points[name]["measures"] for name in front["variants"] if name in points]
        axes.plot([one[price] for one in best], [one[quality] for one in best], "--", color=COLOURS[-1], zorder=0)
        ylim = UTILITY if quality == "utility" else SHARE
        axes.set(xlabel=f"{words(price)} a question", ylabel=f"{words(quality)}, mean", ylim=ylim)
        axes.set_xlim(left=0)
        axes.figure.legend(loc="outside right upper")
    return drawn.svg


def distributions(report: Report) -> Markup:
    """Draw the shares of each verdict among all that a variant's graders gave."""
    variants = report["variants"]
    told = "How often each verdict was given, as a share; the table below has the counts."
    with drawing("distributions", told, wide=len(GRADERS), height=3.8) as (each, drawn):
        for axes, (grader, title) in zip(each, GRADERS.items(), strict=True):
            labels = list(dict.fromkeys(label for one in variants for label in one["distributions"][grader]))
            rows = [_shares(one["distributions"][grader], labels) for one in variants]
            _bars(axes, labels, [one["name"] for one in variants], rows)
            axes.set_title(title)
        each[0].set_ylabel("share")
        each[0].legend()
    return drawn.svg


def _told(variant: dict[str, Any], name: str) -> str:
    low, high = variant["intervals"][name]
    return f"{words(name)} {figure(variant['measures'][name])} ({figure(low)} to {figure(high)})"


def _point(axes: Axes, variant: dict[str, Any], price: str, quality: str, at: int) -> None:
    colour, marker = style(at)
    x, y = (variant["measures"][name] for name in (price, quality))
    # A percentile's end may lie beyond the mean by a rounding error.
    x_gaps, y_gaps = (
        [[max(0.0, value - ends[0])], [max(0.0, ends[1] - value)]]
        for value, ends in ((x, variant["intervals"][price]), (y, variant["intervals"][quality]))
    )
    axes.errorbar([x], [y], xerr=x_gaps, yerr=y_gaps, fmt=marker, color=colour, capsize=3, label=variant["name"])


def _bars(axes: Axes, labels: Sequence[str], names: Sequence[str], rows: Sequence[Sequence[float]]) -> None:
    """Draw a group of bars for each label, in it a bar for each name."""
    width = BARS / len(names)
    for at, (name, row) in enumerate(zip(names, rows, strict=True)):
        places = [place + (at + 0.5) * width - BARS / 2 for place in range(len(labels))]
        axes.bar(places, row, width=width, color=style(at)[0], label=name)
    axes.set_xticks(
        range(len(labels)), [words(label) for label in labels], rotation=45, rotation_mode="anchor", ha="right"
    )


def _shares(counts: dict[str, int], labels: Sequence[str]) -> list[float]:
    whole = sum(counts.values()) or 1
    return [counts.get(label, 0) / whole for label in labels]
