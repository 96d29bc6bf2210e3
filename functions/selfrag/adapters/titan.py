"""Embeddings by Amazon Titan Text Embeddings V2 on Bedrock."""

import json
import random
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from selfrag.adapters.faults import aws_faults
from selfrag.domain.errors import Misconfigured, TemporarilyUnavailable

MODEL = "amazon.titan-embed-text-v2:0"
# Passages wait this long for their turn, then the state machine retries. A test holds it below the step's timeout.
PATIENCE_SECONDS = 90.0
# The backoff between calls: doubled by each refusal, and a little less with each vector.
SHORTEST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = 1.0, 30.0
EASING = 0.9
# Not the module's own generator: copies of a function that start from one snapshot share its state.
_RANDOM = random.SystemRandom()


class _Reply(BaseModel):
    embedding: list[float]


class TitanEmbedder:
    """An Embedder over Bedrock; queries and passages are embedded alike, one text per call.

    A query gets one try. Passages are embedded one after another, with backoff while the model is too busy: the quota
    is the account's, and fewer refused calls leave more of it to questions.
    """

    def __init__(
        self,
        client: Any,
        dimensions: int,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
        uniform: Callable[[float, float], float] = _RANDOM.uniform,
    ) -> None:
        self._client, self._dimensions = client, dimensions
        self._clock, self._pause, self._uniform = clock, pause, uniform

    def query(self, text: str) -> list[float]:
        """Return the vector of a search query, of length 1."""
        body = json.dumps({"inputText": text, "dimensions": self._dimensions, "normalize": True})
        with aws_faults(MODEL):
            reply = self._client.invoke_model(
                modelId=MODEL, body=body, contentType="application/json", accept="application/json"
            )
            content = reply["body"].read()
        try:
            vector = _Reply.model_validate_json(content).embedding
        except ValidationError:
            raise TemporarilyUnavailable(f"{MODEL} sent a reply that cannot be read") from None
        if len(vector) != self._dimensions:
            raise Misconfigured(f"{MODEL} gave {len(vector)} dimensions, not {self._dimensions}")
        return vector

    def passages(self, texts: Sequence[str]) -> Iterator[list[float]]:
        """Yield each passage's vector as it comes, in their order.

        Raises TemporarilyUnavailable if PATIENCE_SECONDS are not enough for all.
        """
        end, wait = self._clock() + PATIENCE_SECONDS, 0.0
        for text in texts:
            while (vector := self._after(wait, text, end)) is None:
                wait = min(max(2 * wait, SHORTEST_WAIT_SECONDS), LONGEST_WAIT_SECONDS)
            yield vector
            # Not at full speed at once: the next refusal would hit a question.
            wait = EASING * wait if EASING * wait > SHORTEST_WAIT_SECONDS / 10 else 0.0

    def _after(self, wait: float, text: str, end: float) -> list[float] | None:
        """Return the vector of a text after about so many seconds; None if the model was too busy."""
        pause = self._uniform(wait / 2, wait)
        if self._clock() + pause > end:
            raise TemporarilyUnavailable(f"{MODEL} is too busy to embed all passages now")
        if pause:
            self._pause(pause)
        try:
            return self.query(text)
        except TemporarilyUnavailable:
            return None
