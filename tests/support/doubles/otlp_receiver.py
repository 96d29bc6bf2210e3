"""A receiver of OTLP over HTTP on loopback: it keeps the spans that it is sent."""

import base64
import json
import re
from http import HTTPStatus
from typing import Any

from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from werkzeug.wrappers import Request, Response

from tests.support.loopback import Loopback


class OtlpReceiver(Loopback):
    """`requests` are what was sent, as (headers, bytes); `status` is what it replies."""

    def __init__(self) -> None:
        super().__init__(self._receive)
        self.requests: list[tuple[dict[str, str], bytes]] = []
        self.status = HTTPStatus.OK

    @property
    def resources(self) -> list[Any]:
        """Return the spans' resources with their scopes, as they came."""
        sent = [_parsed(*request) for request in self.requests]
        return [resource for request in sent for resource in request.resource_spans]

    @property
    def spans(self) -> list[Any]:
        return [span for resource in self.resources for scope in resource.scope_spans for span in scope.spans]

    def _receive(self, request: Request) -> Response:
        assert (request.method, request.path) == ("POST", "/v1/traces")
        self.requests.append(({name.lower(): value for name, value in request.headers.items()}, request.get_data()))
        return Response(b"", self.status, {"Content-Type": "application/x-protobuf"})


def _parsed(headers: dict[str, str], body: bytes) -> ExportTraceServiceRequest:
    if headers["content-type"] != "application/json":
        return ExportTraceServiceRequest.FromString(body)
    # OTLP's JSON has ids as hexadecimal digits, where protobuf's own has them in base64.
    told = re.sub(rb'("(?:trace|span|parentSpan)Id": ?")([0-9a-f]*)"', lambda found: found[1] + _base64(found[2]), body)
    return ParseDict(json.loads(told), ExportTraceServiceRequest())


def _base64(digits: bytes) -> bytes:
    return base64.b64encode(bytes.fromhex(digits.decode())) + b'"'


def attributes_of(holder: Any) -> dict[str, Any]:
    """Return the attributes of a span or a resource, as Python has them."""
    return {each.key: _value(each.value) for each in holder.attributes}


def _value(value: AnyValue) -> Any:
    kind = value.WhichOneof("value")
    return [_value(each) for each in value.array_value.values] if kind == "array_value" else getattr(value, str(kind))
