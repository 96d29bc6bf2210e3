"""The Terraform on an emulator of AWS: applied, used, applied again without changes, and destroyed completely.

The tests are in the order in which they run: all but the last share one deployment, and each leaves it as the next one
needs it.
"""

import json
import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import boto3
import httpx2
import pytest

from infra.packages.zips import LAYERS
from selfrag.api.edge.cors import SECURITY_HEADERS
from selfrag.domain.kinds import EXTENSIONS
from tests.support.documents.made_files import MAKERS
from tests.support.doubles.opensearch_double import OpenSearchDouble
from tests.support.doubles.titan_double import TitanDouble
from tests.support.infra.agents import agents_are_answered
from tests.support.infra.asking import (
    COLLECTION,
    DOCUMENTS,
    at,
    documents_held,
    ended,
    finished,
    patient_client,
    until_all_are,
)
from tests.support.infra.compatible import (
    clients_learn_why_an_answer_is_missing_or_partial,
    clients_of_openais_api_are_answered,
)
from tests.support.infra.deployment import ORIGIN, Deployment
from tests.support.infra.doctor import (
    the_doctor_finds_the_deployment_well,
    the_doctor_knew_an_account_without_a_deployment,
)
from tests.support.infra.emulator import Stack
from tests.support.infra.kinds import SCANNED_KIND, a_file_is_read_asked_about_and_cited, kinds_of_files
from tests.support.infra.made import (
    alarms_and_widgets_use_metrics_that_are_emitted,
    each_role_allows_what_the_page_of_permissions_lists,
    errors_of_the_gateway_are_problem_details,
    every_action_is_named_and_has_its_resource,
    everything_is_made,
    everything_names_versions,
    no_output_and_no_secret_holds_a_key,
    the_roles_are_those_that_the_tests_enforce,
    what_comes_from_outside_goes_to_the_release_that_is_live,
    whom_anybody_may_call_costs_little,
)
from tests.support.infra.page import the_page_is_asked_with_a_key
from tests.support.infra.releases import a_release_comes_and_goes
from tests.support.infra.rules import FUNCTIONS, function_roles
from tests.support.infra.tenants import a_key_that_may_ask_changes_no_document, new_key
from tests.support.roles import deployer, trust

QUESTION = "How many weeks of parental leave does each parent receive?"

NEW_INDEX = {"name": "passages-256", "vector_dimensions": 256}
LATE, BROKEN = "documents/people/sick-leave (2).md", "documents/people/empty.md"
UNTOLD = {LATE: "# Sick leave\n\nA doctor's note is needed from the fourth day of sickness.\n", BROKEN: "\n"}
UNTOLD_QUESTION = "From which day of sickness is a doctor's note needed?"

UPLOADS_FROM = "https://upload.example.com"
CLAUDE = "us.anthropic.claude-haiku-5-5-v1:0"
OTHER_CHOICES = {
    "account_concurrency": 1000,
    "agents": True,
    "alarm_email": "team@example.com",
    "auth": "iam",
    "collection_public": False,
    "collection_vpc_endpoint_ids": ["vpce-1"],
    "embedding_region": "us-west-2",
    "index": {"name": "passages-2"},
    "index_writers": ["arn:aws:iam::000000000000:role/loader"],
    "manage_api_gateway_account": True,
    "kms_key_arn": "arn:aws:kms:us-east-1:000000000000:key/1",
    "memory": {"ask": 1024},
    "network": "all",
    "pipeline": "2",
    "model_provider": "bedrock",
    "models": {
        **{prompt.parent.name: CLAUDE for prompt in FUNCTIONS.glob("selfrag/*/*/prompt.md")},
        "grade_support_first": CLAUDE,
    },
    "prices": {CLAUDE: [1, 5, 0.1]},
    "reserved_concurrency": {"generate": 5},
    "reindex_concurrency": 1000,
    "saved_queries": True,
    "search_index": {"vector_dimensions": 1024},
    "security_group_ids": ["sg-1"],
    "snap_start": True,
    "subnet_ids": ["subnet-1"],
    "text_recognition": "lines",
    "text_recognition_pages": 20,
    "tracing": False,
    "cors_origins": [ORIGIN],
    "upload_origins": [UPLOADS_FROM],
    "web_acl_arn": "arn:aws:wafv2:us-east-1:000000000000:regional/webacl/name/1",
    "web_search": False,
}


Figures = Callable[[str, object], None]


