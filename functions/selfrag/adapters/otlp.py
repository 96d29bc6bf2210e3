"""Answers as traces of OpenTelemetry, sent to a collector by its own exporter, OTLP over HTTP.

The names are those of semantic-conventions-genai v0.1.0 (in development). `opentelemetry-semantic-conventions` 0.66b2,
the newest package of names for Python, has them all, but marks them as moved to those conventions. What these have no
name for is called `selfrag.*`. The exporter reads OpenTelemetry's other variables itself.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple
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
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, set_span_in_context

from selfrag.adapters.outbound import checked_url, host_of
from selfrag.domain.answers import AnswerResponse
from selfrag.domain.errors import Misconfigured, TemporarilyUnavailable
from selfrag.domain.scores.critiqued import CLAIMS, LEVELS
from selfrag.domain.verdicts import Verdict
from selfrag.runtime.observability import hash_text, logger

Value = str | int | float | bool | Sequence[str]
Attributes = Mapping[str, Value | None]
_SCOPE = InstrumentationScope("selfrag")
_SAMPLED = TraceFlags(TraceFlags.SAMPLED)
_SEARCHES = ("Retrieve", "SearchWeb")


class AnswerTrace(NamedTuple):
    """The spans of an answer, its question's first, and its verdicts as events of the spans that they judge."""

    spans: list[ReadableSpan]
    events: list[ReadableLogRecord]


class Collector:
    """A collector at its endpoint; raises selfrag's typed errors."""

    def __init__(self, endpoint: str, headers: Mapping[str, str]) -> None:
        self._url = f"{checked_url(endpoint, 'the endpoint of the collector').rstrip('/')}/v1"
        self._headers = dict(headers)

    def send_spans(self, traces: Sequence[AnswerTrace]) -> None:
        """Send the spans; raises TemporarilyUnavailable if they were not taken, for a cause that the log has."""
        exporter = OTLPSpanExporter(f"{self._url}/traces", headers=self._headers)
        if exporter.export([span for trace in traces for span in trace.spans]) is not SpanExportResult.SUCCESS:
            raise TemporarilyUnavailable(f"the collector at {host_of(self._url)} took no spans")

    def send_events(self, traces: Sequence[AnswerTrace]) -> None:
        """Send the verdicts as events; that a collector of traces alone refuses them is no error."""
        exporter = OTLPLogExporter(f"{self._url}/logs", headers=self._headers)
        events = [event for trace in traces for event in trace.events]
        if events and exporter.export(events) is not LogRecordExportResult.SUCCESS:
            logger.warning("the collector took no events; OTEL_LOGS_EXPORTER=none sends none")


def read_headers(text: str) -> dict[str, str]:
    """Return headers as OTEL_EXPORTER_OTLP_HEADERS has them; raises Misconfigured for other text.

    They are `name=value,name=value`, with special characters of values percent-encoded.
    """
    pairs = [each.partition("=") for each in text.split(",") if each.strip()]
    if not all(name.strip() and equals and value.isascii() for name, equals, value in pairs):
        # Without the text, which is a key; OpenTelemetry's own parser would log it.
        raise Misconfigured("the collector's headers must be name=value, with commas between")
    return {name.strip(): unquote(value.strip()) for name, _, value in pairs}


def answer_trace(
    response: AnswerResponse, collections: Sequence[str], ended: float, service: str, with_reasons: bool = False
) -> AnswerTrace:
    """Return the trace of a stored answer of a service; the same answer has the same ids.

    A response has the times of calls to the model alone, from the first of them on, and `ended` is the second in which
    it was stored: the question begins with that call, and a step without a call is a moment after the step before it.
    A verdict is about the step that it judges, or about the question where that step did not run. Without
    `with_reasons`, no text of the question, the passages, the answer, a claim or a reason is in it.
    """
    times = _times(response, ended)
    own_id = response.id if re.fullmatch(r"[0-9a-f]{32}", response.id) else _hash(response.id, "trace")[:32]
    contexts = {
        step: SpanContext(int(own_id, 16), int(_hash(response.id, step)[:16], 16), False, _SAMPLED) for step in times
    }
    resource = Resource.create({"service.name": service})
    source = {"gen_ai.data_source.id": collections[0] if len(collections) == 1 else None}
    spans = [
        ReadableSpan(
            "retrieval" if step in _SEARCHES else step or "invoke_workflow selfrag",
            contexts[step],
            contexts[""] if step else None,
            resource,
            _present({**_of_step(response, step), **(source if step in ("", *_SEARCHES) else {})}),
            start_time=_nanoseconds(started),
            end_time=_nanoseconds(step_ended),
            instrumentation_scope=_SCOPE,
        )
        for step, (started, step_ended) in times.items()
    ]
    events = []
    for about, grader, attributes in _verdicts(response, with_reasons):
        span = NonRecordingSpan(contexts.get(about, contexts[""]))
        at = _nanoseconds(times.get(grader, times[""])[1])
        record = LogRecord(
            timestamp=at,
            observed_timestamp=at,
            context=set_span_in_context(span, Context()),
            severity_number=SeverityNumber.INFO,
            attributes=_present(attributes),
            event_name="gen_ai.evaluation.result",
        )
        events.append(ReadableLogRecord(record, resource, _SCOPE))
    return AnswerTrace(spans, events)


