"""The event of API Gateway (REST, Lambda proxy), with the fields that are read here."""

import re
from typing import NotRequired, TypedDict

EVENT_STREAM = "text/event-stream"
_REFUSED = re.compile(r";q=0(?:\.0*)?(?:;|$)")


class RequestContext(TypedDict, total=False):
    """The circumstances of a request; its time is in milliseconds since the epoch.

    `identity` is the caller that API Gateway authenticated, by an API key (`apiKeyId`) or by IAM (`userArn`), and
    `authorizer` the reply of a Lambda authorizer, with its `principalId`. `streamed` is set by the encoder of the
    question's events, never by API Gateway.
    """

    requestId: str
    path: str
    requestTimeEpoch: int
    identity: dict[str, str | None] | None
    authorizer: dict[str, str | None] | None
    streamed: bool


class GatewayEvent(TypedDict):
    """A request."""

    httpMethod: str
    path: str
    headers: NotRequired[dict[str, str] | None]
    multiValueHeaders: NotRequired[dict[str, list[str]] | None]
    queryStringParameters: NotRequired[dict[str, str] | None]
    body: NotRequired[str | None]
    isBase64Encoded: NotRequired[bool]
    requestContext: NotRequired[RequestContext]


def accepts_events(event: GatewayEvent) -> bool:
    """Return whether a request asks a question and takes events: a client that also takes JSON gets JSON."""
    # `headers` has the last of several values alone.
    values = {name.lower(): str(value) for name, value in (event.get("headers") or {}).items()}
    values |= {name.lower(): ",".join(own) for name, own in (event.get("multiValueHeaders") or {}).items()}
    kinds = [kind.replace(" ", "").lower() for kind in values.get("accept", "").split(",")]
    accepted = {kind.partition(";")[0] for kind in kinds if not _REFUSED.search(kind)}
    takes_events = EVENT_STREAM in accepted and "application/json" not in accepted
    return takes_events and event["path"].rstrip("/") == "/v1/ask"