# Scheduled first: it mostly waits, and would otherwise run alone at the end.
@pytest.mark.longest(500)
def test_the_doctor_knows_an_account_without_a_deployment(deployment: Deployment) -> None:
    the_doctor_knew_an_account_without_a_deployment(*deployment.examined)


def test_applied_resources_follow_rules(deployment: Deployment, record_property: Figures) -> None:
    resources, outputs = deployment.stack.resources(), deployment.stack.outputs()
    everything_is_made(resources)
    no_output_and_no_secret_holds_a_key(resources, outputs)
    every_action_is_named_and_has_its_resource(resources)
    each_role_allows_what_the_page_of_permissions_lists(resources)
    the_roles_are_those_that_the_tests_enforce(resources)
    everything_names_versions(resources)
    what_comes_from_outside_goes_to_the_release_that_is_live(resources)
    alarms_and_widgets_use_metrics_that_are_emitted(resources)
    errors_of_the_gateway_are_problem_details(resources)
    whom_anybody_may_call_costs_little(resources)
    seconds = deployment.stack.seconds["apply"]
    record_property("figures", f"terraform on an emulator: {len(resources)} resources in {seconds:.0f} s")


def test_only_named_services_assume_roles_and_use_resources(deployment: Deployment) -> None:
    resources = deployment.stack.resources()
    assert len(trust.questions(resources)) > 300
    assert trust.wrong_decisions(resources) == []
    unnoticed = [name for name, less in trust.reductions(resources) if not trust.wrong_decisions(less)]
    assert unnoticed == [], "a removed statement is noticed"


def test_a_second_plan_changes_nothing(deployment: Deployment) -> None:
    assert deployment.stack.changes() == {}


def test_objects_of_the_bucket_become_passages(deployment: Deployment, loaded: str, record_property: Figures) -> None:
    assert documents_held(deployment.collection) >= set(DOCUMENTS)
    record_property("figures", f"documents through the deployed bucket, EventBridge and machine: {loaded}")


@pytest.mark.usefixtures("loaded")
def test_questions_are_answered_through_the_gateway(deployment: Deployment, record_property: Figures) -> None:
    record_property("figures", f"by API Gateway: {questions_are_answered_through_the_gateway(deployment.stack)}")


@pytest.mark.usefixtures("loaded")
def test_event_client_gets_passes_then_answer(deployment: Deployment) -> None:
    body, headers = {"question": QUESTION}, {"accept": "text/event-stream"}
    problem(httpx2.post(deployment.stack.url("/v1/ask"), json=body, headers=headers), 401)
    with patient_client(deployment.stack) as api:
        reply = api.post(deployment.stack.url("/v1/ask"), json=body, headers=headers)
        assert (reply.status_code, reply.headers["content-type"]) == (200, "text/event-stream")
        names = re.findall(r"^event: (\w+)$", reply.text, re.M)
        assert names == ["question", *["pass"] * (len(names) - 2), "answer"]
        assert len(names) > 3
        answer = json.loads(reply.text.rpartition("data: ")[2])
        assert "18 weeks" in answer["answer"]
        # The stage is part of the path.
        assert api.get(deployment.stack.url(f"/v1/questions/{answer['id']}")).json() == answer
        problem(api.post(deployment.stack.url("/v1/ask"), json={"question": ""}, headers=headers), 400)


@pytest.mark.usefixtures("loaded")
def test_agents_use_gateway_tools_and_unbound_key_reaches_nothing(deployment: Deployment) -> None:
    answer, refused = agents_are_answered(deployment.stack, QUESTION)
    assert answer["status"] == "answered", answer
    assert "18 weeks" in answer["answer"]
    assert refused.startswith("Your key is bound to no collection.")
    assert httpx2.post(deployment.stack.url("/mcp"), json={}).status_code == 401


@pytest.mark.usefixtures("loaded")
def test_openai_clients_ask_with_bearer_token_within_quota(deployment: Deployment) -> None:
    clients_of_openais_api_are_answered(deployment.stack, QUESTION, "18 weeks")


@pytest.mark.usefixtures("loaded")
def test_openai_clients_learn_of_daily_cap_failed_step_and_deadline(deployment: Deployment) -> None:
    clients_learn_why_an_answer_is_missing_or_partial(deployment.stack, deployment.model, QUESTION)


