"""The composition root: parts are made once, told apart by nobody, and can be handed over."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import boto3
import pytest
from moto import mock_aws
from pydantic import BaseModel
from werkzeug.wrappers import Request, Response

from cli.local.loopback import Loopback
from selfrag import bootstrap
from selfrag.domain.errors import InvalidInput, Misconfigured
from selfrag.domain.passages import Passage
from selfrag.ports.web import Domains
from selfrag.runtime import parts

ROOT = Path(__file__).parents[3]
LOGIC = sorted(
    ".".join(file.relative_to(ROOT / "functions").with_suffix("").parts)
    for file in (ROOT / "functions").glob("*/*/logic.py")
)


class Asked(BaseModel):
    """A task."""

    question: str


def test_a_part_is_made_once_until_it_is_forgotten() -> None:
    first = bootstrap.settings()
    assert bootstrap.settings() is first
    bootstrap.forget()
    assert bootstrap.settings() is not first


def test_a_part_that_is_handed_over_stands_in_until_the_block_ends_also_when_blocks_are_nested() -> None:
    outer, inner, manifest = object(), object(), object()
    with bootstrap.using(index=outer, manifest=manifest):  # type: ignore[typeddict-item]
        with bootstrap.using(index=inner):  # type: ignore[typeddict-item]
            assert (bootstrap.index(), bootstrap.manifest()) == (inner, manifest)
        assert bootstrap.index() is outer
    with pytest.raises(Misconfigured, match="SELFRAG_COLLECTION_ENDPOINT"):
        bootstrap.index()


def test_what_was_made_of_a_part_that_is_handed_over_goes_with_it() -> None:
    before = bootstrap.settings()
    with bootstrap.using(index=SimpleNamespace()):  # type: ignore[typeddict-item]
        within = bootstrap.settings()
        assert within is not before
    assert bootstrap.settings() is not within


@pytest.fixture
def lambda_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """What this process imports now, it imports as a Lambda that starts."""
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "selfrag-retrieve")


def test_parts_are_made_at_the_start_of_a_lambda_and_wait_for_their_first_use_elsewhere(
    request: pytest.FixtureRequest,
) -> None:
    made: list[str] = []
    bootstrap.warm(lambda: made.append("on a laptop"))
    request.getfixturevalue("lambda_starts")
    bootstrap.warm(lambda: made.append("in a Lambda"))
    assert made == ["in a Lambda"]


@pytest.mark.usefixtures("lambda_starts")
def test_what_cannot_be_made_at_the_start_is_told_at_its_first_use_and_keeps_nothing_else_from_being_made() -> None:
    bootstrap.warm(bootstrap.index, bootstrap.claude_client, bootstrap.embedder)
    with pytest.raises(Misconfigured, match="SELFRAG_COLLECTION_ENDPOINT"):
        bootstrap.index()
    with pytest.raises(Misconfigured, match="SELFRAG_MODEL_SECRET"):
        bootstrap.claude_client()
    assert "embedder" in parts._made


@pytest.mark.usefixtures("lambda_starts")
def test_a_part_that_failed_at_the_start_is_made_when_what_it_lacked_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    bootstrap.warm(bootstrap.api_settings)
    for machine in ("EXPRESS", "STANDARD"):
        monkeypatch.setenv(f"SELFRAG_{machine}_MACHINE_ARN", "arn:aws:states:eu-west-1:1:stateMachine:questions")
    assert bootstrap.api_settings().express_machine_arn


@pytest.mark.usefixtures("lambda_starts")
def test_a_fault_of_our_own_at_the_start_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        bootstrap.warm(lambda: 1 / 0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SELFRAG_MODELS", "{bad"),
        ("SELFRAG_MODELS", '{"generat": "x"}'),
        ("SELFRAG_PRICES", '{"x": [1]}'),
        ("SELFRAG_MODEL_PROVIDER", "azure"),
        ("SELFRAG_WEB_TIMEOUT_SECONDS", "0"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named_whatever_is_wrong_with_it(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(Misconfigured, match=name):
        bootstrap.settings()


def test_an_event_that_cannot_be_read_is_the_callers_fault_and_its_values_are_not_told() -> None:
    handler = bootstrap.step(Asked)(lambda task: task)
    with pytest.raises(InvalidInput, match=r"cannot read its input: question$") as refused:
        handler({"question": ["a secret"]}, None)
    assert "secret" not in str(refused.value)


def test_what_cannot_be_read_later_on_is_not_blamed_on_the_caller() -> None:
    def work(task: Asked) -> Asked:
        Passage.model_validate({"passage_id": "p", "document": "d", "text": "t", "colour": "red"})
        return task

    with pytest.raises(ValueError, match="colour") as failed:
        bootstrap.step(Asked)(work)({"question": "?"}, None)
    assert not isinstance(failed.value, InvalidInput)


def test_no_logic_loads_an_sdk_or_what_reads_settings() -> None:
    assert {f"question.{step}.logic" for step in ("grade_relevance", "grade_support", "grade_utility")} < set(LOGIC)
    program = f"import sys, importlib\nfor name in {LOGIC}: importlib.import_module(name)\nprint(*sys.modules)"
    path = {"PYTHONPATH": str(ROOT / "functions")}
    ended = subprocess.run([sys.executable, "-c", program], env=path, capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in ended.stdout.split()}
    assert {"question", "ingestion", "selfrag", "pydantic"} <= loaded
    assert loaded & {"anthropic", "boto3", "botocore", "opensearchpy", "httpx2", "pydantic_settings"} == set()


def test_one_search_of_the_web_after_the_other_goes_over_the_same_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    connections: list[str] = []

    def found(request: Request) -> Response:
        connections.append(request.environ["REMOTE_PORT"])
        return Response('{"results": []}', content_type="application/json")

    with Loopback(found) as service, mock_aws():
        for name, value in (("SELFRAG_WEB_BASE_URL", service.url), ("SELFRAG_WEB_SECRET", "web-key")):
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        boto3.client("secretsmanager").create_secret(Name="web-key", SecretString="key")
        for _ in range(2):
            bootstrap.web()(None)("sea state 6", 3, Domains())
    first, second = connections
    assert first == second
