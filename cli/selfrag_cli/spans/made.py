"""An execution as spans: one of the question, in it one of each step, in that one of each call to the model (pure).

The names are those of selfrag.domain.spans; the dollars of a call are `gen_ai.usage.cost`, as Langfuse reads them.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from selfrag.domain.calls import ModelCall
from selfrag.domain.history import Step, epoch_seconds, steps_of
from selfrag.domain.spans import SEARCHES, Span, judged, known, of_question


def trace_of(question_id: str, history: Sequence[dict[str, Any]], content: bool = False) -> Span:
    """Return the span of a question, from the history of its execution, with those of its steps and calls in it.

    The verdicts are labels and scores: no word of the question, the passages, the answer, a claim or a reason is in it,
    unless `content` asks for them.
    """
    begin, end = epoch_seconds(history[0]), epoch_seconds(history[-1])
    response = json.loads(history[-1].get("executionSucceededEventDetails", {}).get("output", "{}"))
    attributes = {**of_question(question_id, response), **(_said(history, response) if content else {})}
    steps = [_of_step(step, begin, content) for step in steps_of(history)]
    failed = "" if response else str(history[-1]["type"])
    return Span("invoke_workflow selfrag", begin, end, known(attributes), failed, children=steps)


def _of_step(step: Step, begin: float, content: bool) -> Span:
    result = step.result if isinstance(step.result, dict) else {}
    calls = [ModelCall.model_validate(call, extra="ignore") for call in result.get("calls") or []]
    costs = [call.cost_usd for call in calls]
    attributes = {
        "gen_ai.operation.name": "retrieval" if step.name in SEARCHES else None,
        "selfrag.step": step.name,
        "selfrag.turn": step.turn,
        "selfrag.attempts": step.attempts,
        "selfrag.cached": True in (result.get("cached"), (result.get("verdict") or {}).get("cached")),
        "selfrag.cost_usd": sum(cost or 0.0 for cost in costs) if costs and None not in costs else None,
        **judged(step.name, result.get("verdict") or {}),
        "selfrag.given": _json(step.given) if content else None,
        "selfrag.result": _json(step.result) if content else None,
    }
    started = begin + step.started
    children = [_of_call(call) for call in calls]
    return Span(step.name, started, started + step.seconds, known(attributes), step.error, children=children)


def _of_call(call: ModelCall) -> Span:
    attributes = {
        "gen_ai.operation.name": "chat",
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
    return Span(f"chat {call.model}", call.started_at, call.ended_at, known(attributes), of_model=True)


def _provider(model: str) -> str:
    """Return the provider of a model, by its id: on Bedrock the vendor stands before a dot."""
    if "anthropic." in model:
        return "aws.bedrock"
    return "anthropic" if model.startswith("claude") else "selfrag"


def _said(history: Sequence[dict[str, Any]], response: Mapping[str, Any]) -> dict[str, str]:
    """Return the question and the answer, as messages in the convention's form."""
    given = json.loads(history[0].get("executionStartedEventDetails", {}).get("input", "{}"))

    def message(role: str, text: str, **more: str) -> str:
        return _json([{"role": role, "parts": [{"type": "text", "content": text}], **more}])

    return {
        "gen_ai.input.messages": message("user", given.get("question", "")),
        "gen_ai.output.messages": message("assistant", response.get("answer", ""), finish_reason="stop"),
    }


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
