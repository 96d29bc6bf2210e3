"""The stand-in as the steps' model: free, rule-based, in this process."""

from collections.abc import Mapping, Sequence

from typing_extensions import override

from selfrag.domain.calls import ModelCall
from selfrag.domain.passages import Passage
from selfrag.ports.model import Claude, Judgement, ModelText, Prompt, Source, V
from selfrag.runtime.clock import Clock
from selfrag_cli.local.stand_in.answers import generate
from selfrag_cli.local.stand_in.questions import Fields, search_words
from selfrag_cli.local.stand_in.rules import verdict_on
from selfrag_cli.local.stand_in.similarity import Similarity


class RuleClaude(Claude):
    """Replies by rule; `models` has each step's model id, and `similarity` returns search cosines."""

    def __init__(
        self, models: Mapping[str, str], clock: Clock, similarity: Similarity = lambda query, passage: None
    ) -> None:
        self._models, self._clock, self._similarity = models, clock, similarity

    @override
    def model_of(self, step: str) -> str:
        return self._models[step]

    @override
    def judge(self, step: str, prompt: Prompt, fields: Mapping[str, object], shape: type[V]) -> Judgement[V]:
        began = self._clock.now()
        title = str(shape.model_config.get("title") or shape.__name__)
        cosine = self._cosine(fields)
        verdict = shape.model_validate(verdict_on({**fields, "cosine": cosine}, title), extra="ignore")
        # Not cached: the passage may have a vector by the next question.
        is_final = cosine is not None or "passage" not in fields
        return Judgement(verdict, None, call=self._call(step, began), is_final=is_final)

    def _cosine(self, fields: Fields) -> float | None:
        if "passage" not in fields:
            return None
        passage = Passage(passage_id="", **fields["passage"])
        queries = {search_words(fields["question"], fields.get("previous") or {}), fields.get("query") or ""} - {""}
        cosines = [self._similarity(query, passage) for query in queries]
        return max((cosine for cosine in cosines if cosine is not None), default=None)

    @override
    def write(self, step: str, prompt: Prompt, sources: Sequence[Source], fields: Mapping[str, object]) -> ModelText:
        began = self._clock.now()
        return ModelText(tuple(generate(fields, sources)), None, call=self._call(step, began))

    def _call(self, step: str, began: float) -> ModelCall:
        ended = self._clock.now()
        return ModelCall(
            step=step, model=self.model_of(step), started_at=began, ended_at=ended, stop_reason="end_turn", cost_usd=0.0
        )
