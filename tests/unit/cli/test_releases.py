"""Rollback to a release: available releases, changed aliases, and error messages."""

import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber

from selfrag.domain.errors import InvalidInput, Misconfigured
from selfrag_cli.deployment.releases import Releases, find_rollback_target, releases_of

HERE = "arn:aws:states:eu-west-1:123456789012:stateMachine"
KEYS = {"region_name": "eu-west-1", "aws_access_key_id": "a", "aws_secret_access_key": "b"}


def version(number: str, stream: str | None = None, agents: str | None = None, **machines: str) -> dict[str, Any]:
    """Return a version of `ask` as Lambda lists it; `agents` is that of both functions by which agents are answered."""
    variables = {"SELFRAG_STANDARD_MACHINE_ARN": f"{HERE}:rag-standard:{machines.get('standard')}"}
    variables["SELFRAG_RELEASE"] = json.dumps(machines)
    if stream:
        variables["SELFRAG_STREAM_VERSION"] = stream
    if agents:
        variables |= {"SELFRAG_AGENTS_VERSION": agents, "SELFRAG_RETRIEVE_VERSION": agents}
    listed = {"Version": number, "LastModified": "2026-11-21T17:03:05.000+0000"}
    return {**listed, "Environment": {"Variables": variables}} if machines else listed


# A share that somebody gave to another version is taken back.
WHOLE: dict[str, Any] = {"RoutingConfig": {"AdditionalVersionWeights": {}}}
FIRST, SECOND = version("1", standard="1", ingestion="1"), version("2", standard="2", ingestion="1")


@pytest.fixture
def aws() -> Iterator[Any]:
    """Lambda and Step Functions with only the answers that a test sets."""
    functions, states = boto3.client("lambda", **KEYS), boto3.client("stepfunctions", **KEYS)
    with Stubber(functions) as of_lambda, Stubber(states) as of_states:
        yield SimpleNamespace(functions=of_lambda, states=of_states, releases=Releases(functions, states, "rag"))
        of_lambda.assert_no_pending_responses()
        of_states.assert_no_pending_responses()


def listed(aws: Any, *versions: dict[str, Any]) -> list[Any]:
    aws.functions.add_response("list_versions_by_function", {"Versions": [version("$LATEST"), *versions]})
    return list(aws.releases.all())


def test_release_is_ask_version_with_its_machine_versions(aws: Any) -> None:
    first, second = listed(aws, SECOND, FIRST)
    assert (first.number, second.number, first.made_at) == (1, 2, "2026-11-21 17:03")
    assert second.machines == {"standard": f"{HERE}:rag-standard:2", "ingestion": f"{HERE}:rag-ingestion:1"}


def test_rollback_skips_machines_that_the_release_lacks(aws: Any) -> None:
    first, second = listed(aws, FIRST, version("2", standard="2", **{"reindex": "4"}))
    assert second.machines["reindex"] == f"{HERE}:rag-reindex:4"
    assert first.machines.keys() == {"standard", "ingestion"}


def test_making_release_live_moves_machine_and_ask_aliases(aws: Any) -> None:
    first, _ = listed(aws, FIRST, SECOND)
    for machine in ("ingestion", "standard"):
        aws.states.add_response("describe_state_machine", MACHINE, {"stateMachineArn": f"{HERE}:rag-{machine}:1"})
    for machine in ("ingestion", "standard"):
        routing = [{"stateMachineVersionArn": f"{HERE}:rag-{machine}:1", "weight": 100}]
        moved = {"stateMachineAliasArn": f"{HERE}:rag-{machine}:live", "routingConfiguration": routing}
        aws.states.add_response("update_state_machine_alias", {"updateDate": 0}, moved)
    asked = {"FunctionName": "rag-ask", "Name": "live", "FunctionVersion": "1", **WHOLE}
    aws.functions.add_response("update_alias", {}, asked)
    aws.releases.make_live(first)


