"""`selfrag doctor --deployed`: a document in and out, and questions."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from selfrag.runtime.settings import PASSAGES
from selfrag_cli.deployment.terraform import Choices
from selfrag_cli.doctor.account import Account
from selfrag_cli.doctor.checks import DEPLOYED
from selfrag_cli.doctor.deployed import Deployment
from selfrag_cli.doctor.findings import Finding, Severity, examine
from tests.support.doubles.api_double import ApiDouble
from tests.support.doubles.aws_account import AwsAccount
from tests.support.doubles.deployed_account import KEY, OUTPUTS, REGION, deployed


class Clock:
    """Time that passes only in pauses."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def pause(self, seconds: float) -> None:
        self.now += seconds


def visited(
    account: AwsAccount, api: ApiDouble, *names: str, outputs: dict[str, Any] = OUTPUTS, **choices: Any
) -> dict[str, list[Finding]]:
    """Return the findings of these checks, or of all, by their names."""
    checks = {name: runs for name, runs in DEPLOYED.items() if not names or name in names}
    clock = Clock()
    results: dict[str, list[Finding]] = {}
    subject = Account(account.session(REGION), Choices(**choices), deployed=True)
    with closing(Deployment(subject, outputs, api.endpoint, "", clock.pause, clock)) as deployment:
        for name, finding in examine(checks, deployment, lambda name, finding: None):
            results.setdefault(name, []).append(finding)
    return results


@pytest.fixture
def api() -> Iterator[ApiDouble]:
    with ApiDouble(KEY) as double:
        yield double


def test_a_deployment_that_works_is_fine_check_by_check(api: ApiDouble) -> None:
    results = visited(deployed(), api)
    assert list(results) == list(DEPLOYED)
    assert {each.level for findings in results.values() for each in findings} == {"fine"}
    assert KEY not in str(results)


def test_visit_uses_only_api_with_deployment_key(api: ApiDouble) -> None:
    visited(deployed(), api)
    assert [each.split(" ")[0] for each in api.asked if "documents" in each] == ["POST", "GET"]
    assert api.asked.count("POST /live/v1/ask") == 1
    assert api.asked.count("GET /live/v1/questions/1") == 2
    assert {each.get("x-api-key", KEY) for each in api.headers} == {KEY}


def test_a_page_that_is_no_page_blocks(api: ApiDouble) -> None:
    api.page_type = "application/json"
    assert [each.level for each in visited(deployed(), api, "page")["page"]] == ["blocks"]


def test_unhealthy_endpoint_blocks(api: ApiDouble) -> None:
    api.is_healthy = False
    [finding] = visited(deployed(), api, "health")["health"]
    assert (finding.level, "500" in finding.says) == ("blocks", True)


def test_with_iam_requests_are_signed(api: ApiDouble) -> None:
    api.key = ""
    no_key = {name: value for name, value in OUTPUTS.items() if name != "api_key_command"}
    visited(deployed(), api, "identity", "upload", outputs=no_key)
    signed = [each["authorization"] for each in api.headers if "authorization" in each]
    assert signed
    assert all("/us-east-1/execute-api/aws4_request" in each for each in signed)


@pytest.mark.parametrize("status", ["ready", "failed", "working"])
def test_the_document_is_removed_however_the_trial_ends(api: ApiDouble, status: str) -> None:
    api.status = status
    account = deployed()
    results = visited(account, api)
    level = "fine" if status == "ready" else "blocks"
    assert [each.level for each in results["upload"]] == [level]
    assert results["question"][0].level == ("fine" if status == "ready" else "unknown")
    [deleted] = [request for operation, request in account.asked if operation == "s3.DeleteObject"]
    assert deleted["Key"].startswith("documents/selfrag-doctor-")


def test_a_wrong_key_blocks_in_the_words_of_the_gateway(api: ApiDouble) -> None:
    api.key = "another"
    [refused] = visited(deployed(), api)["upload"]
    assert (refused.level, "403. Forbidden" in refused.says) == ("blocks", True)


def test_blocked_bucket_reply_names_upload_origins_variable(api: ApiDouble) -> None:
    api.readable_from = "https://elsewhere.example.com"
    unread, ready = visited(deployed(), api, "upload")["upload"]
    assert (unread.level, ready.level) == ("look", "fine")
    assert unread.do == f'Set `upload_origins = ["{api.url}"]`.'


def test_a_document_is_asked_about_until_the_collection_shows_it(api: ApiDouble) -> None:
    api.unseen = 4
    assert visited(deployed(), api)["question"][0].level == "fine"
    assert api.asked.count("POST /live/v1/ask") == 5
    api.unseen, api.held = 1000, ""
    assert [each.level for each in visited(deployed(), api)["question"]] == ["blocks"]


def test_an_answer_names_its_execution_in_the_console(api: ApiDouble) -> None:
    assert "console.aws.amazon.com/states" in visited(deployed(), api)["question"][0].says


def test_a_warning_of_the_answer_is_reported(api: ApiDouble) -> None:
    api.warnings = ["The embedding model was too busy: this search was by full text alone."]
    warned = visited(deployed(), api)["question"][1]
    assert (warned.level, api.warnings[0] in warned.says) == ("look", True)


@pytest.mark.parametrize(("later", "garbled"), [("failed", ()), ("answered", ("/v1/questions/1",))])
def test_a_question_for_later_that_fails_or_comes_garbled_blocks(
    api: ApiDouble, later: str, garbled: tuple[str, ...]
) -> None:
    api.later, api.garbled = later, garbled
    assert visited(deployed(), api)["question"][1].level == "blocks"


@pytest.mark.parametrize(("release", "level"), [(PASSAGES, "fine"), ("10", "look")])
def test_documents_of_another_release_are_due_for_reindexing(api: ApiDouble, release: str, level: Severity) -> None:
    pages = {False: "first.md", True: "second.md"}

    def listed(request: dict[str, Any]) -> dict[str, Any]:
        is_last = "ExclusiveStartKey" in request
        name = pages[is_last]
        version = f"version-of-the-object {release if is_last else PASSAGES} 1/passages/1024/collection"
        fields = {"id": name, "part": "document", "key": name, "status": "ready", "version": version}
        page: dict[str, Any] = {"Items": [{field: {"S": value} for field, value in fields.items()}]}
        return page if is_last else {**page, "LastEvaluatedKey": {"key": {"S": name}, "id": {"S": name}}}

    account = deployed()
    account.answers["dynamodb.Query"] = listed
    [finding] = visited(account, api, "index")["index"]
    assert (finding.level, "reindex_command" in finding.do) == (level, level == "look")
