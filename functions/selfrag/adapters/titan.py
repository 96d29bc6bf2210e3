"""Embeddings by Amazon Titan Text Embeddings V2 on Bedrock."""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from pydantic import BaseModel, ValidationError

from selfrag.adapters.faults import aws_faults
from selfrag.domain.errors import Misconfigured, TemporarilyUnavailable

MODEL = "amazon.titan-embed-text-v2:0"
# The model takes one text a call, so the passages of a document are embedded side by side.
PARALLEL_CALLS = 8


class _Reply(BaseModel):
    embedding: list[float]


class TitanEmbedder:
    """An Embedder over Bedrock; queries and passages are embedded alike."""

    def __init__(self, client: Any, dimensions: int) -> None:
        self._client, self._dimensions = client, dimensions

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

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of passages, in the same order; one that fails fails all."""
        with ThreadPoolExecutor(PARALLEL_CALLS) as pool:
            return list(pool.map(self.query, texts))
