"""`selfrag doctor --deployed`: secrets, the release, permissions, a document in and out, and questions."""

from collections.abc import Iterator
from typing import Any

import pytest

from cli.doctor.account import Account
from cli.doctor.checks import DEPLOYED, examine
from cli.doctor.choices import Choices
from cli.doctor.deployment import Deployment
from cli.doctor.findings import Finding, Level
from tests.support.doubles.api_double import ApiDouble
from tests.support.doubles.aws_account import AwsAccount, Refused, Reply
from tests.support.doubles.deployed_account import KEY, OUTPUTS, REGION, deployed, routed
from tests.support.infra.tools import simulator
from tests.support.roles.calls import ACCOUNT, COLLECTION
from tests.support.roles.policies import exported, place_of, without


class Clock:
    """Time that passes only in pauses."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def pause(self, seconds: float) -> None:
        self.now += seconds


def visited(
    account: AwsAccount, api: ApiDouble, *names: str, outputs: dict[str, str] = OUTPUTS, **choices: Any
) -> dict[str, list[Finding]]:
    """Return the findings of these checks, or of all, by their names."""
    checks = [check for check in DEPLOYED if not names or check.name in names]
    clock, found = Clock(), {}  # type: ignore[var-annotated]
    subject = Account(account.session(REGION), Choices(**choices), deployed=True)
    with Deployment(subject, outputs, api.endpoint, "", clock.pause, clock) as deployment:
        for name, finding in examine(checks, deployment, lambda name, finding: None).findings:
            found.setdefault(name, []).append(finding)
    return found


@pytest.fixture
def api() -> Iterator[ApiDouble]:
    with ApiDouble(KEY) as double:
        yield double


@pytest.fixture(autouse=True)
def _node() -> None:
    simulator()


def test_a_deployment_that_works_is_told_so_check_by_check_with_the_actions_that_each_needs(api: ApiDouble) -> None:
    account = deployed()
    found = visited(account, api)
    assert list(found) == [check.name for check in DEPLOYED]
    assert {each.level for findings in found.values() for each in findings} == {Level.FINE}
    assert api.held == "", "the document is gone"
    assert KEY not in str(found)
    # A document that was removed over the API is not deleted once more.
    assert account.actions | {"s3:DeleteObject", "bedrock:GetInferenceProfile"} == {
        action for check in DEPLOYED for action in check.actions
    }
    assert "s3:DeleteObject" not in account.actions


def test_every_step_of_the_visit_is_made_over_the_api_with_the_deployments_key(api: ApiDouble) -> None:
    visited(deployed(), api)
    assert [each.split(" ")[0] for each in api.asked if "documents" in each] == ["POST", "GET", "DELETE", "GET"]
    assert api.asked.count("POST /live/v1/ask") == 2
    assert api.asked.count("GET /live/v1/questions/1") == 2
    assert {each.get("x-api-key", KEY) for each in api.headers} == {KEY}


def test_with_iam_requests_are_signed(api: ApiDouble) -> None:
    api.key = ""
    no_key = {name: value for name, value in OUTPUTS.items() if name != "api_key_command"}
    visited(deployed(), api, "who", "upload", outputs=no_key)
    signed = [each["authorization"] for each in api.headers if "authorization" in each]
    assert signed
    assert all("/us-east-1/execute-api/aws4_request" in each for each in signed)


def test_a_secret_without_a_value_is_told_with_the_command_that_sets_it(api: ApiDouble) -> None:
    empty = {"ARN": f"arn:aws:secretsmanager:{REGION}:{ACCOUNT}:secret:selfrag/anthropic-random"}
    [found] = visited(deployed({"secretsmanager.DescribeSecret": empty}), api, "secrets", web_search=False)["secrets"]
    assert (found.level, found.says) == (Level.BLOCKS, "The secret selfrag/anthropic has no value.")
    assert "secret_commands" in found.do


def test_machines_of_another_release_than_the_one_that_answers_are_told(api: ApiDouble) -> None:
    stale = {
        "stepfunctions.DescribeStateMachineAlias": lambda asked: routed(
            asked, 40 if "ingestion" in asked["stateMachineAliasArn"] else 41
        )
    }
    [found] = visited(deployed(stale), api, "release")["release"]
    assert (found.level, found.says.endswith("not all live: ingestion.")) == (Level.LOOK, True)
    assert "selfrag rollback --to 7" in found.do


def test_a_stream_of_another_release_than_the_one_that_answers_is_told(api: ApiDouble) -> None:
    stale = {"lambda.GetAlias": lambda asked: {"FunctionVersion": "2" if "stream" in asked["FunctionName"] else "7"}}
    [found] = visited(deployed(stale), api, "release")["release"]
    assert (found.level, found.says.endswith("not all live: stream.")) == (Level.LOOK, True)


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("embed_passages.SeeWhichWorkIsDone", "embed_passages may not s3:ListBucket on arn:aws:s3:::selfrag-work-"),
        ("generate.AskModel", "generate may not secretsmanager:GetSecretValue on"),
        ("express.RunSteps", "express may not lambda:InvokeFunction on"),
        ("retrieve.UseCollection", f"retrieve may not aoss:APIAccessAll on {COLLECTION}"),
    ],
)
def test_a_role_that_lacks_a_statement_is_told_with_the_call_that_would_be_refused(
    api: ApiDouble, statement: str, says: str
) -> None:
    policies = exported()
    less = without(policies, *place_of(policies, statement))
    *found, data_access = visited(deployed(policies=less), api, "permissions")["permissions"]
    assert {each.level for each in found} == {Level.BLOCKS}
    assert any(says in each.says for each in found)
    assert {each.says.split(" may not ")[0] for each in found} == {f"The role of {statement.split('.')[0]}"}
    assert data_access.level is Level.FINE


def test_iam_is_asked_about_what_textract_is_asked_for_and_about_nothing_where_nothing_is_recognised(
    api: ApiDouble,
) -> None:
    policies = exported()
    without_textract = without(policies, *place_of(policies, "recognize_pages.RecognizePages"))

    def refused(wanted: str) -> set[str]:
        found = visited(deployed(policies=without_textract), api, "permissions", text_recognition=wanted)
        return {each.says.split(" may not ")[1] for each in found["permissions"] if each.level is Level.BLOCKS}

    assert refused("off") == set()
    for wanted, operation in (("lines", "TextDetection"), ("layout", "Analysis"), ("tables", "Analysis")):
        assert refused(wanted) == {f"textract:{verb}Document{operation} on *." for verb in ("Get", "Start")}


def test_on_bedrock_iam_is_asked_of_both_models_that_judge_support_in_each_region_of_a_profile(api: ApiDouble) -> None:
    asked: dict[str, list[Any]] = {}

    def simulate(parameters: dict[str, Any]) -> dict[str, Any]:
        if parameters["ActionNames"] == ["bedrock:InvokeModel"]:
            asked[parameters["ResourceArns"][0].partition(":bedrock:")[2]] = parameters["ContextEntries"]
        return {"EvaluationResults": []}

    profile = "us.anthropic.claude-sonnet-5-5"
    elsewhere = [f"{region}::foundation-model/anthropic.claude-sonnet-5-5" for region in (REGION, "us-west-2")]
    told = {
        "inferenceProfileId": profile, "inferenceProfileName": profile, "status": "ACTIVE", "type": "SYSTEM_DEFINED",
        "inferenceProfileArn": f"arn:aws:bedrock:{REGION}:{ACCOUNT}:inference-profile/{profile}",
        "models": [{"modelArn": f"arn:aws:bedrock:{each}"} for each in elsewhere],
    }  # fmt: skip
    models = {"grade_support": profile, "grade_support_first": "anthropic.claude-haiku-5-5"}
    account = deployed({"iam.SimulatePrincipalPolicy": simulate, "bedrock.GetInferenceProfile": told})
    visited(account, api, "permissions", model_provider="bedrock", models=models)
    assert asked[f"{REGION}:{ACCOUNT}:inference-profile/{profile}"] == []
    assert asked[f"{REGION}::foundation-model/anthropic.claude-haiku-5-5"] == []
    assert [asked[each][0]["ContextKeyValues"] for each in elsewhere] == [[told["inferenceProfileArn"]]] * 2


def test_a_refusal_of_an_organisation_is_not_mended_by_another_deployment(api: ApiDouble) -> None:
    def refuse(asked: Reply) -> Reply:
        forbidden = {"EvalDecision": "implicitDeny", "OrganizationsDecisionDetail": {"AllowedByOrganizations": False}}
        return {"EvaluationResults": [{"EvalActionName": asked["ActionNames"][0], **forbidden}]}

    found = visited(deployed({"iam.SimulatePrincipalPolicy": refuse}), api, "permissions")["permissions"]
    assert {each.do for each in found} == {"", "A policy of your organisation forbids it: ask who keeps those."}


def test_a_data_access_policy_that_lacks_a_permission_is_told(api: ApiDouble) -> None:
    policies = exported()
    policies["collection"][0]["Rules"][0]["Permission"].remove("aoss:ReadDocument")
    _, found = visited(deployed(policies=policies), api, "permissions")["permissions"]
    assert "retrieve lacks aoss:ReadDocument on index/selfrag/passages" in found.says


def test_a_refused_simulation_is_told_and_the_visit_goes_on(api: ApiDouble) -> None:
    found = visited(deployed({"iam.SimulatePrincipalPolicy": Refused("AccessDenied", status=403)}), api)
    assert [each.level for each in found["permissions"]] == [Level.UNKNOWN, Level.FINE]
    assert "iam:SimulatePrincipalPolicy" in found["permissions"][0].do
    assert found["question"][0].level is Level.FINE


def test_a_document_that_fails_or_is_never_ready_is_told_and_not_asked_about(api: ApiDouble) -> None:
    for status, says in (("failed", "holds no words"), ("working", "was not ready after 300 s")):
        api.status, api.held = status, ""
        account = deployed()
        found = visited(account, api)
        assert says in found["upload"][0].says
        assert found["question"][0].level is Level.UNKNOWN
        assert "removal" not in found
        [deleted] = [asked for operation, asked in account.asked if operation == "s3.DeleteObject"]
        assert deleted["Key"].startswith("documents/selfrag-doctor-"), "it is taken away all the same"


def test_a_bucket_that_takes_two_files_at_one_address_is_told(api: ApiDouble) -> None:
    api.takes_again = True
    twice, ready = visited(deployed(), api, "upload")["upload"]
    assert (twice.level, ready.level) == (Level.LOOK, Level.FINE)
    assert "a second time at the same address" in twice.says


def test_a_wrong_key_is_told_in_the_words_of_the_gateway(api: ApiDouble) -> None:
    api.key = "another"
    assert "status 403. Forbidden" in visited(deployed(), api)["upload"][0].says


def test_a_page_that_may_not_read_the_buckets_replies_is_told_with_the_variable(api: ApiDouble) -> None:
    api.readable_from = "https://elsewhere.example.com"
    unread, ready = visited(deployed(), api, "upload")["upload"]
    assert (unread.level, ready.level) == (Level.LOOK, Level.FINE)
    assert unread.do == f'Set `upload_origins = ["{api.url}"]`.'


def test_a_document_is_asked_about_until_the_collection_shows_it(api: ApiDouble) -> None:
    api.unseen = 4
    assert "answered from 60 s after it was ready" in visited(deployed(), api)["question"][0].says
    api.unseen = 1000
    [found] = visited(deployed(), api)["question"]
    assert (found.level, "abstained" in found.says) == (Level.BLOCKS, True)


def test_an_answer_names_its_execution_in_the_console(api: ApiDouble) -> None:
    assert "console.aws.amazon.com/states" in visited(deployed(), api)["question"][0].says


def test_a_search_by_full_text_alone_is_told(api: ApiDouble) -> None:
    api.warnings = ["The embedding model was too busy: this search was by full text alone."]
    assert visited(deployed(), api)["question"][1].level is Level.LOOK


def test_a_question_that_takes_longer_than_the_gateway_waits_is_slow_and_not_broken(api: ApiDouble) -> None:
    api.slow_from = 1
    found = visited(deployed(), api)["question"][2]
    assert (found.level, "longer than POST /v1/ask waits" in found.says) == (Level.LOOK, True)


def test_a_question_for_later_that_fails_or_comes_garbled_blocks(api: ApiDouble) -> None:
    api.later = "failed"
    assert visited(deployed(), api)["question"][3].level is Level.BLOCKS
    api.garbled = ("/v1/questions/1",)
    assert "did not end well" in visited(deployed(), api)["question"][3].says
    api.garbled = ("/v1/ask",)
    assert "the last reply was status 200." in visited(deployed(), api)["question"][0].says
