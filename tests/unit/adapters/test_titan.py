"""Titan: one text a call, no wait for a busy model, and errors that say who must act."""

import io
import json
import math
import unicodedata
from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from selfrag import bootstrap
from selfrag.adapters.titan import SECONDS_OF_A_RUN, TitanEmbedder
from selfrag.domain.errors import Misconfigured, RequestRejected, SelfragError, TemporarilyUnavailable
from selfrag.ports.embedder import Embedder
from tests.support.definition import INGESTION_MACHINE, lambda_tasks

SECRET = "the salary of Mallory is 4,711"


class Bedrock:
    """A bedrock-runtime client that rejects invalid requests like the model, and raises `error` if set."""

    def __init__(self, error: Exception | None = None, reply: bytes | None = None) -> None:
        self.error, self.reply = error, reply
        self.calls: list[dict[str, Any]] = []

    def invoke_model(self, *, modelId: str, body: str, contentType: str, accept: str) -> dict[str, Any]:
        asked = json.loads(body)
        self.calls.append({"modelId": modelId, **asked})
        if self.error:
            raise self.error
        assert (contentType, accept) == ("application/json", "application/json")
        assert set(asked) == {"inputText", "dimensions", "normalize"}
        if not asked["inputText"] or len(asked["inputText"]) > 50_000:
            raise refused(400, "ValidationException")
        assert asked["dimensions"] in (256, 512, 1024)
        vector = [float(ord(c)) for c in asked["inputText"][:8]] + [1.0] * asked["dimensions"]
        vector = vector[: asked["dimensions"]]
        reply = {"embedding": [x / math.hypot(*vector) for x in vector], "inputTextTokenCount": 3}
        return {"body": io.BytesIO(self.reply if self.reply is not None else json.dumps(reply).encode())}


def refused(status: int, code: str) -> ClientError:
    response = {"Error": {"Code": code, "Message": SECRET}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError(response, "InvokeModel")  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a-secret-that-opens-nothing")
    monkeypatch.delenv("AWS_PROFILE", raising=False)


def test_a_query_is_one_normalised_vector_of_the_configured_length() -> None:
    bedrock = Bedrock()
    vector = TitanEmbedder(bedrock, 512).query("有給休暇")
    assert len(vector) == 512
    assert math.hypot(*vector) == pytest.approx(1.0)
    asked = {"inputText": "有給休暇", "dimensions": 512, "normalize": True}
    assert bedrock.calls == [{"modelId": "amazon.titan-embed-text-v2:0", **asked}]


def test_passages_are_embedded_one_text_a_call_and_come_back_in_order() -> None:
    bedrock, texts = Bedrock(), [f"{n} passage" for n in range(50)]
    embedder: Embedder = TitanEmbedder(bedrock, 256)
    assert list(embedder.passages(texts)) == [embedder.query(text) for text in texts]
    assert sorted(call["inputText"] for call in bedrock.calls) == sorted(texts * 2)


def test_decomposed_letters_are_sent_composed() -> None:
    bedrock = Bedrock()
    TitanEmbedder(bedrock, 256).query(unicodedata.normalize("NFD", "휴가 Größe"))
    assert bedrock.calls[0]["inputText"] == "휴가 Größe"


def test_no_passages_need_no_call() -> None:
    bedrock = Bedrock()
    assert list(TitanEmbedder(bedrock, 512).passages([])) == []
    assert bedrock.calls == []


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (refused(429, "ThrottlingException"), TemporarilyUnavailable),
        (refused(400, "ThrottlingException"), TemporarilyUnavailable),
        (refused(400, "ServiceQuotaExceededException"), TemporarilyUnavailable),
        (refused(408, "ModelTimeoutException"), TemporarilyUnavailable),
        (refused(424, "ModelErrorException"), TemporarilyUnavailable),
        (refused(429, "ModelNotReadyException"), TemporarilyUnavailable),
        (ReadTimeoutError(endpoint_url="https://bedrock"), TemporarilyUnavailable),
        (refused(401, "Unauthorized"), Misconfigured),
        (refused(400, "UnrecognizedClientException"), Misconfigured),
        (refused(413, "RequestEntityTooLargeException"), RequestRejected),
    ],
    ids=str,
)
def test_each_failure_has_its_error_and_one_call(error: Exception, kind: type[SelfragError]) -> None:
    bedrock = Bedrock(error)
    with pytest.raises(SelfragError) as raised:
        TitanEmbedder(bedrock, 512).query(SECRET)
    assert type(raised.value) is kind
    assert len(bedrock.calls) == 1, "the state machine retries"
    assert SECRET not in str(raised.value)
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__


