"""The stand-in as the model of the steps, in this process: the rules' replies, read as Claude's are."""

import json
import math
import re
import uuid
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from pydantic import ValidationError
from typing_extensions import override

from selfrag.adapters.claude.messages import Message, ReplyContent, call_of, content_of, search_result, verdict_in
from selfrag.domain.calls import ModelCall, Prices
from selfrag.ports.model import Claude, Judgement, ModelText, Source, V
from selfrag.ports.prompts import Prompt, as_quoted_fields
from selfrag.runtime.clock import Clock
from selfrag_cli.local.stand_in.answers import generate
from selfrag_cli.local.stand_in.fields import fields_of
from selfrag_cli.local.stand_in.messages import Refusal, RequestMessage, content_blocks
from selfrag_cli.local.stand_in.rules import RULES


def answer_of(message: RequestMessage, schema: Any) -> object:
    """Return the verdict that a schema asks for, or, without one, the answer in content blocks; raises Refused."""
    if schema is None:
        results = [block for block in content_blocks(message) if "source" in block]
        return generate(fields_of(message), results)
    return _limited_to(RULES[step_of(schema)](fields_of(message)), schema)


def step_of(schema: Any) -> str:
    """Return the step that asks for a schema; None is asked for by `generate`, which wants text. Raises Refused.

    A shape's title is a word of its step's name: Utility is asked for by `grade_utility`.
    """
    if schema is None:
        return "generate"
    title = str(schema.get("title")).lower() if isinstance(schema, dict) else ""
    for step in RULES:
        if title in step.split("_"):
            return step
    raise Refusal(f"no rule is known for this schema; known are those of {', '.join(RULES)}")


def _limited_to(verdict: dict[str, object], schema: Mapping[str, Any]) -> Any:
    """Return a verdict in the fields that a schema names and no others, as the service gives it."""
    named = {name for shape in (schema, *schema.get("$defs", {}).values()) for name in shape.get("properties", {})}

    def prune(value: Any) -> Any:
        if isinstance(value, list):
            return [prune(item) for item in value]
        return (
            {name: prune(part) for name, part in value.items() if name in named} if isinstance(value, dict) else value
        )

    return prune(verdict)


_EAST_ASIAN = re.compile("[\u3000-\uffef]")


def reply_to(body: Mapping[str, Any]) -> dict[str, object]:
    """Return the reply to a request that was checked; raises Refused for a step that no rule is for."""
    schema = body.get("output_config", {}).get("format", {}).get("schema")
    answer = answer_of(body["messages"][-1], schema)
    verdict = {"type": "text", "text": json.dumps(answer, ensure_ascii=False)}
    content = answer if isinstance(answer, list) else [verdict]
    sent = {name: body[name] for name in ("system", "messages", "output_config") if name in body}
    return {
        "id": f"msg_{uuid.uuid4().hex[:24]}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": tokens(_text(sent)), "output_tokens": tokens(_text(content))},
    }


def tokens(text: str) -> int:
    """Return an estimate: four ASCII characters make a token, and so does one East Asian character or two others."""
    plain = len(text.encode("ascii", "ignore"))
    east_asian = len(_EAST_ASIAN.findall(text)) if plain < len(text) else 0
    return math.ceil(plain / 4 + east_asian + (len(text) - plain - east_asian) / 2)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


class _Part(SimpleNamespace):
    """A part of a reply; a field that it lacks is None, as in the SDK's messages."""

    def __getattr__(self, name: str) -> None:
        return None


class RuleClaude(Claude):
    """Replies by rule; `models` has the model id of each step, `prices` those of the stand-in."""

    def __init__(self, models: Mapping[str, str], prices: Mapping[str, Prices], clock: Clock) -> None:
        self._models, self._prices, self._clock = models, prices, clock

    @override
    def model_of(self, step: str) -> str:
        return self._models[step]

    @override
    def judge(self, step: str, prompt: Prompt, fields: Mapping[str, object], shape: type[V]) -> Judgement[V]:
        output = {"output_config": {"format": {"type": "json_schema", "schema": shape.model_json_schema()}}}
        content, call = self._reply(step, prompt, [], fields, output)
        try:
            return Judgement(verdict_in(content, shape), None, call=call)
        except ValidationError:
            return Judgement(None, "malformed", call=call)

    @override
    def write(self, step: str, prompt: Prompt, sources: Sequence[Source], fields: Mapping[str, object]) -> ModelText:
        content, call = self._reply(step, prompt, [search_result(source) for source in sources], fields, {})
        return ModelText(content.segments, None, call=call)

    def _reply(
        self,
        step: str,
        prompt: Prompt,
        results: Sequence[object],
        fields: Mapping[str, object],
        output: Mapping[str, object],
    ) -> tuple[ReplyContent, ModelCall]:
        content = [*results, {"type": "text", "text": as_quoted_fields(fields)}]
        rubric, messages = {"type": "text", "text": prompt.text}, [{"role": "user", "content": content}]
        request = {"model": self.model_of(step), "system": [rubric], "messages": messages, **output}
        began = self._clock.now()
        no_tokens = {"usage": {"input_tokens": 0, "output_tokens": 0}}
        reply: Any = json.loads(json.dumps(reply_to(request) | no_tokens), object_hook=lambda part: _Part(**part))
        message = Message.model_validate(reply)
        call = call_of(step, message, began, self._clock.now(), self._prices)
        return content_of(message, "answer") or ReplyContent(), call
