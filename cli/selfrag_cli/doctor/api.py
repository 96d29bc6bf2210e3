"""The deployment's API, called with its key or with signed requests."""

import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any, TypedDict

import httpx2
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest

from selfrag.adapters.outbound import http_client_for, unreachable

# API Gateway itself gives up after 29 s.
TIMEOUT_SECONDS = 35


class UploadAddress(TypedDict):
    """The request that puts a file into the bucket, as POST /v1/documents gives it."""

    method: str
    url: str
    headers: dict[str, str]


class Api:
    """The API at an endpoint; `key` is sent as x-api-key, else `credentials` sign for `region`."""

    def __init__(self, endpoint: str, key: str = "", credentials: Any = None, region: str = "") -> None:
        self.endpoint = endpoint.rstrip("/")
        self._key, self._credentials, self._region = key, credentials, region

    @cached_property
    def _client(self) -> httpx2.Client:
        return http_client_for(self.endpoint)

    @property
    def origin(self) -> str:
        """Return the origin of the API's page: scheme and host."""
        return "/".join(self.endpoint.split("/")[:3])

    def get(self, path: str) -> httpx2.Response:
        """Send GET to a path below the endpoint, such as /v1/documents."""
        return self._send("GET", path)

    def post(self, path: str, body: Mapping[str, object]) -> httpx2.Response:
        """Send JSON by POST."""
        return self._send("POST", path, json.dumps(body))

    def upload(self, target: UploadAddress, content: str) -> httpx2.Response:
        """Send a file to the address that POST /v1/documents gave, as the API's own page would."""
        url, headers = target["url"], {**target["headers"], "origin": self.origin}
        with http_client_for(url) as client:
            try:
                return client.request(
                    target["method"], url, content=content.encode(), headers=headers, timeout=TIMEOUT_SECONDS
                )
            except httpx2.HTTPError as error:
                raise unreachable(error, url) from error

    def _send(self, method: str, path: str, body: str = "") -> httpx2.Response:
        # The location of a question has the stage before it, as the endpoint has.
        url = self.endpoint + path[path.index("/v1/") :]
        headers = {"content-type": "application/json"} if body else {}
        headers |= self._signed(method, url, body, headers)
        try:
            return self._client.request(method, url, content=body or None, headers=headers, timeout=TIMEOUT_SECONDS)
        except httpx2.HTTPError as error:
            raise unreachable(error, url) from error

    def _signed(self, method: str, url: str, body: str, headers: dict[str, str]) -> dict[str, str]:
        if self._key:
            return {"x-api-key": self._key}
        if self._credentials is None:
            return {}
        request = AWSRequest(method=method, url=url, data=body, headers=headers)
        SigV4Auth(self._credentials, "execute-api", self._region).add_auth(request)
        return dict(request.headers)


def body_of(reply: httpx2.Response) -> dict[str, object]:
    """Return the JSON object of a reply that succeeded; {} for any other reply."""
    return _json(reply) if reply.is_success else {}


def reason_of(reply: httpx2.Response) -> str:
    """Return a reply's status and, of a problem, its own words."""
    words = [str(value) for name in ("detail", "message", "status", "answer") if (value := _json(reply).get(name))]
    return " ".join([f"status {reply.status_code}.", *words[:2]])


def _json(reply: httpx2.Response) -> dict[str, object]:
    try:
        body = reply.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
