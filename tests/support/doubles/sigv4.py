"""AWS Signature Version 4 as a service checks it: the signature is recomputed from the received request."""

import hashlib
import re
import time
from calendar import timegm
from collections.abc import Mapping

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

_FORM = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(?P<key>[^/]+)/(?P<date>\d{8})/(?P<region>[^/]+)/(?P<service>[^/]+)/aws4_request, ?"
    r"SignedHeaders=(?P<signed>[a-z0-9;-]+), ?Signature=(?P<signature>[0-9a-f]{64})"
)
_CONTENT = "x-amz-content-sha256"
_MUST_BE_SIGNED = {"host", "x-amz-date", _CONTENT}
# A load balancer changes these on the way, and the collection does not take Content-Length as a signed header.
_MUST_NOT_BE_SIGNED = {"connection", "keep-alive", "transfer-encoding", "content-length"}
_CLOCK_SKEW_SECONDS = 300


class BadSignature(Exception):
    """Why a request is not let in."""


def verify(
    method: str,
    url: str,
    headers: Mapping[str, str],
    body: bytes,
    *,
    keys: Mapping[str, str],
    region: str,
    service: str,
) -> str:
    """Return the access key that signed this request; raises BadSignature unless `keys` has it, secret by key."""
    parts = _FORM.fullmatch(headers.get("authorization", ""))
    if parts is None:
        raise BadSignature("Missing Authentication Token")
    if (parts["region"], parts["service"]) != (region, service):
        raise BadSignature(f"Credential should be scoped to {region}/{service}")
    if parts["key"] not in keys:
        raise BadSignature("The security token included in the request is invalid.")
    signed = set(parts["signed"].split(";"))
    if not signed >= _MUST_BE_SIGNED or signed & _MUST_NOT_BE_SIGNED:
        raise BadSignature("The signed headers are not the ones that must be signed.")
    if headers.get(_CONTENT) != hashlib.sha256(body).hexdigest():
        raise BadSignature("The provided x-amz-content-sha256 header does not match what was computed.")
    stamp = headers["x-amz-date"]
    if abs(timegm(time.strptime(stamp, "%Y%m%dT%H%M%SZ")) - time.time()) > _CLOCK_SKEW_SECONDS:
        raise BadSignature("Signature expired")
    request = AWSRequest(method, url, {name: headers[name] for name in signed}, body)
    request.context["timestamp"] = stamp
    auth = SigV4Auth(Credentials(parts["key"], keys[parts["key"]]), service, region)
    if auth.signature(auth.string_to_sign(request, auth.canonical_request(request)), request) != parts["signature"]:
        raise BadSignature("The request signature we calculated does not match the signature you provided.")
    return parts["key"]
