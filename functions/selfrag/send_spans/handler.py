"""The Lambda behind the stream of the table of answers."""

from typing import Any

from pydantic import AliasPath, BaseModel, Field, Json, JsonValue

from selfrag import bootstrap
from selfrag.bootstrap import spans
from selfrag.domain.answers import KEPT_SECONDS
from selfrag.domain.spans import answer_span, export_request
from selfrag.runtime.observability import hash_text


def _attribute(name: str, kind: str) -> Any:
    return Field(validation_alias=AliasPath("dynamodb", "NewImage", name, kind))


class StoredAnswer(BaseModel):
    """An item of the table of answers with its response, as a record of the stream has it."""

    id: str = _attribute("id", "S")
    question: str = _attribute("question", "S")
    expires_at: float = _attribute("expires_at", "N")
    response: Json[dict[str, JsonValue]] = _attribute("response", "S")


class AnswerBatch(BaseModel):
    """The records of one invocation."""

    answers: list[StoredAnswer] = Field(validation_alias="Records")


class SpanCount(BaseModel):
    """The number of spans that the collector took."""

    spans: int


bootstrap.warm(spans.collector)


@bootstrap.step("send_spans", AnswerBatch)
def handler(batch: AnswerBatch) -> SpanCount:
    """Send the spans of a batch of stored answers; an error leaves the batch to Lambda, which tries it again."""
    traces = {
        stored.id: answer_span(stored.id, hash_text(stored.question), stored.response, stored.expires_at - KEPT_SECONDS)
        for stored in batch.answers
    }
    spans.collector()(export_request(traces, spans.span_settings().otlp_service))
    return SpanCount(spans=sum(root.count for root in traces.values()))
