"""What lets pages of other origins use the API: headers for those that are named (the Fetch standard's CORS)."""

from collections.abc import Collection

EVERY = "*"
# What a page may read of a reply, and send with a request, beside what every page may.
EXPOSED = "Allow, ETag, Location, Retry-After, X-Request-Id"
SENT = "Content-Type, Idempotency-Key, X-Api-Key"
# How long a browser need not ask again, in seconds.
ASKED_AGAIN_AFTER = "600"


def shown_to_pages(origin: str, is_preflight: bool, allow: str, origins: Collection[str]) -> dict[str, str]:
    """The headers that a reply needs beside its own, for a request of this origin; none if no origin is named.

    `is_preflight` is of a browser that wants to know whether it may ask at all, `allow` the reply's own `Allow`.
    """
    if not origins:
        return {}
    varies = {} if EVERY in origins else {"Vary": "Origin"}
    if not may_ask(origin, origins):
        return varies
    may = varies | {"Access-Control-Allow-Origin": EVERY if EVERY in origins else origin}
    if not is_preflight:
        return may | {"Access-Control-Expose-Headers": EXPOSED}
    return may | {
        "Access-Control-Allow-Methods": allow,
        "Access-Control-Allow-Headers": SENT,
        "Access-Control-Max-Age": ASKED_AGAIN_AFTER,
    }


def may_ask(origin: str, origins: Collection[str]) -> bool:
    """Whether pages of an origin are among those that are named."""
    return bool(origin) and (origin in origins or EVERY in origins)
