"""Marks for the service's prompt cache, and their time to live.

A marked prompt costs more when it is written and much less when it is read. So it is marked only if it will probably be
read before it expires: if the deployment's own recent calls often came soon enough after each other.
"""

from collections.abc import Sequence
from typing import Any, Literal

from selfrag.domain.calls import WRITE_FACTORS, Prices

Life = Literal["5m", "1h"]

LIFE_SECONDS: dict[Life, float] = {"5m": 300.0, "1h": 3600.0}
# The clocks of two machines differ, and a call takes time: one in the last moments may come too late.
SURE = 0.95
# A cache read's share of the input price where no price is known.
USUAL_READ = 0.1
# The shortest prompt that is cached, in tokens; the service ignores a shorter one's mark. Longest matching name first.
SMALLEST_CACHEABLE = {
    "claude-haiku-5-5": 512,
    "claude-sonnet-5-5": 512,
    "claude-opus-5-5": 512,
    "claude-haiku-4-5": 4096,
    "claude-sonnet-4-6": 1024,
}
_SMALLEST = 1024
# Bytes of English for a token of a current model.
_BYTES_PER_TOKEN = 3


def mark_for(
    prompt: str, model: str, intervals: Sequence[float], price: Prices | None, *, hour: bool = True
) -> dict[str, Any] | None:
    """Return the `cache_control` of a prompt, by the seconds between its last calls; None if a mark does not pay.

    Without `hour` the model keeps a prompt for five minutes only.
    """
    smallest = next((tokens for name, tokens in SMALLEST_CACHEABLE.items() if name in model), _SMALLEST)
    if len(prompt.encode()) < smallest * _BYTES_PER_TOKEN:
        return None
    life = cheapest_life(intervals, price[2] / price[0] if price else USUAL_READ)
    if life == "1h" and not hour:
        return None
    return None if life is None else {"type": "ephemeral"} if life == "5m" else {"type": "ephemeral", "ttl": life}


def cheapest_life(intervals: Sequence[float], read: float) -> Life | None:
    """Return the time to live for which a prompt costs least, None for no mark.

    `read` is the price of a cache read in times of the input price. An interval shorter than a life counts as a read, a
    longer one as a write. Of two equal costs the shorter life wins, and no mark before any. Without intervals there is
    no mark.
    """
    if not intervals:
        return None
    costs: dict[Life | None, float] = {None: 1.0}
    for life, seconds in LIFE_SECONDS.items():
        reads = sum(interval < SURE * seconds for interval in intervals) / len(intervals)
        costs[life] = reads * read + (1 - reads) * WRITE_FACTORS[life]
    return min(costs, key=lambda life: costs[life])
