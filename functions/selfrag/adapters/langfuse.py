"""The scores of Langfuse, whose ingestion of spans makes none of verdicts."""

from base64 import b64encode
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import httpx2

from selfrag.adapters.outbound import checked_url, post
from selfrag.domain.errors import Misconfigured
from selfrag.domain.spans import AnswerTrace

# Langfuse takes one score a request.
_PARALLEL = 8


class Langfuse:
    """A project of Langfuse, by its public and its secret key with a colon between; raises selfrag's typed errors.

    `otlp_endpoint` takes its spans, with the same `headers`.
    """

    def __init__(self, client: httpx2.Client, host: str, keys: str, seconds: float) -> None:
        if not all(keys.isascii() and part for part in keys.partition(":")):
            raise Misconfigured("the keys of Langfuse must be PUBLIC:SECRET")
        self._client, self._seconds = client, seconds
        url = f"{checked_url(host, 'the host of Langfuse').rstrip('/')}/api/public"
        self._scores, self.otlp_endpoint = f"{url}/scores", f"{url}/otel"
        authorization = f"Basic {b64encode(keys.encode()).decode()}"
        # With the version, spans are visible at once.
        self.headers = {"Authorization": authorization, "x-langfuse-ingestion-version": "4"}

    def send_scores(self, traces: Sequence[AnswerTrace]) -> None:
        """Send each verdict as a score of its span; the same verdict replaces its score."""
        scores = [score for trace in traces for score in scores_of(trace)]
        with ThreadPoolExecutor(_PARALLEL) as pool:
            list(pool.map(self._send, scores))

    def _send(self, score: dict[str, object]) -> None:
        post(self._client, self._scores, "Langfuse", score, self.headers, self._seconds)


def scores_of(trace: AnswerTrace) -> list[dict[str, object]]:
    """Return the bodies of the requests: a number where the verdict has one, else its label as a category."""
    return [
        {
            "id": f"{trace.id}-{number}",
            "traceId": trace.id,
            "observationId": span.id,
            "name": evaluation.name,
            "value": evaluation.label if evaluation.score is None else evaluation.score,
            "dataType": "CATEGORICAL" if evaluation.score is None else "NUMERIC",
            "comment": evaluation.explanation,
            "metadata": {"label": evaluation.label, **evaluation.details},
        }
        for number, (span, evaluation) in enumerate(trace.evaluations)
    ]
