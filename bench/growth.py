"""The longest time of a regular expression for a megabyte of its worst text."""

import sys

from tests.support.growth import BOUNDS, expressions, seconds_at

SIZE = 1_000_000


def run() -> None:
    """Print how many expressions there are, and the ten that take longest."""
    found = [one for one in expressions() if str(one) not in BOUNDS]
    took = sorted(((*seconds_at(one, SIZE), str(one)) for one in found), reverse=True)
    sys.stdout.write(f"{len(found)} expressions, {SIZE:,} characters each\n")
    for seconds, text, name in took[:10]:
        sys.stdout.write(f"{seconds:8.3f} s  {name}  {text[:30]!r}\n")
