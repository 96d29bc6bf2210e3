"""The measured precision of a full verdict of IsSup, for a person."""

from rich.markup import escape

from selfrag.domain.verdicts import Precision


def in_short(precision: Precision) -> str:
    """Return in half a line how many answers of such a verdict people called supported."""
    return f"{precision.share:.0%} of such answers held, n = {precision.n:,}"


def in_full(precision: Precision | None) -> str:
    """Return the same with its interval, set and day as markup; "" if nothing is known."""
    if precision is None:
        return ""
    interval = f"{precision.low:.0%} to {precision.high:.0%}"
    return escape(f"{in_short(precision)} ({interval}; {precision.set}, {precision.day})")
