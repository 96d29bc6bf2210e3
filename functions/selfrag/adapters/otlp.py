"""Traces sent to a collector by OpenTelemetry's own exporter, OTLP over HTTP.

The exporter reads the other variables of OpenTelemetry itself, such as OTEL_EXPORTER_OTLP_TIMEOUT.
"""

from collections.abc import Mapping, Sequence
from urllib.parse import unquote

from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk._logs.export import LogRecordExportResult
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import NonRecordingSpan, SpanContext, Status, StatusCode, TraceFlags, set_span_in_context

from selfrag.adapters.outbound import checked_url, host_of
from selfrag.domain.errors import Misconfigured, TemporarilyUnavailable
from selfrag.domain.spans import AnswerTrace, Attributes, Evaluation, Span
from selfrag.runtime.observability import logger

_SCOPE = InstrumentationScope("selfrag")
_SAMPLED = TraceFlags(TraceFlags.SAMPLED)


class Collector:
    """An OTLP collector with a timeout in seconds; raises selfrag's typed errors.

    `headers` returns them in the format of OTEL_EXPORTER_OTLP_HEADERS: `name=value,name=value`, with URL-encoded
    values.
    """

    def __init__(self, endpoint: str, service: str, headers: Mapping[str, str]) -> None:
        self._url = f"{checked_url(endpoint, 'the endpoint of the collector').rstrip('/')}/v1"
        self._resource, self._headers = Resource.create({"service.name": service}), dict(headers)

    def send_spans(self, traces: Sequence[AnswerTrace]) -> None:
        """Send the spans; raises TemporarilyUnavailable if they were not taken, for a cause that the log has."""
        spans = [self._span(trace, span) for trace in traces for span in trace.spans]
        exporter = OTLPSpanExporter(f"{self._url}/traces", headers=self._headers)
        if exporter.export(spans) is not SpanExportResult.SUCCESS:
            raise TemporarilyUnavailable(f"the collector at {host_of(self._url)} took no spans")

    def send_events(self, traces: Sequence[AnswerTrace]) -> None:
        """Send the verdicts as events; that a collector of traces alone refuses them is no error."""
        events = [self._event(trace, span, verdict) for trace in traces for span, verdict in trace.evaluations]
        exporter = OTLPLogExporter(f"{self._url}/logs", headers=self._headers)
        if events and exporter.export(events) is not LogRecordExportResult.SUCCESS:
            logger.warning("the collector took no events; OTEL_LOGS_EXPORTER=none sends none")

    def _span(self, trace: AnswerTrace, span: Span) -> ReadableSpan:
        is_first, failed = span is trace.spans[0], "error.type" in _present(span.attributes)
        return ReadableSpan(
            span.name,
            _context_of(trace, span),
            None if is_first else _context_of(trace, trace.spans[0]),
            self._resource,
            _present(span.attributes),
            status=Status(StatusCode.ERROR if failed else StatusCode.UNSET),
            start_time=_nanoseconds(span.started),
            end_time=_nanoseconds(span.ended),
            instrumentation_scope=_SCOPE,
        )

    def _event(self, trace: AnswerTrace, span: Span, evaluation: Evaluation) -> ReadableLogRecord:
        attributes = {
            "gen_ai.evaluation.name": evaluation.name,
            "gen_ai.evaluation.score.value": evaluation.score,
            "gen_ai.evaluation.score.label": evaluation.label,
            "gen_ai.evaluation.explanation": evaluation.explanation,
            **evaluation.details,
        }
        record = LogRecord(
            timestamp=_nanoseconds(evaluation.judged_at),
            observed_timestamp=_nanoseconds(evaluation.judged_at),
            context=set_span_in_context(NonRecordingSpan(_context_of(trace, span)), Context()),
            severity_number=SeverityNumber.INFO,
            attributes=_present(attributes),
            event_name="gen_ai.evaluation.result",
        )
        return ReadableLogRecord(record, self._resource, _SCOPE)


def read_headers(text: str) -> dict[str, str]:
    """Parse headers in the format of OTEL_EXPORTER_OTLP_HEADERS; raises Misconfigured for other text.

    The format is `name=value,name=value`, with URL-encoded values.
    """
    pairs = [each.partition("=") for each in text.split(",") if each.strip()]
    if not all(name.strip() and equals and value.isascii() for name, equals, value in pairs):
        # Without the text, which is a key; OpenTelemetry's own parser would log it.
        raise Misconfigured("the collector's headers must be name=value, with commas between")
    return {name.strip(): unquote(value.strip()) for name, _, value in pairs}


def _context_of(trace: AnswerTrace, span: Span) -> SpanContext:
    return SpanContext(int(trace.id, 16), int(span.id, 16), is_remote=False, trace_flags=_SAMPLED)


def _present(attributes: Attributes) -> dict[str, str | int | float | bool | Sequence[str]]:
    return {name: value for name, value in attributes.items() if value is not None}


def _nanoseconds(seconds: float) -> int:
    # By whole microseconds, which is as fine as a float is today.
    return round(seconds * 1e6) * 1000
