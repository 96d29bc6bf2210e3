"""A key that was rotated is noticed by functions that are warm, and one that is wrong is not tried again and again."""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from moto import mock_aws
from werkzeug.wrappers import Request, Response

from selfrag import bootstrap
from selfrag.bootstrap import questions
from selfrag.domain.calls import Limits
from selfrag.domain.errors import Misconfigured
from selfrag.ports.model import Prompt
from selfrag.question.grade_relevance.logic import Relevance
from tests.support.doubles.model_server import ModelServer

SECRET = "model-key"


class KeyedServer(ModelServer):
    """Answers those that send the good key, and 401 to others."""

    def __init__(self) -> None:
        super().__init__()
        self.good, self.keys = "old", []

    def _respond(self, request: Request) -> Response:
        self.keys.append(request.headers["authorization"].removeprefix("Bearer "))
        return super()._respond(request) if self.keys[-1] == self.good else Response("{}", 401)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[KeyedServer]:
    with mock_aws(), KeyedServer() as running:
        boto3.client("secretsmanager").create_secret(Name=SECRET, SecretString="old")
        monkeypatch.setenv("SELFRAG_MODEL_SECRET", SECRET)
        monkeypatch.setenv("SELFRAG_MODEL_BASE_URL", running.url)
        yield running


def judgement() -> Any:
    model = questions.model("generate")(Limits(cache=False))
    return model.judge("grade_relevance", Prompt("the rubric", "v1"), {"question": "?"}, Relevance)


def judge() -> Any:
    return judgement().verdict


def set_secret(value: str) -> None:
    boto3.client("secretsmanager").put_secret_value(SecretId=SECRET, SecretString=value)


def test_refused_key_is_replaced_by_rotated_key_and_kept(server: KeyedServer) -> None:
    judge()
    set_secret("new")
    judge()
    server.good = "new"
    assert judge() == judge()
    assert server.keys == ["old", "old", "old", "new", "new"]


def test_the_request_with_the_old_key_counts_too(server: KeyedServer) -> None:
    judge()
    set_secret("new")
    server.good = "new"
    assert (judgement().attempts, judgement().attempts) == (2, 1)


def test_a_key_that_is_wrong_is_sent_once_for_each_call(server: KeyedServer) -> None:
    server.good = "another"
    for _ in range(2):
        with pytest.raises(Misconfigured, match="refused the key"):
            judge()
    assert server.keys == ["old", "old"]


def test_a_new_key_that_is_wrong_too_is_sent_once(server: KeyedServer) -> None:
    judge()
    server.good = "another"
    set_secret("new")
    with pytest.raises(Misconfigured, match="refused the key"):
        judge()
    assert server.keys == ["old", "old", "new"]


def test_a_client_that_was_handed_over_is_used_as_it_is(server: KeyedServer) -> None:
    server.good = "another"
    handed = questions.claude_client()
    set_secret("another")
    with bootstrap.using(claude_client=handed), pytest.raises(Misconfigured, match="refused the key"):
        judge()
    assert server.keys == ["old"]
