"""The Lambda behind the stream of the table of answers."""

from typing import Any

from pydantic import BaseModel, Field

from selfrag import bootstrap
from selfrag.adapters.otlp import answer_trace
from selfrag.bootstrap import spans
from selfrag.domain.answers import KEPT_SECONDS, AnswerResponse


class AnswerBatch(BaseModel):
    """The records of one invocation, each with an item of the table of answers."""

    records: list[dict[str, Any]] = Field(validation_alias="Records")


class SpanCount(BaseModel):
    """The numbers of spans that the collector took, and of verdicts on them."""

    spans: int
    evaluations: int


bootstrap.warm(spans.collector)


@bootstrap.step("send_spans", AnswerBatch)
def handler(batch: AnswerBatch) -> SpanCount:
    """Send the traces of a batch of stored answers; an error leaves the batch to Lambda, which tries it again."""
    config, collector, langfuse = spans.span_settings(), spans.collector(), spans.langfuse()
    items = [record["dynamodb"]["NewImage"] for record in batch.records]
    traces = [
        answer_trace(
            AnswerResponse.model_validate_json(item["response"]["S"], extra="ignore"),
            [name for collection in item["collections"]["L"] for name in collection.values()],
            float(item["expires_at"]["N"]) - KEPT_SECONDS,
            config.otel_service,
            config.capture.lower() == "true",
        )
        for item in items
    ]
    collector.send_spans(traces)
    if config.otlp_endpoint and config.otel_logs != "none":
        collector.send_events(traces)
    if langfuse:
        langfuse.send_scores(traces)
    return SpanCount(
        spans=sum(len(trace.spans) for trace in traces), evaluations=sum(len(trace.events) for trace in traces)
    )
