"""Embeddings by Amazon Titan Text Embeddings V2 on Bedrock."""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Annotated, Any, Literal

import boto3
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    NoCredentialsError,
    NoRegionError,
    PartialCredentialsError,
)
from pydantic import BeforeValidator, Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from selfrag.errors import Misconfigured, RequestRejected, SelfragError, TemporarilyUnavailable

MODEL = "amazon.titan-embed-text-v2:0"
# The model takes one text a call, so the passages of a document are embedded side by side.
PARALLEL_CALLS = 8

_UNUSABLE = (NoCredentialsError, NoRegionError, PartialCredentialsError)
# Status 400 like a malformed text, but they pass, or are not the text's fault.
_BUSY = {"ServiceQuotaExceededException", "ThrottlingException"}
_REFUSED = {"ExpiredTokenException", "UnrecognizedClientException", "InvalidSignatureException"}


class TitanSettings(BaseSettings):
    """How texts are embedded; `vector_dimensions` must be the index's."""

    model_config = SettingsConfigDict(env_prefix="SELFRAG_", frozen=True, extra="ignore")

    # An environment variable is a text, which a Literal of numbers would refuse.
    vector_dimensions: Annotated[Literal[256, 512, 1024], BeforeValidator(int)] = 512
    embedding_timeout_seconds: float = Field(default=10.0, gt=0)
    embedding_region: str | None = None


@cache
def open_titan() -> "TitanEmbedder":
    """The embedder that the settings describe; raises Misconfigured when they are wrong."""
    try:
        config = TitanSettings()
    except ValidationError as error:
        wrong = "; ".join(f"SELFRAG_{str(e['loc'][0]).upper()}: {e['msg']}" for e in error.errors())
        raise Misconfigured(f"the settings of the embedder are wrong: {wrong}") from error
    patience = Config(
        connect_timeout=min(3.0, config.embedding_timeout_seconds),
        read_timeout=config.embedding_timeout_seconds,
        retries={"total_max_attempts": 1},  # the state machine retries
        max_pool_connections=PARALLEL_CALLS,
    )
    try:
        client = boto3.client("bedrock-runtime", region_name=config.embedding_region, config=patience)
    except BotoCoreError as error:
        raise Misconfigured(f"the Bedrock client cannot be made: {type(error).__name__}") from error
    return TitanEmbedder(client, config.vector_dimensions)


class TitanEmbedder:
    """An Embedder over Bedrock; queries and passages are embedded alike."""

    def __init__(self, client: Any, dimensions: int) -> None:
        self._client, self._dimensions = client, dimensions

    def query(self, text: str) -> list[float]:
        """The vector of a search query, of length 1."""
        body = json.dumps({"inputText": text, "dimensions": self._dimensions, "normalize": True})
        try:
            reply = self._client.invoke_model(
                modelId=MODEL, body=body, contentType="application/json", accept="application/json"
            )
            vector = [float(number) for number in json.loads(reply["body"].read())["embedding"]]
        except (BotoCoreError, ClientError, LookupError, TypeError, ValueError) as error:
            # Not `from error`: what the service says may repeat the text.
            raise _typed(error) from None
        if len(vector) != self._dimensions:
            raise Misconfigured(f"{MODEL} gave {len(vector)} dimensions, not {self._dimensions}")
        return vector

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of passages, in the same order; one that fails fails all."""
        with ThreadPoolExecutor(PARALLEL_CALLS) as pool:
            return list(pool.map(self.query, texts))


def _typed(error: Exception) -> SelfragError:
    if isinstance(error, ClientError):
        return _refusal(error.response["ResponseMetadata"]["HTTPStatusCode"], error.response["Error"]["Code"])
    if isinstance(error, _UNUSABLE):
        return Misconfigured(f"{MODEL} cannot be called: {type(error).__name__}")
    if isinstance(error, BotoCoreError):
        return TemporarilyUnavailable(f"{MODEL} cannot be reached, or did not reply in time: {type(error).__name__}")
    return TemporarilyUnavailable(f"{MODEL} sent a reply that cannot be read")


def _refusal(status: int, code: str) -> SelfragError:
    if code in _BUSY or status in (408, 409, 424, 429) or status >= 500:
        return TemporarilyUnavailable(f"{MODEL} is busy: status {status}")
    if code in _REFUSED or status in (401, 403, 404):
        return Misconfigured(f"{MODEL} refused the credentials or is not available: status {status}")
    return RequestRejected(f"{MODEL} refused the text: status {status}")
