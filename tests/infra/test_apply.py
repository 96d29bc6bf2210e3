"""The Terraform as it is, applied to an emulator of AWS: made, found unchanged, and removed without a trace."""

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import boto3
import httpx2

from tests.infra.asking import (
    DOCUMENTS,
    api_key,
    at,
    backends,
    documents,
    documents_held,
    eventually,
    finished,
    host_packages,
    set_keys,
)
from tests.infra.emulator import Stack, emulator
from tests.infra.metrics import EMITTED
from tests.infra.rules import FUNCTIONS, functions_of, listed_permissions
from tests.support.opensearch_double import OpenSearchDouble

Resources = dict[str, dict[str, Any]]

QUESTION = "How many weeks of parental leave does each parent receive?"
FEW_REQUESTS = {"key_throttle": {"rate": 5, "burst": 10}}

# What AWS offers no resource for.
WITHOUT_A_RESOURCE = {
    "xray:GetSamplingRules",
    "xray:GetSamplingTargets",
    "xray:PutTelemetryRecords",
    "xray:PutTraceSegments",
    "logs:CreateLogDelivery",
    "logs:DeleteLogDelivery",
    "logs:DescribeLogGroups",
    "logs:DescribeResourcePolicies",
    "logs:GetLogDelivery",
    "logs:ListLogDeliveries",
    "logs:PutResourcePolicy",
    "logs:UpdateLogDelivery",
}

CLAUDE = "us.anthropic.claude-haiku-5-5-v1:0"
OTHER_CHOICES = {
    "alarm_email": "team@example.com",
    "auth": "iam",
    "collection_public": False,
    "collection_vpc_endpoint_ids": ["vpce-1"],
    "index_writers": ["arn:aws:iam::000000000000:role/loader"],
    "kms_key_arn": "arn:aws:kms:us-east-1:000000000000:key/1",
    "memory": {"ask": 1024},
    "pipeline": "2",
    "model_provider": "bedrock",
    "models": {step: CLAUDE for step in functions_of() if (FUNCTIONS / step / "prompt.md").exists()},
    "prices": {CLAUDE: [1, 5, 0.1]},
    "reserved_concurrency": {"generate": 5},
    "saved_queries": True,
    "security_group_ids": ["sg-1"],
    "subnet_ids": ["subnet-1"],
    "tracing": False,
    "web_acl_arn": "arn:aws:wafv2:us-east-1:000000000000:regional/webacl/name/1",
    "web_search": False,
}