def _times(response: AnswerResponse, ended: float) -> dict[str, tuple[float, float]]:
    """Return the beginning and end of each step, and of the question, which is the step ""."""
    usages = response.usage.by_step
    began = at = ended - max(((usage.started or 0.0) + usage.seconds for usage in usages.values()), default=0.0)
    times = {"": (began, ended)}
    for name in dict.fromkeys(response.path):
        usage = usages.get(_snake(name))
        started = at if usage is None else began + (usage.started or 0.0)
        at = started + (usage.seconds if usage else 0.0)
        times[name] = started, at
    return times


def _of_step(response: AnswerResponse, step: str) -> Attributes:
    if not step:
        return {
            "gen_ai.operation.name": "invoke_workflow",
            "gen_ai.agent.name": "selfrag",
            "selfrag.question.id": response.id,
            "selfrag.question.hash": hash_text(response.question),
            "selfrag.status": response.status,
            "selfrag.path": response.path,
            "selfrag.model_calls": response.usage.model_calls,
            "selfrag.rounds": response.usage.rounds,
            "selfrag.cost_usd": response.usage.cost_usd,
        }
    attributes: dict[str, Value | None] = {"selfrag.step": step}
    if step in _SEARCHES:
        scores = {verdict.passage_id: verdict.score for verdict in response.reflection.relevance}
        cited = {citation.passage_id: citation.document for citation in response.citations}
        documents = {verdict.passage_id: verdict.document for verdict in response.reflection.relevance} | cited
        passages = [passage for passage, document in documents.items() if _search_of(response, document) == step]
        attributes |= {
            "gen_ai.operation.name": "retrieval",
            "gen_ai.retrieval.documents": json.dumps([{"id": each, "score": scores.get(each)} for each in passages]),
        }
    if usage := response.usage.by_step.get(_snake(step)):
        attributes |= {
            "gen_ai.usage.output_tokens": usage.output_tokens,
            "selfrag.models": usage.model.split(", "),
            "selfrag.model_calls": usage.calls,
            # Without those of a cache, which the convention's own count has in it.
            "selfrag.input_tokens": usage.input_tokens,
            "selfrag.cost_usd": usage.cost_usd,
        }
    return attributes


def _search_of(response: AnswerResponse, document: str) -> str:
    """Return the step that found a passage: a page of the web is named by its address."""
    return "SearchWeb" if "SearchWeb" in response.path and document.startswith(("https://", "http://")) else "Retrieve"


def _verdicts(response: AnswerResponse, with_reasons: bool) -> Iterator[tuple[str, str, Attributes]]:
    """Yield of each verdict the step that it judges, its grader and its attributes."""

    def judged(name: str, verdict: Verdict, label: str | None, score: float | None) -> Attributes:
        return {
            "gen_ai.evaluation.name": name,
            "gen_ai.evaluation.score.value": None if score is None else float(score),
            # A verdict that nobody gave.
            "gen_ai.evaluation.score.label": label or ("ungraded" if score is None else None),
            "gen_ai.evaluation.explanation": (getattr(verdict, "reason", "") or None) if with_reasons else None,
            "selfrag.judged_by": verdict.judged_by,
            "selfrag.probability": verdict.probability,
            "selfrag.cached": getattr(verdict, "cached", None),
        }

    reflection = response.reflection
    if retrieve := reflection.retrieve:
        yield "", "DecideRetrieval", judged("Retrieve", retrieve, retrieve.decision, retrieve.ratio)
    for relevance in reflection.relevance:
        attributes = judged("IsRel", relevance, relevance.label, relevance.score)
        about = _search_of(response, relevance.document)
        yield about, "GradeRelevance", {**attributes, "selfrag.passage.id": relevance.passage_id}
    if support := reflection.support:
        level = None if support.ungraded else LEVELS.get(support.level or "")
        yield "Generate", "GradeSupport", judged("IsSup", support, support.level, level)
        for claim in support.claims:
            own = judged("IsSup.claim", support, claim.support, CLAIMS.get(claim.support or ""))
            yield "Generate", "GradeSupport", {**own, "selfrag.probability": claim.probability}
    if utility := reflection.utility:
        yield "Generate", "GradeUtility", judged("IsUse", utility, None, utility.score)


def _present(attributes: Attributes) -> dict[str, Value]:
    return {name: value for name, value in attributes.items() if value is not None}


def _nanoseconds(seconds: float) -> int:
    # By whole microseconds, which is as fine as a float is today.
    return round(seconds * 1e6) * 1000


def _snake(state: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", state).lower()


def _hash(question_id: str, part: str) -> str:
    return hashlib.sha256(f"{question_id}/{part}".encode()).hexdigest()