@pytest.mark.parametrize("reply", [b"", b"<html>", b"[]", b"{}", b'{"embedding": null}', b'{"embedding": ["x"]}'])
def test_a_reply_that_cannot_be_read_is_worth_another_try(reply: bytes) -> None:
    with pytest.raises(TemporarilyUnavailable, match="cannot be read"):
        TitanEmbedder(Bedrock(reply=reply), 512).query("text")


def test_a_vector_of_another_length_is_no_vector() -> None:
    with pytest.raises(Misconfigured, match="gave 2 dimensions, not 512"):
        TitanEmbedder(Bedrock(reply=b'{"embedding": [0.6, 0.8]}'), 512).query("text")


def test_passages_before_one_that_is_refused_have_their_vectors() -> None:
    vectors = iter(TitanEmbedder(Bedrock(), 512).passages(["good", "", "good"]))
    assert len(next(vectors)) == 512
    with pytest.raises(RequestRejected):
        next(vectors)


class Busy(Bedrock):
    """A client that is too busy for every so manieth call, and a clock that only its calls move, by 8 s each."""

    def __init__(self, every: int) -> None:
        super().__init__()
        self.every, self.now = every, 0.0

    def invoke_model(self, **asked: Any) -> dict[str, Any]:
        self.now += 8
        self.error = refused(429, "ThrottlingException") if (len(self.calls) + 1) % self.every == 0 else None
        return super().invoke_model(**asked)


def test_a_busy_model_is_not_waited_for() -> None:
    bedrock = Busy(every=3)
    vectors = iter(TitanEmbedder(bedrock, 512, lambda: bedrock.now).passages(["one", "two", "three"]))
    assert len([next(vectors), next(vectors)]) == 2
    with pytest.raises(TemporarilyUnavailable):
        next(vectors)
    assert (len(bedrock.calls), bedrock.now) == (3, 24), "one call for a refused passage, and no pause"


def test_slow_embedding_stops_before_step_timeout() -> None:
    bedrock = Busy(every=1000)
    assert len(list(TitanEmbedder(bedrock, 512, lambda: bedrock.now).passages(["text"] * 25))) == 12
    (state,) = (each for each in lambda_tasks(INGESTION_MACHINE) if each.name == "EmbedPassages")
    config = bootstrap.embedder()._client.meta.config
    last_call = config.connect_timeout + config.read_timeout
    assert SECONDS_OF_A_RUN + last_call + 15 <= state.body["TimeoutSeconds"], "the last call, and storing what came"


@pytest.mark.parametrize("dimensions", [None, "256", "512", "1024"])
def test_the_embedder_is_what_the_settings_describe(dimensions: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if dimensions:
        monkeypatch.setenv("SELFRAG_VECTOR_DIMENSIONS", dimensions)
    embedder = bootstrap.embedder()
    assert embedder is bootstrap.embedder(), "one client for all questions of a process"
    assert embedder._dimensions == int(dimensions or 512)


def test_the_client_has_explicit_timeouts_and_tries_once() -> None:
    config = bootstrap.embedder()._client.meta.config
    assert (config.connect_timeout, config.read_timeout) == (3.0, 10.0)
    assert config.retries["total_max_attempts"] == 1