@pytest.mark.usefixtures("loaded")
def test_a_key_that_may_ask_cannot_upload_replace_or_delete(deployment: Deployment) -> None:
    a_key_that_may_ask_changes_no_document(deployment.stack)


def test_there_is_a_made_up_file_of_each_kind_that_is_read() -> None:
    assert MAKERS.keys() == EXTENSIONS


KINDS = [
    pytest.param(kind, marks=[] if kind in (".pdf", SCANNED_KIND) else [pytest.mark.long]) for kind in kinds_of_files()
]


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_of_each_kind_is_read_asked_about_and_cited(deployment: Deployment, kind: str) -> None:
    a_file_is_read_asked_about_and_cited(deployment.stack, kind)


def test_a_deleted_object_is_gone_from_the_collection(deployment: Deployment) -> None:
    s3, bucket, key = (
        boto3.client("s3", **at(deployment.stack)),
        deployment.stack.outputs()["bucket"],
        "documents/gone.md",
    )
    s3.put_object(Bucket=bucket, Key=key, Body=b"# Gone\n\nNothing of importance.\n")
    until_all_are(deployment.stack, {key: "ready"})
    assert key in documents_held(deployment.collection)
    s3.delete_object(Bucket=bucket, Key=key)
    until_all_are(deployment.stack, {key: "removed"})
    assert key not in documents_held(deployment.collection)


@pytest.mark.usefixtures("loaded")
def test_the_page_is_asked_with_a_key(deployment: Deployment, tmp_path: Path, record_property: Figures) -> None:
    asked = "What is the hotel limit per night in London?"
    record_property("figures", the_page_is_asked_with_a_key(deployment.stack, asked, "190", tmp_path))


def test_the_doctor_finds_the_deployment_well(deployment: Deployment) -> None:
    the_doctor_finds_the_deployment_well(deployment.stack, deployment.titan)


@pytest.mark.long
def test_those_without_a_key_or_with_too_many_requests_are_refused(deployment: Deployment) -> None:
    those_without_a_key_or_with_too_many_requests_are_refused(deployment.stack)


@pytest.mark.long
@pytest.mark.usefixtures("loaded")
def test_a_new_index_is_filled_while_the_old_one_is_searched(deployment: Deployment, record_property: Figures) -> None:
    figures = a_new_index_is_filled_while_the_old_one_is_searched(
        deployment.stack, deployment.collection, deployment.titan
    )
    record_property("figures", f"a new index filled by the reindexing machine: {figures}")


@pytest.mark.long
@pytest.mark.usefixtures("loaded")
def test_requests_succeed_and_stay_unmixed_during_release_and_rollback(
    deployment: Deployment, tmp_path: Path, record_property: Figures
) -> None:
    figures = a_release_comes_and_goes(deployment.stack, deployment.sources, tmp_path)
    record_property("figures", figures)


def test_every_other_choice_can_be_planned(deployment: Deployment, tmp_path: Path) -> None:
    aws, packages = deployment.stack.aws, empty_packages(tmp_path / "packages")
    planned = Stack(aws, tmp_path / "other", packages, OTHER_CHOICES).planned()
    of_questions = [planned["aws_lambda_function.ask"], planned['aws_lambda_function.step["generate"]']]
    assert [each["reserved_concurrent_executions"] for each in of_questions] == [166, 5]
    assert [each["snap_start"][0]["apply_on"] for each in of_questions] == ["PublishedVersions"] * 2
    assert {"aws_wafv2_web_acl_association.api[0]", "aws_xray_group.traces[0]"} <= planned.keys()
    [shared] = planned["aws_s3_bucket_cors_configuration.documents[0]"]["cors_rule"]
    assert shared["allowed_origins"] == [ORIGIN, UPLOADS_FROM]
    assert not [each for each in planned if each.startswith(("aws_api_gateway_api_key", "aws_secretsmanager"))]
    existing = {"collection_endpoint": "http://127.0.0.1:9"}
    planned = set(Stack(aws, tmp_path / "existing", packages, existing).changes())
    assert planned
    assert not [each for each in planned if "opensearch" in each]


def test_destroy_leaves_nothing(deployment: Deployment) -> None:
    deployment.stack.destroy()
    assert deployment.stack.resources() == {}


def test_deployer_policy_is_sufficient_and_minimal(deployment: Deployment, record_property: Figures) -> None:
    calls = deployer.called(deployment.stack.log)
    assert deployer.missing(calls) == set()
    assert deployer.unneeded(calls) == set()
    record_property("figures", f"deploying, planning again and removing takes {len(calls)} IAM actions")


