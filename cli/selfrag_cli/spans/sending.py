"""Spans on their way: made by OpenTelemetry's SDK, sent over OTLP (HTTP) where its own environment variables say."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.trace import SpanKind, Status, StatusCode, Tracer, set_span_in_context

from selfrag.domain.errors import InvalidInput, TemporarilyUnavailable
from selfrag.domain.spans import Span, span_id, trace_id

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")


def send(question_id: str, root: Span) -> str:
    """Send the spans of a question, and give the id of their trace: the question's own, if it is a UUID.

    The same question has the same ids whenever it is sent. Raises InvalidInput where no endpoint is named, and
    TemporarilyUnavailable if it does not take the spans.
    """
    if not any(map(os.environ.get, ENDPOINTS)):
        raise InvalidInput(f"{ENDPOINTS[1]} has to say where the spans go, such as http://127.0.0.1:4318.")
    ids, finished = _Ids(question_id), InMemorySpanExporter()
    resource = Resource({"service.name": "selfrag"}).merge(OTELResourceDetector().detect())
    provider = TracerProvider(sampler=ALWAYS_ON, resource=resource, id_generator=ids, shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(finished))
    _record(provider.get_tracer("selfrag"), root, Context())
    exporter = OTLPSpanExporter()
    with _complaints() as told:
        result = exporter.export(finished.get_finished_spans())
    exporter.shutdown()  # type: ignore[no-untyped-call]
    if result is not SpanExportResult.SUCCESS:
        raise TemporarilyUnavailable(f"The spans were not taken: {' '.join(told) or 'no reason was given'}")
    return f"{ids.trace_id:032x}"


def _record(tracer: Tracer, planned: Span, parent: Context) -> None:
    span = tracer.start_span(
        planned.name,
        context=parent,
        kind=SpanKind.CLIENT if planned.of_model else SpanKind.INTERNAL,
        attributes=dict(planned.attributes),
        start_time=_nanoseconds(planned.started),
    )
    if planned.error:
        span.set_attribute("error.type", planned.error)
        span.set_status(Status(StatusCode.ERROR))
    for child in planned.children:
        _record(tracer, child, set_span_in_context(span, parent))
    span.end(end_time=_nanoseconds(planned.ended))


class _Ids(IdGenerator):
    """Ids that follow from a question's, in the order in which spans are begun."""

    def __init__(self, question_id: str) -> None:
        self._question_id, self._begun = question_id, 0
        self.trace_id = int(trace_id(question_id), 16)

    def generate_trace_id(self) -> int:
        """One for all spans."""
        return self.trace_id

    def generate_span_id(self) -> int:
        """Return the next one."""
        self._begun += 1
        return int(span_id(self._question_id, str(self._begun)), 16)


@contextmanager
def _complaints() -> Iterator[list[str]]:
    """Yield what OpenTelemetry logs in the block, which would stand between a command's lines."""
    told: list[str] = []
    handler, log = logging.Handler(), logging.getLogger("opentelemetry")
    handler.emit = lambda record: told.append(record.getMessage())  # type: ignore[method-assign]
    log.addHandler(handler)
    before, log.propagate = log.propagate, False
    try:
        yield told
    finally:
        log.propagate = before
        log.removeHandler(handler)


def _nanoseconds(seconds: float) -> int:
    return round(seconds * 1e9)
