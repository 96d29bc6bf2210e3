"""A question as spans of OpenTelemetry, from its history or its stored answer, and as OTLP has them in JSON (pure).

The names are those of OpenTelemetry's semantic conventions for generative AI (1.41, in development); what these have no
name for is called `selfrag.*`, and the dollars of a call `gen_ai.usage.cost`, as Langfuse reads them. No text of the
question, the passages, the answer, a claim or a reason is in a span, unless `content` asks for it.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from selfrag.domain.calls import ModelCall
from selfrag.domain.history import Step, epoch_seconds, steps_of

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
# opentelemetry/proto/trace/v1/trace.proto: Span.SpanKind and Status.StatusCode.
_INTERNAL, _CLIENT, _ERROR = 1, 3, 2


@dataclass(frozen=True)
class Span:
    """A span between two moments, in seconds since the epoch; `error` is a class name, empty without one."""

    name: str
    started: float
    ended: float
    attributes: Attributes
    error: str = ""
    kind: int = _INTERNAL
    children: Sequence["Span"] = field(default=())

    @property
    def count(self) -> int:
        """Return the number of spans, with those within."""
        return 1 + sum(child.count for child in self.children)


def history_span(question_id: str, history: Sequence[dict[str, Any]], content: bool = False) -> Span:
    """Return the span of an execution that has ended, with one of each step in it, and in that of each model call."""
    begin, end = epoch_seconds(history[0]), epoch_seconds(history[-1])
    response = json.loads(history[-1].get("executionSucceededEventDetails", {}).get("output", "{}"))
    attributes = {**_of_question(question_id, response), **(_messages(history, response) if content else {})}
    steps = [_of_step(step, begin, content) for step in steps_of(history)]
    return _root(begin, end, attributes, steps, "" if response else str(history[-1]["type"]))


def answer_span(question_id: str, question_hash: str, response: Mapping[str, Any], ended: float) -> Span:
    """Return the span of a stored answer, with one of each step in it, and in GradeRelevance's one of each passage.

    A response has the times of calls to the model alone, from the first of them on, and `ended` is the second in which
    it was stored: the question begins with that call, and a step without a call is a moment after the step before it.
    """
    by_step = response["usage"]["by_step"].values()
    begin = ended - max(((usage["started"] or 0.0) + usage["seconds"] for usage in by_step), default=0.0)
    attributes = {**_of_question(question_id, response), "selfrag.question.hash": question_hash}
    return _root(begin, ended, attributes, list(_of_path(response, begin)))


def trace_id(question_id: str) -> str:
    """Return the id of a question's trace, 32 hexadecimal digits: the question's own, if it is a UUID."""
    return question_id if re.fullmatch(r"[0-9a-f]{32}", question_id) else _hash(question_id, "trace")[:32]


def export_request(traces: Mapping[str, Span], service: str) -> dict[str, object]:
    """Return an ExportTraceServiceRequest of the spans of questions, by their ids; the same spans have the same ids."""
    spans = [span for question_id, root in traces.items() for span in _encoded(question_id, root, count(1), "")]
    scope = {"scope": {"name": "selfrag"}, "spans": spans}
    return {"resourceSpans": [{"resource": _attributes({"service.name": service}), "scopeSpans": [scope]}]}


def _root(begin: float, end: float, attributes: Attributes, steps: Sequence[Span], error: str = "") -> Span:
    return Span("invoke_workflow selfrag", begin, end, attributes, error, children=steps)


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


def _of_step(step: Step, begin: float, content: bool) -> Span:
    result = step.result if isinstance(step.result, dict) else {}
    verdict = result.get("verdict") or {}
    calls = [ModelCall.model_validate(call, extra="ignore") for call in result.get("calls") or []]
    costs = [call.cost_usd for call in calls]
    attributes: Attributes = {
        **_of_verdict(step.name, verdict),
        "selfrag.turn": step.turn,
        "selfrag.attempts": step.attempts,
        "selfrag.cached": True in (result.get("cached"), verdict.get("cached")),
        "selfrag.cost_usd": sum(cost or 0.0 for cost in costs) if costs and None not in costs else None,
        "selfrag.given": _json(step.task) if content else None,
        "selfrag.result": _json(step.result) if content else None,
    }
    started = begin + step.started
    children = [_of_call(call) for call in calls]
    return Span(step.name, started, started + step.seconds, attributes, step.error, children=children)


def _of_call(call: ModelCall) -> Span:
    attributes: Attributes = {
        # A decision is no chat, and the convention has no word for it.
        "gen_ai.operation.name": "decide" if call.decision else "chat",
        "gen_ai.provider.name": _provider(call.model),
        "gen_ai.request.model": call.model,
        "gen_ai.response.finish_reasons": [call.stop_reason],
        # Claude counts what its cache holds apart from the rest, and the convention counts it in.
        "gen_ai.usage.input_tokens": (
            call.input_tokens + call.cache_read_input_tokens + call.cache_creation_input_tokens
        ),
        "gen_ai.usage.output_tokens": call.output_tokens,
        "gen_ai.usage.cache_read.input_tokens": call.cache_read_input_tokens,
        "gen_ai.usage.cache_creation.input_tokens": call.cache_creation_input_tokens,
        "gen_ai.usage.cost": call.cost_usd,
        "selfrag.step": call.step,
    }
    return Span(
        f"{'decide' if call.decision else 'chat'} {call.model}",
        call.started_at,
        call.ended_at,
        attributes,
        kind=_CLIENT,
    )


def _provider(model: str) -> str:
    """Return the provider of a model, by its id: on Bedrock the vendor stands before a dot."""
    if "anthropic." in model:
        return "aws.bedrock"
    return "anthropic" if model.startswith("claude") else "selfrag"


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
        yield Span(name, started, at, attributes, children=children)


def _messages(history: Sequence[dict[str, Any]], response: Mapping[str, Any]) -> dict[str, str]:
    """Return the question and the answer, as messages in the convention's form."""
    request = json.loads(history[0].get("executionStartedEventDetails", {}).get("input", "{}"))

    def message(role: str, text: str, **more: str) -> str:
        return _json([{"role": role, "parts": [{"type": "text", "content": text}], **more}])

    return {
        "gen_ai.input.messages": message("user", request.get("question", "")),
        "gen_ai.output.messages": message("assistant", response.get("answer", ""), finish_reason="stop"),
    }


def _encoded(question_id: str, span: Span, numbers: Iterator[int], parent: str) -> Iterator[dict[str, object]]:
    span_id = _hash(question_id, str(next(numbers)))[:16]
    yield {
        "traceId": trace_id(question_id),
        "spanId": span_id,
        "parentSpanId": parent,
        "name": span.name,
        "kind": span.kind,
        "startTimeUnixNano": _nanoseconds(span.started),
        "endTimeUnixNano": _nanoseconds(span.ended),
        "status": {"code": _ERROR} if span.error else {},
        **_attributes({**span.attributes, "error.type": span.error or None}),
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


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _hash(question_id: str, part: str) -> str:
    return hashlib.sha256(f"{question_id}/{part}".encode()).hexdigest()