@pytest.fixture(scope="session")
def loaded(deployment: Deployment) -> str:
    return objects_of_the_bucket_become_passages(deployment.stack, deployment.collection)


def objects_of_the_bucket_become_passages(stack: Stack, collection: OpenSearchDouble) -> str:
    """Drop the documents into the bucket and wait; nothing else is done to load them. Returns the times."""
    s3, bucket = boto3.client("s3", **at(stack)), stack.outputs()["bucket"]
    expected: dict[str, str] = {}

    def load(*keys: str) -> None:
        for key in keys:
            s3.put_object(Bucket=bucket, Key=key, Body=DOCUMENTS[key].encode())
            expected[key] = "ready"
        until_all_are(stack, expected)

    first, *others = DOCUMENTS
    seconds, _ = timed(lambda: load(first))
    more, _ = timed(lambda: load(*others))
    return f"the first ready after {seconds:.1f} s with cold functions, {len(others)} more after {more:.1f} s"


def questions_are_answered_through_the_gateway(stack: Stack) -> str:
    """Ask both ways; returns the answer and the times."""
    with patient_client(stack) as api:
        cold, first = timed(lambda: asked_for_later(stack, api, QUESTION))
        assert first["status"] == "answered", first
        assert "18 weeks" in first["answer"]
        assert first["citations"][0]["document"] == "documents/people/parental-leave.md"
        trace_of(stack, first["id"])

        seconds, response = timed(lambda: api.post(stack.url("/v1/ask"), json={"question": QUESTION}).json())
        assert (response["status"], response["answer"]) == ("answered", first["answer"])
        assert response["usage"]["model_calls"] == 0
        direct = api.post(stack.url("/v1/ask"), json={"question": "Hello!"}).json()
        assert (direct["status"], direct["queries"]) == ("answered", [])
        assert direct["path"][-2:] == ["Generate", "GradeUtility"]
    return f'"{response["answer"]}" after {seconds:.1f} s; the first took {cold:.1f} s with cold functions'


def a_new_index_is_filled_while_the_old_one_is_searched(
    stack: Stack, collection: OpenSearchDouble, titan: TitanDouble
) -> str:
    """Change the vectors as docs/run.md describes, with a document without an event, and a broken one."""
    s3, outputs, before = boto3.client("s3", **at(stack)), stack.outputs(), documents_held(collection)
    stack.change(index=NEW_INDEX, search_index={"name": "passages"}, ingest_on_upload=False, reindex_concurrency=2)
    for key, text in UNTOLD.items():
        s3.put_object(Bucket=outputs["bucket"], Key=key, Body=text.encode())

    seconds, done = timed(lambda: ended(stack, outputs["reindex_command"]))
    assert (done["succeeded"], done["failed"]) == (len(before) + 1, 1)
    assert failed_documents(stack, done["results"]) == {BROKEN: "holds no words"}
    ready = dict.fromkeys([*before, LATE], "ready")
    until_all_are(stack, {BROKEN: "failed", **ready})
    assert documents_held(collection, NEW_INDEX["name"]) == set(ready)
    assert documents_held(collection) == before, "the index that is searched is as it was"
    assert found_with(stack, titan, "What is the hotel limit per night in London?") == ("answered", 512)

    texts = len(titan.texts)
    again, repeated = timed(lambda: ended(stack, outputs["reindex_command"]))
    assert (repeated["succeeded"], repeated["failed"]) == (len(ready), 1)
    assert len(titan.texts) == texts, "what is done is not embedded again"

    stack.change(search_index=None, ingest_on_upload=True)
    assert found_with(stack, titan, UNTOLD_QUESTION) == ("answered", 256)
    return f"{len(ready) + 1} documents in {seconds:.1f} s, again in {again:.1f} s without embedding any"


def failed_documents(stack: Stack, results: str) -> dict[str, str]:
    """Return the keys of the documents that the results of a reindexing list as failed, with the end of the reason."""
    s3, bucket, key = boto3.client("s3", **at(stack)), *results.removeprefix("s3://").split("/", 1)

    def read(key: str) -> Any:
        return json.loads(s3.get_object(Bucket=bucket, Key=key)["Body"].read())

    files = [read(file["Key"]) for file in read(key)["ResultFiles"]["FAILED"]]
    return {
        json.loads(each["Input"])["key"]: each["Cause"].partition(" ")[2].rstrip(".") for file in files for each in file
    }


