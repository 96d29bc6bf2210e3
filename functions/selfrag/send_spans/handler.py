"""The Lambda behind the stream of the table of answers."""

from selfrag import bootstrap
from selfrag.bootstrap import spans
from selfrag.domain.answers import KEPT_SECONDS
from selfrag.domain.spans import answer_span
from selfrag.runtime.observability import hashed
from selfrag.send_spans.logic import Batch, Sent, export_request

bootstrap.warm(spans.collector)


@bootstrap.step(Batch)
def handler(batch: Batch) -> Sent:
    """Send the spans of a batch of stored answers; an error leaves the batch to Lambda, which tries it again."""
    traces = {
        stored.id: answer_span(stored.id, hashed(stored.question), stored.response, stored.expires_at - KEPT_SECONDS)
        for stored in batch.answers
    }
    spans.collector()(export_request(traces, spans.settings().otlp_service))
    return Sent(spans=sum(root.count for root in traces.values()))
