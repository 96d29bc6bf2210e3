"""A loopback receiver of OTLP over HTTP and of Langfuse's scores: it stores requests parsed by their schema."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any, Literal

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from werkzeug.exceptions import BadRequest, NotFound
from werkzeug.wrappers import Request, Response

from tests.support.loopback import Loopback


class Score(BaseModel):
    """CreateScoreRequest of Langfuse's API (fern/apis/server/definition/scores.yml), of a score of an observation."""

    model_config = ConfigDict(extra="forbid", strict=True)

    id: str
    traceId: str
    observationId: str
    name: str
    value: float | str
    dataType: Literal["NUMERIC", "CATEGORICAL"]
    comment: str | None = None
    metadata: dict[str, Any]

    @model_validator(mode="after")
    def _typed(self) -> "Score":
        assert isinstance(self.value, str) == (self.dataType == "CATEGORICAL")
        return self


class OtlpReceiver(Loopback):
    """`requests` are (path, headers, bytes) as they came; `status` is the status of the reply to each."""

    def __init__(self) -> None:
        super().__init__(self._receive)
        self.requests: list[tuple[str, dict[str, str], bytes]] = []
        self.scores: dict[str, Score] = {}
        self.status = HTTPStatus.OK

    @property
    def spans(self) -> list[dict[str, Any]]:
        """Return the spans with ids in hex digits, times in nanoseconds and attributes as Python has them."""
        read = [ExportTraceServiceRequest.FromString(body) for body in self._bodies("/v1/traces")]
        every = [span for each in read for resource in each.resource_spans for span in resource.scope_spans[0].spans]
        return [
            {
                "trace": span.trace_id.hex(),
                "id": span.span_id.hex(),
                "parent": span.parent_span_id.hex(),
                "name": span.name,
                "start": span.start_time_unix_nano,
                "end": span.end_time_unix_nano,
                "attributes": _attributes(span.attributes),
            }
            for span in every
        ]

    @property
    def events(self) -> list[dict[str, Any]]:
        """Return the log records: their event, the ids of trace and span, and their attributes."""
        read = [ExportLogsServiceRequest.FromString(body) for body in self._bodies("/v1/logs")]
        every = [log for each in read for resource in each.resource_logs for log in resource.scope_logs[0].log_records]
        return [
            {
                "name": log.event_name,
                "trace": log.trace_id.hex(),
                "span": log.span_id.hex(),
                "attributes": _attributes(log.attributes),
            }
            for log in every
        ]

    def _bodies(self, path: str) -> list[bytes]:
        return [body for sent_to, _, body in self.requests if sent_to.endswith(path)]

    def _receive(self, request: Request) -> Response:
        assert request.method == "POST"
        body, path = request.get_data(), request.path
        self.requests.append((path, {name.lower(): value for name, value in request.headers.items()}, body))
        if self.status is not HTTPStatus.OK:
            return Response(status=self.status)
        if path == "/api/public/scores":
            try:
                score = Score.model_validate_json(body)
            except ValidationError as error:
                raise BadRequest(str(error)) from None
            self.scores[score.id] = score
            return Response(f'{{"id": "{score.id}"}}', content_type="application/json")
        if path not in ("/v1/traces", "/v1/logs", "/api/public/otel/v1/traces"):
            raise NotFound
        return Response(b"", content_type="application/x-protobuf")


def _attributes(pairs: Any) -> dict[str, Any]:
    return {pair.key: _value(pair.value) for pair in pairs}


def _value(value: AnyValue) -> Any:
    kind = value.WhichOneof("value")
    return list(_values(value)) if kind == "array_value" else getattr(value, str(kind))


def _values(value: AnyValue) -> Iterator[Any]:
    yield from map(_value, value.array_value.values)
