"""The stand-in as the model of the steps, in this process: it replies by rule, and costs nothing."""

from collections.abc import Mapping, Sequence

from typing_extensions import override

from selfrag.domain.calls import ModelCall
from selfrag.ports.model import Claude, Judgement, ModelText, Source, V
from selfrag.ports.prompts import Prompt
from selfrag.runtime.clock import Clock
from selfrag_cli.local.stand_in.answers import generate
from selfrag_cli.local.stand_in.rules import verdict_on


class RuleClaude(Claude):
    """Replies by rule; `models` has the model id of each step."""

    def __init__(self, models: Mapping[str, str], clock: Clock) -> None:
        self._models, self._clock = models, clock

    @override
    def model_of(self, step: str) -> str:
        return self._models[step]

    @override
    def judge(self, step: str, prompt: Prompt, fields: Mapping[str, object], shape: type[V]) -> Judgement[V]:
        began = self._clock.now()
        title = str(shape.model_config.get("title") or shape.__name__)
        verdict = shape.model_validate(verdict_on(fields, title), extra="ignore")
        return Judgement(verdict, None, call=self._call(step, began))

    @override
    def write(self, step: str, prompt: Prompt, sources: Sequence[Source], fields: Mapping[str, object]) -> ModelText:
        began = self._clock.now()
        return ModelText(tuple(generate(fields, sources)), None, call=self._call(step, began))

    def _call(self, step: str, began: float) -> ModelCall:
        ended = self._clock.now()
        return ModelCall(
            step=step, model=self.model_of(step), started_at=began, ended_at=ended, stop_reason="end_turn", cost_usd=0.0
        )
