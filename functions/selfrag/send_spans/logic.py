"""A batch of the stream, and spans as OTLP has them in JSON (opentelemetry.io, "OTLP Specification", pure)."""

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

from pydantic import AliasPath, BaseModel, Field, Json

from selfrag.domain.spans import Span, Value, span_id, trace_id

_INTERNAL, _ERROR = 1, 2


def _attribute(name: str, kind: str) -> Any:
    return Field(validation_alias=AliasPath("dynamodb", "NewImage", name, kind))


class Stored(BaseModel):
    """An item of the table of answers with its response, as a record of the stream has it."""

    id: str = _attribute("id", "S")
    question: str = _attribute("question", "S")
    expires_at: float = _attribute("expires_at", "N")
    response: Json[dict[str, Any]] = _attribute("response", "S")


class Batch(BaseModel):
    """The records of one invocation."""

    answers: list[Stored] = Field(validation_alias="Records")


class Sent(BaseModel):
    """The number of spans that the collector took."""

    spans: int


def export_request(traces: Mapping[str, Span], service: str) -> dict[str, Any]:
    """Return an ExportTraceServiceRequest of the spans of questions, by their ids."""
    made = [span for question_id, root in traces.items() for span in _encoded(question_id, root, count(1), "")]
    scope = {"scope": {"name": "selfrag"}, "spans": made}
    return {"resourceSpans": [{"resource": _attributes({"service.name": service}), "scopeSpans": [scope]}]}


def _encoded(question_id: str, span: Span, numbers: Iterator[int], parent: str) -> Iterator[dict[str, Any]]:
    # Not the ids of `selfrag trace --export`, whose spans of the same question are others.
    own = span_id(question_id, f"answer/{next(numbers)}")
    yield {
        "traceId": trace_id(question_id),
        "spanId": own,
        "parentSpanId": parent,
        "name": span.name,
        "kind": _INTERNAL,
        "startTimeUnixNano": _nanoseconds(span.started),
        "endTimeUnixNano": _nanoseconds(span.ended),
        "status": {"code": _ERROR} if span.error else {},
        **_attributes(span.attributes),
    }
    for child in span.children:
        yield from _encoded(question_id, child, numbers, own)


def _attributes(values: Mapping[str, Value]) -> dict[str, Any]:
    return {"attributes": [{"key": name, "value": _value(value)} for name, value in values.items()]}


def _value(value: Value) -> dict[str, Any]:
    if isinstance(value, list):
        return {"arrayValue": {"values": [_value(each) for each in value]}}
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": value}


def _nanoseconds(seconds: float) -> str:
    # By whole microseconds, which is as fine as a float is today.
    return f"{round(seconds * 1e6)}000"
