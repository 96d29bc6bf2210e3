"""Embeddings by Amazon Titan Text Embeddings V2 on Bedrock."""

import json
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from selfrag.adapters.faults import aws_faults
from selfrag.domain.errors import Misconfigured, TemporarilyUnavailable

MODEL = "amazon.titan-embed-text-v2:0"
# Passages are embedded for this long in one run of the step. A test holds it below the step's timeout.
SECONDS_OF_A_RUN = 90.0


class _TitanReply(BaseModel):
    embedding: list[float]


class TitanEmbedder:
    """An Embedder over Bedrock; queries and passages are embedded alike, one text per call.

    It never waits: the state machine does, without a function that is paid meanwhile. Passages are embedded one after
    another: the quota is the account's, and fewer refused calls leave more of it to questions.
    """

    spread_floor = 0.0  # not measured

    def __init__(self, client: Any, dimensions: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._client, self._dimensions, self._clock = client, dimensions, clock

    def query(self, text: str) -> list[float]:
        """Return the vector of a search query, of length 1; decomposed letters (NFD) have that of composed ones."""
        composed = unicodedata.normalize("NFC", text)
        body = json.dumps({"inputText": composed, "dimensions": self._dimensions, "normalize": True})
        with aws_faults(MODEL):
            reply = self._client.invoke_model(
                modelId=MODEL, body=body, contentType="application/json", accept="application/json"
            )
            content = reply["body"].read()
        try:
            vector = _TitanReply.model_validate_json(content).embedding
        except ValidationError:
            raise TemporarilyUnavailable(f"{MODEL} sent a reply that cannot be read") from None
        if len(vector) != self._dimensions:
            raise Misconfigured(f"{MODEL} gave {len(vector)} dimensions, not {self._dimensions}")
        return vector

    def passages(self, texts: Sequence[str]) -> Iterator[list[float]]:
        """Yield each passage's vector as it comes, in their order, for SECONDS_OF_A_RUN at most.

        Raises TemporarilyUnavailable at the first refusal of a busy model.
        """
        end = self._clock() + SECONDS_OF_A_RUN
        for text in texts:
            if self._clock() > end:
                return
            yield self.query(text)