def found_with(stack: Stack, titan: TitanDouble, question: str) -> tuple[str, int]:
    """Return the status of a question's answer, and the dimensions that it was embedded with."""
    with patient_client(stack) as api:
        return asked_for_later(stack, api, question)["status"], titan.dimensions[-1]


def asked_for_later(stack: Stack, api: httpx2.Client, question: str) -> dict[str, Any]:
    """Return the response to a question that may take its time: a busy machine may need more than 25 s for it."""
    started = api.post(stack.url("/v1/questions"), json={"question": question, "policy": {"deadline_seconds": 240}})
    assert started.status_code == 202
    return finished(api, stack.url(started.headers["location"].removeprefix("/live")))


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    started = time.monotonic()
    result = call()
    return time.monotonic() - started, result


def trace_of(stack: Stack, question_id: str) -> None:
    """The Standard execution's history has every state; the emulator tells nothing of those inside the passes."""
    client = boto3.client("stepfunctions", **at(stack))
    machine = stack.outputs()["machine_arns"]["standard"].removesuffix(":live")
    arn = machine.replace(":stateMachine:", ":execution:")
    events = client.get_execution_history(executionArn=f"{arn}:{question_id}", maxResults=1000)["events"]
    entered = {event["stateEnteredEventDetails"]["name"] for event in events if "stateEnteredEventDetails" in event}
    assert {"ReadRequest", "Plan", "RunSteps", "ComposeAnswer", "RememberAnswer"} <= entered


def those_without_a_key_or_with_too_many_requests_are_refused(stack: Stack) -> None:
    with httpx2.Client(timeout=60) as api:
        health = api.get(stack.url("/v1/health"))
        assert (health.json(), health.headers["content-type"]) == ({"status": "ok"}, "application/json")
        # Also where API Gateway answers itself.
        for reply in (health, api.post(stack.url("/v1/ask"), json={}), api.get(stack.url("/v1/openapi.json"))):
            assert {name: reply.headers.get(name) for name in SECURITY_HEADERS} == SECURITY_HEADERS
        # The description stays with the function, and is given often enough.
        assert api.get(stack.url("/v1/openapi.json")).json()["openapi"].startswith("3.1")
        with ThreadPoolExecutor(3) as pool:
            replies = list(pool.map(lambda _: api.get(stack.url("/v1/health")), range(60)))
        assert {reply.status_code for reply in replies} == {200, 429}
        problem(next(reply for reply in replies if reply.status_code == 429), 429)
        problem(api.post(stack.url("/v1/ask"), json={"question": QUESTION}), 401)
        problem(api.put(stack.url("/v1/ask")), 401)
        # As soon as a page from elsewhere may ask, it is shown why it was refused.
        assert api.put(stack.url("/v1/ask")).headers["access-control-allow-origin"] == "*"
        for origin, may in ((ORIGIN, ORIGIN), ("https://elsewhere.example.com", None)):
            asking = {"Origin": origin, "Access-Control-Request-Method": "POST"}
            asked = api.options(stack.url("/v1/ask"), headers=asking)
            assert (asked.status_code, asked.headers.get("access-control-allow-origin")) == (204, may)
        problem(api.get(stack.url("/v1/nothing")), 404)
        # Other tests may have exhausted the quota of the deployment's own key.
        api.headers["x-api-key"] = new_key(stack, COLLECTION)
        problem(api.post(stack.url("/v1/ask"), json={"question": ""}), 400)
        problem(other := api.put(stack.url("/v1/ask")), 405)
        assert "POST" in other.headers["allow"].split(", ")
        # Low concurrency: the emulator starts a process for each parallel invocation.
        with ThreadPoolExecutor(3) as pool:
            replies = list(pool.map(lambda _: api.get(stack.url("/v1/questions/none")), range(60)))
        assert {reply.status_code for reply in replies} == {404, 429}
        problem(next(reply for reply in replies if reply.status_code == 429), 429)


def problem(reply: httpx2.Response, status: int) -> None:
    assert (reply.status_code, reply.json()["status"]) == (status, status)
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.json()["request_id"]


def empty_packages(directory: Path) -> Path:
    """Files in the place of the packages: a plan reads no more than their digests."""
    directory.mkdir()
    for name in [*function_roles(), *LAYERS]:
        (directory / f"{name}.zip").touch()
    return directory
