"""The stand-in as the model of the steps, in this process: the rules' replies, read as Claude's are."""

import json
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from pydantic import ValidationError

from selfrag.adapters.claude.messages import Content, Message, call_of, content_of, search_result, verdict_in
from selfrag.domain.calls import ModelCall, Prices
from selfrag.ports.model import Judgement, Source, V, Writing
from selfrag.ports.prompts import Prompt, as_quoted_fields
from selfrag.runtime.clock import Clock
from selfrag_cli.local.stand_in.replies import reply_to


class _Part(SimpleNamespace):
    """A part of a reply; a field that it lacks is None, as in the SDK's messages."""

    def __getattr__(self, name: str) -> None:
        return None


class RuleClaude:
    """Replies by rule; `models` has the model id of each step, `prices` those of the stand-in."""

    def __init__(self, models: Mapping[str, str], prices: Mapping[str, Prices], clock: Clock) -> None:
        self._models, self._prices, self._clock = models, prices, clock

    def model_of(self, step: str) -> str:
        """Return the model id that the step is configured to use."""
        return self._models[step]

    def judge(self, step: str, prompt: Prompt, fields: Mapping[str, Any], shape: type[V]) -> Judgement[V]:
        """Return a verdict on quoted fields in the shape of a pydantic model."""
        wanted = {"output_config": {"format": {"type": "json_schema", "schema": shape.model_json_schema()}}}
        content, call = self._asked(step, prompt, [], fields, wanted)
        try:
            return Judgement(verdict_in(content, shape), None, call=call)
        except ValidationError:
            return Judgement(None, "malformed", call=call)

    def write(self, step: str, prompt: Prompt, sources: Sequence[Source], fields: Mapping[str, Any]) -> Writing:
        """Return an answer that cites the sources."""
        content, call = self._asked(step, prompt, [search_result(source) for source in sources], fields, {})
        return Writing(content.segments, None, call=call)

    def _asked(
        self, step: str, prompt: Prompt, results: list[Any], fields: Mapping[str, Any], wanted: Mapping[str, Any]
    ) -> tuple[Content, ModelCall]:
        content = [*results, {"type": "text", "text": as_quoted_fields(fields)}]
        rubric, messages = {"type": "text", "text": prompt.text}, [{"role": "user", "content": content}]
        request = {"model": self.model_of(step), "system": [rubric], "messages": messages, **wanted}
        began = self._clock.now()
        reply: Any = json.loads(json.dumps(reply_to(request)), object_hook=lambda part: _Part(**part))
        message = Message.model_validate(reply)
        call = call_of(step, message, began, self._clock.now(), self._prices)
        return content_of(message, "answer") or Content(), call
