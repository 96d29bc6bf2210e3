"""Headers that say what pages of other origins may do with a reply (the Fetch standard)."""

from collections.abc import Collection

from selfrag.api.edge.gateway_event import GatewayEvent

EVERY = "*"
# The headers that a page may read and send, besides those that every page may.
EXPOSED = "Allow, ETag, Location, Retry-After, X-Request-Id"
SENT = "Authorization, Content-Type, Idempotency-Key, X-Api-Key, Mcp-Protocol-Version, Mcp-Method, Mcp-Name"
# Those of every reply. Pages of configured origins ask in the mode "cors", to which the policy does not apply.
SECURITY_HEADERS = {"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin"}
# The lifetime of a preflight's result, in seconds.
PREFLIGHT_SECONDS = "600"


def shown_to_pages(origin: str, is_preflight: bool, allow: str, origins: Collection[str]) -> dict[str, str]:
    """Return the CORS headers of a reply to a request from this origin; none if no origin is configured.

    `is_preflight` says that the request is a browser's preflight, `allow` is the reply's own `Allow`.
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
        "Access-Control-Max-Age": PREFLIGHT_SECONDS,
    }


def shown_in_reply(event: GatewayEvent, allow: str, origins: Collection[str]) -> dict[str, str]:
    """Return the CORS headers of a reply to a request of API Gateway, whose own `Allow` is `allow`."""
    headers = {name.lower(): str(value) for name, value in (event.get("headers") or {}).items()}
    is_preflight = event["httpMethod"] == "OPTIONS" and "access-control-request-method" in headers
    return shown_to_pages(headers.get("origin", ""), is_preflight, allow, origins)


def may_ask(origin: str, origins: Collection[str]) -> bool:
    """Return whether pages of an origin may call the API."""
    return bool(origin) and (origin in origins or EVERY in origins)
