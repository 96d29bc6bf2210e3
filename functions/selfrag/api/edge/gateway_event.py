"""The event of API Gateway (REST, Lambda proxy), with the fields that are read here."""

from typing import NotRequired, TypedDict


class Identity(TypedDict, total=False):
    """The caller that API Gateway authenticated, by an API key or by IAM."""

    apiKeyId: str | None
    userArn: str | None


class Authorizer(TypedDict, total=False):
    """The reply of a Lambda authorizer."""

    principalId: str | None


class RequestContext(TypedDict, total=False):
    """The circumstances of a request; its time is in milliseconds since the epoch."""

    requestId: str
    path: str
    requestTimeEpoch: int
    identity: Identity | None
    authorizer: Authorizer | None


class GatewayEvent(TypedDict):
    """A request."""

    httpMethod: str
    path: str
    headers: NotRequired[dict[str, str] | None]
    queryStringParameters: NotRequired[dict[str, str] | None]
    body: NotRequired[str | None]
    isBase64Encoded: NotRequired[bool]
    requestContext: NotRequired[RequestContext]