def test_rollback_includes_stream_and_agent_functions_of_named_release(aws: Any) -> None:
    (release,) = listed(aws, version("3", stream="8", agents="5", standard="1"))
    aws.states.add_response("describe_state_machine", MACHINE)
    others = (("stream", "8"), ("agents", "5"), ("retrieve", "5"))
    for function, number in others:
        expected = {"FunctionName": f"rag-{function}", "Qualifier": number}
        aws.functions.add_response("get_function_configuration", {}, expected)
    aws.states.add_response("update_state_machine_alias", {"updateDate": 0})
    for function, number in (*others, ("ask", "3")):
        moved: dict[str, Any] = {"FunctionName": f"rag-{function}", "Name": "live", "FunctionVersion": number}
        moved |= WHOLE if function == "ask" else {}
        aws.functions.add_response("update_alias", {}, moved)
    aws.releases.make_live(release)


def test_a_release_whose_stream_was_deleted_is_refused_before_anything_is_moved(aws: Any) -> None:
    (release,) = listed(aws, version("3", stream="8", standard="1"))
    aws.states.add_response("describe_state_machine", MACHINE)
    aws.functions.add_client_error("get_function_configuration", "ResourceNotFoundException", http_status_code=404)
    with pytest.raises(InvalidInput, match=r"Release 3 .*rag-stream:8 was deleted\. Nothing was changed"):
        aws.releases.make_live(release)


MACHINE = {
    "stateMachineArn": HERE,
    "name": "m",
    "definition": "{}",
    "roleArn": "r",
    "type": "STANDARD",
    "creationDate": 0,
}


def test_a_release_whose_machine_was_deleted_is_refused_before_anything_is_moved(aws: Any) -> None:
    first, _ = listed(aws, FIRST, SECOND)
    aws.states.add_client_error("describe_state_machine", "StateMachineDoesNotExist", http_status_code=400)
    with pytest.raises(
        InvalidInput, match=r"Release 1 .*stateMachine:rag-ingestion:1 was deleted\. Nothing was changed"
    ):
        aws.releases.make_live(first)


def test_rollback_goes_to_the_previous_or_the_named_release(aws: Any) -> None:
    releases = listed(aws, FIRST, SECOND, version("4", standard="3"))
    assert find_rollback_target(releases, 4, None).number == 2
    assert find_rollback_target(releases, 2, 4).number == 4


@pytest.mark.parametrize(
    ("live", "wanted", "sentence"),
    [
        (1, None, "Release 1 is the first one that is kept: there is none before it to go back to."),
        (2, 2, "Release 2 is live already."),
        (2, 3, "There is no release 3; kept are 1, 2."),
    ],
)
def test_impossible_rollback_is_refused_in_a_sentence(aws: Any, live: int, wanted: int | None, sentence: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        find_rollback_target(listed(aws, FIRST, SECOND), live, wanted)
    assert str(refused.value) == sentence


def test_a_deployment_that_is_not_there_is_said_to_be_not_there(aws: Any) -> None:
    for _ in range(2):
        aws.functions.add_client_error("list_versions_by_function", "ResourceNotFoundException", http_status_code=404)
    aws.functions.add_client_error("get_alias", "ResourceNotFoundException", http_status_code=404)
    for look in (aws.releases.all, aws.releases.all, aws.releases.live_number):
        with pytest.raises(InvalidInput, match="There is no deployment called rag in eu-west-1"):
            look()


@pytest.mark.parametrize("unreadable", [version("1"), {**version("1"), "Environment": {"Error": {"ErrorCode": "Key"}}}])
def test_versions_that_name_no_machines_are_no_releases(aws: Any, unreadable: dict[str, Any]) -> None:
    with pytest.raises(Misconfigured, match="kms:Decrypt"):
        listed(aws, unreadable)
    assert [release.number for release in listed(aws, unreadable, SECOND)] == [2]


def test_without_a_region_it_is_said_how_to_name_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    with pytest.raises(InvalidInput, match="--region"):
        releases_of("rag", None)


def test_denied_access_to_releases_raises_misconfigured(aws: Any) -> None:
    aws.functions.add_client_error("get_alias", "AccessDeniedException", http_status_code=403)
    with pytest.raises(Misconfigured, match="Lambda refused the access"):
        aws.releases.live_number()
