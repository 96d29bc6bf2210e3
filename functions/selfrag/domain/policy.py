"""The policy of a question: strategy, thresholds and limits."""

from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    Field,
    SerializationInfo,
    SerializerFunctionWrapHandler,
    ValidationInfo,
    field_validator,
    model_serializer,
)

from selfrag.domain import strategies
from selfrag.domain.base import Model
from selfrag.domain.fields import Choice, Number, Whole, number

MAX_DEADLINE_SECONDS = 240.0


class Weights(Model):
    """Weights of IsRel, IsSup and IsUse for comparing answers (arXiv 2310.11511, section 4.3)."""

    rel: Number = Field(default=1.0, ge=0.0, le=10.0)
    sup: Number = Field(default=1.0, ge=0.0, le=10.0)
    use: Number = Field(default=0.5, ge=0.0, le=10.0)


class Policy(Model):
    """The policy of an answer; every field has a default and a cap.

    `strategy` selects the steps: `naive` searches and answers without checks; `corrective` is CRAG (arXiv 2401.15884),
    with `relevance_threshold` as its upper threshold; `adaptive` is `self_rag` for complex questions and `naive` for
    simple ones (arXiv 2403.14403); `candidates` writes one answer per passage and takes the best; `segments` searches a
    tree of sentences (arXiv 2310.11511). `speculate` is the amount of speculative work. Spending stops at
    `max_cost_usd`. Without `cache`, no verdict or text of an earlier question is used. Fields of other strategies keep
    their defaults, and its JSON omits them.
    """

    # Comes first: it determines the others' defaults and caps.
    strategy: strategies.Strategy = "self_rag"
    top_k: Whole = Field(default_factory=strategies.default("top_k", 4), ge=1, le=10)
    relevance_threshold: Number = Field(default=0.5, ge=0.0, le=1.0)
    # The paper uses -0.91 for three of its four tasks, on a scale from -1 (appendix B.2).
    lower_threshold: Number = Field(default=0.05, ge=0.0, le=1.0)
    min_utility: Whole = Field(default=3, ge=1, le=5)
    max_rewrites: Whole = Field(default=2, ge=0, le=4)
    max_regenerations: Whole = Field(default=1, ge=0, le=3)
    web_search: bool = Field(default=False, strict=True)
    speculate: Literal["off", "draft", "full"] = "draft"
    deadline_seconds: Number = Field(
        default_factory=strategies.default("deadline_seconds", 25.0), ge=3.0, le=MAX_DEADLINE_SECONDS
    )
    max_cost_usd: Annotated[float, Field(gt=0.0, le=100.0), BeforeValidator(number)] | None = Field(
        default_factory=strategies.default("max_cost_usd", None)
    )
    cache: bool = Field(default=True, strict=True)
    weights: Weights = Weights()
    constraints: Literal["hard", "soft"] = "hard"
    retrieval: Literal["adaptive", "always", "never"] = "adaptive"
    choices: Annotated[list[Choice], Field(min_length=2, max_length=10)] | None = None
    beam: Whole = Field(default=2, ge=1, le=3)
    max_segments: Whole = Field(default=4, ge=1, le=6)
    max_model_calls: Whole = Field(default_factory=strategies.default("max_model_calls", 40), ge=1, le=80)

    @field_validator("*")
    @classmethod
    def _validate_for_strategy(cls, value: Any, info: ValidationInfo) -> Any:
        name = info.field_name or ""
        default = cls.model_fields[name].get_default(call_default_factory=True, validated_data=info.data)
        # null: only the strategy's limit applies.
        if value == default or (name == "max_cost_usd" and value is None):
            return default
        if reason := strategies.refusal(name, value, info.data):
            raise ValueError(reason)
        return value

    @model_serializer(mode="wrap")
    def _dump_for_strategy(self, dump: SerializerFunctionWrapHandler, info: SerializationInfo) -> dict[str, Any]:
        shown = {name: value for name, value in dump(self).items() if strategies.reads(self.strategy, name)}
        if not info.exclude_defaults:
            return shown
        plain = Policy(strategy=self.strategy).__dict__
        return {name: value for name, value in shown.items() if name == "strategy" or value != plain[name]}
