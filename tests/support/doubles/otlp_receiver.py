"""A receiver of OTLP over HTTP on loopback: it stores the spans that it is sent."""

import json
from http import HTTPStatus
from typing import Any

from werkzeug.wrappers import Request, Response

from tests.support.loopback import Loopback


class OtlpReceiver(Loopback):
    """`requests` are (headers, bytes) as they came; `status` is the status of the reply."""

    def __init__(self) -> None:
        super().__init__(self._receive)
        self.requests: list[tuple[dict[str, str], bytes]] = []
        self.status = HTTPStatus.OK

    @property
    def resources(self) -> list[dict[str, Any]]:
        """Return the spans' resources with their scopes, as they came."""
        return [resource for _, body in self.requests for resource in json.loads(body)["resourceSpans"]]

    @property
    def spans(self) -> list[dict[str, Any]]:
        return [span for resource in self.resources for scope in resource["scopeSpans"] for span in scope["spans"]]

    def _receive(self, request: Request) -> Response:
        assert (request.method, request.path) == ("POST", "/v1/traces")
        self.requests.append(({name.lower(): value for name, value in request.headers.items()}, request.get_data()))
        return Response(b"{}", self.status, content_type="application/json")


def attributes_of(holder: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes of a span or a resource, as Python has them."""
    return {attribute["key"]: _value(attribute["value"]) for attribute in holder["attributes"]}


def _value(value: dict[str, Any]) -> Any:
    if "arrayValue" in value:
        return [_value(each) for each in value["arrayValue"]["values"]]
    return int(value["intValue"]) if "intValue" in value else next(iter(value.values()))
