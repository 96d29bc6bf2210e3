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
SHORTEST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = 1.0, 30.0


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
    ) -> None:
        self._client, self._dimensions = client, dimensions
        self._clock, self._pause = clock, pause

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
        """Each passage's vector as it comes, in their order; a busy model is waited for, PATIENCE_SECONDS in all."""
        end = self._clock() + PATIENCE_SECONDS
        for text in texts:
            yield self._patiently(text, end)

    def _patiently(self, text: str, end: float) -> list[float]:
        longest = SHORTEST_WAIT_SECONDS
        while True:
            try:
                return self.query(text)
            except TemporarilyUnavailable:
                wait = random.uniform(longest / 2, longest)  # noqa: S311
                if self._clock() + wait > end:
                    raise
            self._pause(wait)
            longest = min(2 * longest, LONGEST_WAIT_SECONDS)
