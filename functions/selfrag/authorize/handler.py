"""The Lambda that reads a caller's API key from either header, for API Gateway, which itself reads `x-api-key` alone.

It starts without any library, and decides nothing: the usage plan of the key does. A request without a key is refused.
"""

from collections.abc import Mapping
from typing import Any

# API Gateway wants a principal. Callers are the ids of their keys, so that this one is nobody.
PRINCIPAL = "api-key"


def key_of(headers: Mapping[str, str]) -> str:
    """Return the key of `x-api-key`, else that of `Authorization: Bearer KEY`, else ""."""
    values = {name.lower(): value for name, value in headers.items()}
    scheme, _, key = values.get("authorization", "").partition(" ")
    return values.get("x-api-key") or (key.strip() if scheme.lower() == "bearer" else "")


def handler(event: Mapping[str, Any], context: object) -> dict[str, Any]:
    """Return the key of a request as the one to check; no principal, because the key's id is the caller."""
    key = key_of(event.get("headers") or {})
    if not key:
        raise Exception("Unauthorized")  # API Gateway's word for 401
    statement = {"Effect": "Allow", "Action": "execute-api:Invoke", "Resource": event["methodArn"]}
    policy = {"Version": "2012-10-17", "Statement": [statement]}
    return {"principalId": PRINCIPAL, "policyDocument": policy, "usageIdentifierKey": key}
