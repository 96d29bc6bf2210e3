"""A stored answer as spans of OpenTelemetry, and as OTLP has them in JSON (pure).

The names are those of OpenTelemetry's semantic conventions for generative AI (1.41, in development); what these have no
name for is called `selfrag.*`. No text of the question, the passages, the answer, a claim or a reason is in a span.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

Value = str | int | float | bool | list[str]
Attributes = Mapping[str, Value | None]
# Of each grader's step: its reflection token, the fields of its verdict that are label and score, and the field of a
# response's `reflection` that has its verdicts.
_TOKENS = {
    "DecideRetrieval": ("Retrieve", "decision", "ratio", "retrieve"),
    "GradeRelevance": ("IsRel", "label", "score", "relevance"),
    "GradeSupport": ("IsSup", "level", "", "support"),
    "GradeUtility": ("IsUse", "", "score", "utility"),
}
_SEARCHES = ("Retrieve", "SearchWeb")
# opentelemetry/proto/trace/v1/trace.proto: Span.SpanKind.
_INTERNAL = 1


@dataclass(frozen=True)
class Span:
    """A span between two moments, in seconds since the epoch."""

    name: str
    started: float
    ended: float
    attributes: Attributes
    children: Sequence["Span"] = ()

    @property
    def count(self) -> int:
        """Return the number of spans, with those within."""
        return 1 + sum(child.count for child in self.children)


def answer_span(question_id: str, question_hash: str, response: Mapping[str, Any], ended: float) -> Span:
    """Return the span of a stored answer, with one of each step in it, and in GradeRelevance's one of each passage.

    A response has the times of calls to the model alone, from the first of them on, and `ended` is the second in which
    it was stored: the question begins with that call, and a step without a call is a moment after the step before it.
    """
    by_step = response["usage"]["by_step"].values()
    begin = ended - max(((usage["started"] or 0.0) + usage["seconds"] for usage in by_step), default=0.0)
    attributes = {**_of_question(question_id, response), "selfrag.question.hash": question_hash}
    return Span("invoke_workflow selfrag", begin, ended, attributes, list(_of_path(response, begin)))


def trace_id(question_id: str) -> str:
    """Return the id of a question's trace, 32 hexadecimal digits: the question's own, if it is a UUID."""
    return question_id if re.fullmatch(r"[0-9a-f]{32}", question_id) else _hash(question_id, "trace")[:32]


def export_request(traces: Mapping[str, Span], service: str) -> dict[str, object]:
    """Return an ExportTraceServiceRequest of the spans of questions, by their ids; the same spans have the same ids."""
    spans = [span for question_id, root in traces.items() for span in _encoded(question_id, root, count(1), "")]
    scope = {"scope": {"name": "selfrag"}, "spans": spans}
    return {"resourceSpans": [{"resource": _attributes({"service.name": service}), "scopeSpans": [scope]}]}


def _of_question(question_id: str, response: Mapping[str, Any]) -> Attributes:
    usage = response.get("usage", {})
    return {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.workflow.name": "selfrag",
        "selfrag.question.id": question_id,
        "selfrag.status": response.get("status"),
        "selfrag.path": response.get("path"),
        "selfrag.model_calls": usage.get("model_calls"),
        "selfrag.rounds": usage.get("rounds"),
        "selfrag.cost_usd": usage.get("cost_usd"),
    }


def _of_verdict(step: str, verdict: Mapping[str, Any]) -> Attributes:
    """Return what every step has, and a verdict as the convention for evaluations names it."""
    attributes: dict[str, Value | None] = {
        "gen_ai.operation.name": "retrieval" if step in _SEARCHES else None,
        "selfrag.step": step,
        "selfrag.cached": verdict.get("cached"),
    }
    token, label, score, _ = _TOKENS.get(step, ("", "", "", ""))
    if token and verdict:
        attributes |= {
            "gen_ai.evaluation.name": token,
            "gen_ai.evaluation.score.label": verdict.get(label),
            "gen_ai.evaluation.score.value": verdict.get(score),
            "selfrag.judged_by": verdict.get("judged_by"),
            "selfrag.probability": verdict.get("probability"),
        }
    return attributes


def _of_path(response: Mapping[str, Any], begin: float) -> Iterator[Span]:
    at = begin
    for name in dict.fromkeys(response["path"]):
        usage = response["usage"]["by_step"].get(re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()) or {}
        started = begin + (usage["started"] or 0.0) if usage else at
        at = started + usage.get("seconds", 0.0)
        verdicts = response["reflection"].get(_TOKENS[name][3] if name in _TOKENS else "") or {}
        several = [] if isinstance(verdicts, dict) else verdicts
        attributes: Attributes = {
            **_of_verdict(name, {} if several else verdicts),
            "gen_ai.usage.output_tokens": usage.get("output_tokens"),
            "selfrag.models": usage["model"].split(", ") if usage else None,
            "selfrag.model_calls": usage.get("calls"),
            # Without those of a cache, which the convention's own count has in it.
            "selfrag.input_tokens": usage.get("input_tokens"),
            "selfrag.cost_usd": usage.get("cost_usd"),
        }
        children = [Span(name, started, at, _of_verdict(name, verdict)) for verdict in several]
        yield Span(name, started, at, attributes, children)


def _encoded(question_id: str, span: Span, numbers: Iterator[int], parent: str) -> Iterator[dict[str, object]]:
    span_id = _hash(question_id, str(next(numbers)))[:16]
    yield {
        "traceId": trace_id(question_id),
        "spanId": span_id,
        "parentSpanId": parent,
        "name": span.name,
        "kind": _INTERNAL,
        "startTimeUnixNano": _nanoseconds(span.started),
        "endTimeUnixNano": _nanoseconds(span.ended),
        **_attributes(span.attributes),
    }
    for child in span.children:
        yield from _encoded(question_id, child, numbers, span_id)


def _attributes(values: Attributes) -> dict[str, object]:
    present = {name: value for name, value in values.items() if value is not None}
    return {"attributes": [{"key": name, "value": _value(value)} for name, value in present.items()]}


def _value(value: Value) -> dict[str, object]:
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


def _hash(question_id: str, part: str) -> str:
    return hashlib.sha256(f"{question_id}/{part}".encode()).hexdigest()
