"""The forecasts of `selfrag eval`: its cost in dollars, and the least difference that the questions can show."""

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from cli.lab.evaluation import Estimate


def tell_estimate(estimate: "Estimate") -> None:
    """Tell how many answers are left, and for how many dollars."""
    dollars = "an unknown number of dollars" if estimate.usd is None else f"about {estimate.usd:.2f} dollars"
    spent = f"; {estimate.spent:.2f} dollars are spent" if estimate.spent else ""
    typer.echo(f"selfrag: {estimate.left} of {estimate.total} answers to get, for {dollars}{spent}", err=True)


def tell_power(questions: int) -> None:
    """Tell which difference between two variants so many questions can show."""
    from cli.lab.metrics.power import DISCORDANT, least_difference

    least = least_difference(questions)
    shown = f"a difference of {100 * least:.3g} points" if least else "no difference"
    told = f"where {DISCORDANT:.0%} are answered right by one of two variants alone"
    typer.echo(f"selfrag: {questions} questions show {shown} in four runs of five, {told}", err=True)
