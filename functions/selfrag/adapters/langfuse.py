"""The scores of Langfuse, whose ingestion of spans makes none of verdicts."""

from base64 import b64encode
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from opentelemetry._logs import LogRecord

from selfrag.adapters.otlp import AnswerTrace
from selfrag.adapters.outbound import checked_url, http_client_for, post
from selfrag.domain.errors import Misconfigured

# Langfuse takes one score a request.
_PARALLEL = 8
_SECONDS = 8.0


class Langfuse:
    """A project of Langfuse, by its public and its secret key with a colon between; raises selfrag's typed errors.

    `otlp_endpoint` takes its spans, with the same `headers`.
    """

    def __init__(self, host: str, keys: str) -> None:
        if not all(keys.isascii() and part for part in keys.partition(":")):
            raise Misconfigured("the keys of Langfuse must be PUBLIC:SECRET")
        url = f"{checked_url(host, 'the host of Langfuse').rstrip('/')}/api/public"
        self._scores, self.otlp_endpoint = f"{url}/scores", f"{url}/otel"
        authorization = f"Basic {b64encode(keys.encode()).decode()}"
        # With the version, spans are visible at once.
        self.headers = {"Authorization": authorization, "x-langfuse-ingestion-version": "4"}

    def send_scores(self, traces: Sequence[AnswerTrace]) -> None:
        """Send each verdict as a score of its span; the same verdict replaces its score."""
        scores = [_score(number, event.log_record) for trace in traces for number, event in enumerate(trace.events)]
        with http_client_for(self._scores) as client, ThreadPoolExecutor(_PARALLEL) as pool:
            send = partial(post, client, self._scores, "Langfuse", headers=self.headers, seconds=_SECONDS)
            list(pool.map(send, scores))


def _score(number: int, event: LogRecord) -> dict[str, object]:
    """Return the body of a request: a number where the verdict has one, else its label as a category."""
    attributes = dict(event.attributes or {})
    parts = ("name", "score.value", "score.label", "explanation")
    name, value, label, reason = (attributes.pop(f"gen_ai.evaluation.{part}", None) for part in parts)
    return {
        "id": f"{event.trace_id:032x}-{number}",
        "traceId": f"{event.trace_id:032x}",
        "observationId": f"{event.span_id:016x}",
        "name": name,
        "value": label if value is None else value,
        "dataType": "CATEGORICAL" if value is None else "NUMERIC",
        "comment": reason,
        "metadata": {"label": label, **attributes},
    }
