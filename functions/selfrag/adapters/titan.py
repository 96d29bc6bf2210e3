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
# For so long passages wait for their turn, then the state machine does. A test holds it below the step's time.
PATIENCE_SECONDS = 90.0
# The wait between calls: doubled by each refusal, and a little less with each vector.
SHORTEST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = 1.0, 30.0
EASING = 0.9
# Not the module's own generator, whose state copies of a function share that begin from one snapshot.
_RANDOM = random.SystemRandom()


class _Reply(BaseModel):
    embedding: list[float]


class TitanEmbedder:
    """An Embedder over Bedrock; queries and passages are embedded alike, one text a call.

    A query gets one try. Passages are asked for one after another and wait while the model is too busy: the quota is
    the account's, and the less is asked in vain, the more of it is left to questions.
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
        """The vector of a search query, of length 1."""
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
        """Each passage's vector as it comes, in their order.

        Raises TemporarilyUnavailable when PATIENCE_SECONDS were not enough for all.
        """
        end, wait = self._clock() + PATIENCE_SECONDS, 0.0
        for text in texts:
            while (vector := self._after(wait, text, end)) is None:
                wait = min(max(2 * wait, SHORTEST_WAIT_SECONDS), LONGEST_WAIT_SECONDS)
            yield vector
            # Not at once as before: what is refused again would be the next question.
            wait = EASING * wait if EASING * wait > SHORTEST_WAIT_SECONDS / 10 else 0.0

    def _after(self, wait: float, text: str, end: float) -> list[float] | None:
        """The vector of a text, asked for after about so many seconds; None if the model was too busy."""
        pause = self._uniform(wait / 2, wait)
        if self._clock() + pause > end:
            raise TemporarilyUnavailable(f"{MODEL} is too busy to embed all passages now")
        if pause:
            self._pause(pause)
        try:
            return self.query(text)
        except TemporarilyUnavailable:
            return None