def test_the_deployment_is_made_found_unchanged_and_removed(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    # One test, because every worker of a parallel run would make a stack of its own.
    with backends() as (variables, collection), emulator(tmp_path) as aws:
        stack = Stack(aws, tmp_path / "stack", host_packages(tmp_path / "packages"), {**variables, **FEW_REQUESTS})
        stack.apply()
        resources, outputs = stack.resources(), stack.outputs()
        everything_is_made(resources)
        no_output_and_no_secret_holds_a_key(resources, outputs)
        every_action_is_named_and_has_its_resource(resources)
        each_role_allows_what_the_page_of_permissions_lists(resources)
        alarms_and_widgets_use_metrics_that_are_emitted(resources)
        errors_of_the_gateway_are_problem_details(resources)
        loaded = objects_of_the_bucket_become_passages(stack, collection)
        asked = questions_are_answered_through_the_gateway(stack)
        removed = a_deleted_object_is_gone_from_the_collection(stack, collection)
        those_without_a_key_or_with_too_many_requests_are_refused(stack)
        assert stack.changes() == {}, "a second plan changes nothing"
        stack.destroy()
        assert stack.resources() == {}, "destroy leaves nothing"
    times = ", ".join(f"{verb} {stack.seconds[verb]:.0f} s" for verb in ("apply", "plan", "destroy"))
    record_property("figures", f"terraform on an emulator: {len(resources)} resources, {times}, second plan empty")
    record_property("figures", f"documents through the deployed bucket, EventBridge and machine: {loaded}, {removed}")
    record_property("figures", f"answer through the deployed API Gateway: {asked}")


def everything_is_made(resources: Resources) -> None:
    kinds = {address.split(".")[0] for address in resources}
    assert len(resources) > 190
    assert {"aws_opensearchserverless_collection", "aws_sfn_state_machine", "aws_api_gateway_stage"} <= kinds
    handlers = {function["handler"] for function in of_kind(resources, "aws_lambda_function")}
    assert handlers == {f"{step}.handler.handler" for step in functions_of()}


def no_output_and_no_secret_holds_a_key(resources: Resources, outputs: dict[str, Any]) -> None:
    [key] = of_kind(resources, "aws_api_gateway_api_key")
    assert len(key["value"]) >= 20
    assert key["value"] not in json.dumps(outputs)
    assert key["id"] in outputs["api_key_command"]
    assert of_kind(resources, "aws_secretsmanager_secret_version") == []
    assert set(outputs["secret_commands"]) == {"anthropic", "tavily"}


def every_action_is_named_and_has_its_resource(resources: Resources) -> None:
    statements = [
        (address, statement)
        for address, values in resources.items()
        if "Statement" in str(values.get("policy"))
        for statement in listed(json.loads(values["policy"])["Statement"])
    ]
    assert len(statements) > 40
    for address, statement in statements:
        actions = listed(statement["Action"])
        assert not [action for action in actions if "*" in action], address
        if "*" in listed(statement["Resource"]):
            assert set(actions) <= WITHOUT_A_RESOURCE, f"{address}: {actions}"


def each_role_allows_what_the_page_of_permissions_lists(resources: Resources) -> None:
    page = listed_permissions()
    for address, values in resources.items():
        if address.startswith("aws_iam_role_policy."):
            statements = json.loads(values["policy"])["Statement"]
            allowed = {action for statement in statements for action in listed(statement["Action"])}
            # A role for each function and each machine of questions, and one alone: [..."generate"], .events
            role = (
                "workflow"
                if "workflow" in address
                else address.replace('"', ".").split(".")[-2 if "[" in address else -1]
            )
            assert allowed == page[role], address


def alarms_and_widgets_use_metrics_that_are_emitted(resources: Resources) -> None:
    alarms = of_kind(resources, "aws_cloudwatch_metric_alarm")
    used = [(alarm["namespace"], alarm["metric_name"], frozenset(alarm["dimensions"])) for alarm in alarms]
    [dashboard] = of_kind(resources, "aws_cloudwatch_dashboard")
    for widget in json.loads(dashboard["dashboard_body"])["widgets"]:
        for metric in widget["properties"]["metrics"]:
            names = [part for part in metric if isinstance(part, str)]
            if names:
                used.append((names[0], names[1], frozenset(names[2::2])))
    ours = [(metric, dimensions) for namespace, metric, dimensions in used if namespace == "selfrag"]
    assert [each for each in ours if EMITTED.get(each[0]) != each[1]] == []
    assert len(ours) > 40
    assert all(namespace == "selfrag" or namespace.startswith("AWS/") for namespace, _, _ in used)


def errors_of_the_gateway_are_problem_details(resources: Resources) -> None:
    answers = of_kind(resources, "aws_api_gateway_gateway_response")
    assert len(answers) > 10
    for answer in answers:
        problem = json.loads(answer["response_templates"]["application/json"])
        assert set(problem) == {"type", "title", "status", "detail", "hint", "request_id"}
        assert str(problem["status"]) == answer["status_code"]
        assert answer["response_parameters"]["gatewayresponse.header.Content-Type"] == "'application/problem+json'"


def objects_of_the_bucket_become_passages(stack: Stack, collection: OpenSearchDouble) -> str:
    """Drop the documents into the bucket and wait; nothing else is done to load them. Returns the times."""
    s3, bucket = boto3.client("s3", **at(stack)), stack.outputs()["bucket"]

    def put(key: str) -> None:
        s3.put_object(Bucket=bucket, Key=key, Body=DOCUMENTS[key].encode())

    first, *others = DOCUMENTS
    seconds, _ = timed(lambda: (put(first), until_all_are(stack, {first: "ready"})))
    ready = dict.fromkeys(DOCUMENTS, "ready")
    more, _ = timed(lambda: ([put(key) for key in others], until_all_are(stack, ready)))
    assert documents_held(collection) == set(DOCUMENTS)
    return f"the first ready after {seconds:.1f} s with cold functions, {len(others)} more after {more:.1f} s"


def a_deleted_object_is_gone_from_the_collection(stack: Stack, collection: OpenSearchDouble) -> str:
    """Delete a document that was answered from; returns the time."""
    gone, *others = DOCUMENTS
    s3, bucket = boto3.client("s3", **at(stack)), stack.outputs()["bucket"]
    expected = {gone: "removed", **dict.fromkeys(others, "ready")}
    seconds, _ = timed(lambda: (s3.delete_object(Bucket=bucket, Key=gone), until_all_are(stack, expected)))
    assert documents_held(collection) == set(others)
    return f"a deleted one gone after {seconds:.1f} s"


def until_all_are(stack: Stack, expected: dict[str, str]) -> None:
    """Wait until the manifest says so, and nothing else."""
    eventually(lambda: documents(stack) == expected or None, f"the documents are not {expected}")


def questions_are_answered_through_the_gateway(stack: Stack) -> str:
    """Ask both ways; returns the answer and the times."""
    set_keys(stack)
    with httpx2.Client(headers={"x-api-key": api_key(stack)}, timeout=60) as api:

        def ask(question: str) -> tuple[float, dict[str, Any]]:
            return timed(lambda: api.post(stack.url("/v1/ask"), json={"question": question}).json())

        # It starts the functions, for which a busy machine may need more than a question's deadline: it may stay partial.
        cold, _ = ask(QUESTION)
        _, direct = ask("What is 17 * 23?")
        assert (direct["status"], direct["path"]) == ("answered", ["DecideRetrieval", "Generate", "GradeUtility"])
        seconds, response = ask(QUESTION)
        assert response["status"] == "answered"
        assert "18 weeks" in response["answer"]
        assert response["citations"][0]["document"] == "documents/people/parental-leave.md"
        _, repeated = ask(QUESTION)
        assert repeated["usage"]["cached_verdicts"] == 5

        started = api.post(stack.url("/v1/questions"), json={"question": QUESTION})
        assert started.status_code == 202
        location = started.headers["location"].removeprefix("/live")
        assert finished(api, stack.url(location))["answer"] == response["answer"]
        trace_of(stack, started.json()["id"])
    return f'"{response["answer"]}" after {seconds:.1f} s; the first reply took {cold:.1f} s with cold functions'


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    started = time.monotonic()
    result = call()
    return time.monotonic() - started, result


def trace_of(stack: Stack, question_id: str) -> None:
    """The Standard execution's history, as the console shows it, has every step."""
    client = boto3.client("stepfunctions", **at(stack))
    arn = stack.outputs()["machine_arns"]["standard"].replace(":stateMachine:", ":execution:")
    events = client.get_execution_history(executionArn=f"{arn}:{question_id}", maxResults=1000)["events"]
    entered = {event["stateEnteredEventDetails"]["name"] for event in events if "stateEnteredEventDetails" in event}
    assert {"DecideRetrieval", "Retrieve", "Generate", "ComposeAnswer", "RememberAnswer"} <= entered


def those_without_a_key_or_with_too_many_requests_are_refused(stack: Stack) -> None:
    with httpx2.Client(timeout=30) as api:
        assert api.get(stack.url("/v1/health")).json() == {"status": "ok"}
        problem(api.post(stack.url("/v1/ask"), json={"question": QUESTION}), 403)
        problem(api.get(stack.url("/v1/nothing")), 404)
        api.headers["x-api-key"] = api_key(stack)
        problem(api.post(stack.url("/v1/ask"), json={"question": ""}), 400)
        with ThreadPoolExecutor(20) as pool:
            replies = list(pool.map(lambda _: api.get(stack.url("/v1/questions/none")), range(60)))
        assert {reply.status_code for reply in replies} == {404, 429}
        problem(next(reply for reply in replies if reply.status_code == 429), 429)


def problem(reply: httpx2.Response, status: int) -> None:
    assert (reply.status_code, reply.json()["status"]) == (status, status)
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.json()["request_id"]


def test_every_other_choice_can_be_planned(tmp_path: Path) -> None:
    with emulator(tmp_path) as aws:
        packages = empty_packages(tmp_path / "packages")
        planned = set(Stack(aws, tmp_path / "other", packages, OTHER_CHOICES).changes())
        assert {"aws_wafv2_web_acl_association.api[0]", "aws_xray_group.traces[0]"} <= planned
        assert not [each for each in planned if each.startswith(("aws_api_gateway_api_key", "aws_secretsmanager"))]
        existing = {"collection_endpoint": "http://127.0.0.1:9"}
        planned = set(Stack(aws, tmp_path / "existing", packages, existing).changes())
        assert planned
        assert not [each for each in planned if "opensearch" in each]


def empty_packages(directory: Path) -> Path:
    """Files in the place of the packages: a plan reads no more than their digests."""
    directory.mkdir()
    for name in [*functions_of(), "layer"]:
        (directory / f"{name}.zip").touch()
    return directory


def of_kind(resources: Resources, kind: str) -> list[dict[str, Any]]:
    """The attributes of all resources of a kind."""
    return [values for address, values in resources.items() if address.startswith(f"{kind}.")]


def listed(value: Any) -> list[Any]:
    """A policy's value, which may be a text or a list of them."""
    return value if isinstance(value, list) else [value]
