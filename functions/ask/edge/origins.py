"""What lets pages of other origins use the deployed API: headers for those that the deployment names (Fetch, CORS)."""

from collections.abc import Collection
from typing import Any

EVERY = "*"
# What a page may read of a reply, and send with a request, beside what every page may.
EXPOSED = "Allow, ETag, Location, Retry-After, X-Request-Id"
SENT = "Content-Type, Idempotency-Key, X-Api-Key"
# How long a browser need not ask again, in seconds.
ASKED_AGAIN_AFTER = "600"


def shown_to_pages(event: dict[str, Any], replied: dict[str, Any], origins: Collection[str]) -> dict[str, list[str]]:
    """The headers, by name, that a Lambda's reply needs beside its own; none for a page of no named origin."""
    if not origins:
        return {}
    varies: dict[str, list[str]] = {} if EVERY in origins else {"Vary": ["Origin"]}
    given = {name.lower(): str(value) for name, value in (event.get("headers") or {}).items()}
    origin = given.get("origin", "")
    if not origin or not {origin, EVERY} & set(origins):
        return varies
    may = varies | {"Access-Control-Allow-Origin": [EVERY if EVERY in origins else origin]}
    if event["httpMethod"] != "OPTIONS" or "access-control-request-method" not in given:
        return may | {"Access-Control-Expose-Headers": [EXPOSED]}
    return may | {
        "Access-Control-Allow-Methods": replied["multiValueHeaders"].get("Allow", []),
        "Access-Control-Allow-Headers": [SENT],
        "Access-Control-Max-Age": [ASKED_AGAIN_AFTER],
    }
