"""The Lambda behind the stream of the table of answers."""

from typing import Any

from pydantic import AliasPath, BaseModel, Field, Json, JsonValue

from selfrag import bootstrap
from selfrag.bootstrap import spans
from selfrag.domain.answers import KEPT_SECONDS, AnswerResponse
from selfrag.domain.spans import AnswerTrace, answer_trace
from selfrag.runtime.observability import hash_text


def _attribute(name: str, kind: str) -> Any:
    return Field(validation_alias=AliasPath("dynamodb", "NewImage", name, kind))


class StoredAnswer(BaseModel):
    """An item of the table of answers with its response, as a record of the stream has it."""

    question: str = _attribute("question", "S")
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
    traces = [_trace(stored) for stored in batch.answers]
    collector = spans.collector()
    collector.send_spans(traces)
    if spans.span_settings().sends_events:
        collector.send_events(traces)
    if langfuse := spans.langfuse():
        langfuse.send_scores(traces)
    return SpanCount(
        spans=sum(len(trace.spans) for trace in traces), evaluations=sum(len(trace.evaluations) for trace in traces)
    )


def _trace(stored: StoredAnswer) -> AnswerTrace:
    return answer_trace(
        AnswerResponse.model_validate(stored.response, extra="ignore"),
        hash_text(stored.question),
        [name for collection in stored.collections for name in collection.values()],
        stored.expires_at - KEPT_SECONDS,
        spans.span_settings().sends_content,
    )
