"""The Pareto front of variants: those that no other one beats in quality and price at once."""

from collections.abc import Mapping, Sequence
from typing import Any

# What quality is, and what its price, in the order in which they are looked for.
QUALITY, PRICE = ("correct", "match", "utility"), ("usd", "model_calls")


def front_of(variants: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return by which measures variants are held against each other, and the names of the front, the cheapest first.

    Where nothing was paid, model calls are the price. None where nothing is known of one of the two.
    """
    known = [one["measures"] for one in variants]
    quality = next((name for name in QUALITY if any(one.get(name) is not None for one in known)), None)
    price = next((name for name in PRICE if any(one.get(name) for one in known)), None)
    if not quality or not price:
        return None
    points = {
        one["name"]: (one["measures"][price], -one["measures"][quality])
        for one in variants
        if one["measures"][price] is not None and one["measures"][quality] is not None
    }
    front = [name for name, point in points.items() if not any(_beats(other, point) for other in points.values())]
    return {"quality": quality, "price": price, "variants": sorted(front, key=lambda name: points[name])}


def _beats(other: tuple[float, float], point: tuple[float, float]) -> bool:
    return other != point and other[0] <= point[0] and other[1] <= point[1]
