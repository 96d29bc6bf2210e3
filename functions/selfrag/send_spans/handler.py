"""The Lambda behind the stream of the table of answers."""

from typing import Any

from pydantic import AliasPath, BaseModel, Field, Json, JsonValue

from selfrag import bootstrap
from selfrag.adapters.otlp import answer_trace
from selfrag.bootstrap import spans
from selfrag.domain.answers import KEPT_SECONDS, AnswerResponse


def _attribute(name: str, kind: str) -> Any:
    return Field(validation_alias=AliasPath("dynamodb", "NewImage", name, kind))


class StoredAnswer(BaseModel):
    """An item of the table of answers with its response, as a record of the stream has it."""

    collections: list[dict[str, str]] = _attribute("collections", "L")
    expires_at: float = _attribute("expires_at", "N")
    response: Json[dict[str, JsonValue]] = _attribute("response", "S")


class AnswerBatch(BaseModel):
    """The records of one invocation."""

    answers: list[StoredAnswer] = Field(validation_alias="Records")


class SpanCount(BaseModel):
    """The numbers of spans that the collector took, and of verdicts on them."""

    spans: int
    evaluations: int


bootstrap.warm(spans.collector)


@bootstrap.step("send_spans", AnswerBatch)
def handler(batch: AnswerBatch) -> SpanCount:
    """Send the traces of a batch of stored answers; an error leaves the batch to Lambda, which tries it again."""
    config, collector, langfuse = spans.span_settings(), spans.collector(), spans.langfuse()
    traces = [
        answer_trace(
            AnswerResponse.model_validate(stored.response, extra="ignore"),
            [name for collection in stored.collections for name in collection.values()],
            stored.expires_at - KEPT_SECONDS,
            config.otel_service,
            config.capture.lower() == "true",
        )
        for stored in batch.answers
    ]
    collector.send_spans(traces)
    if config.otlp_endpoint and config.otel_logs != "none":
        collector.send_events(traces)
    if langfuse:
        langfuse.send_scores(traces)
    return SpanCount(
        spans=sum(len(trace.spans) for trace in traces), evaluations=sum(len(trace.events) for trace in traces)
    )
