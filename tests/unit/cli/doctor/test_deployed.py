"""`selfrag doctor --deployed`: a document in and out, questions, secrets, roles, and what only AWS decides."""

from collections.abc import Iterator
from typing import Any

import pytest

from cli.doctor.account.subject import Account
from cli.doctor.choices import Choices
from cli.doctor.deployed import page
from cli.doctor.deployed.subject import Deployment
from cli.doctor.examination import DEPLOYED, examine
from cli.doctor.findings import Finding, Level
from tests.support.doubles.api_double import ApiDouble
from tests.support.doubles.aws_account import AwsAccount, Refused, Reply
from tests.support.doubles.deployed_account import (
    KEY,
    OUTPUTS,
    REGION,
    answer_of_evaluation,
    deployed,
    endpoint,
    execution,
)
from tests.support.doubles.vllm import CANDIDATES_EXAMPLE, vllm
from tests.support.infra.rules import functions_of
from tests.support.infra.tools import simulator
from tests.support.roles.calls import ACCOUNT, COLLECTION
from tests.support.roles.policies import exported, place_of, without

OF_THE_MODEL = {"selfrag_endpoint_name": "mine", "selfrag_component_name": "one"}


class Clock:
    """Time that passes only while one waits."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def pause(self, seconds: float) -> None:
        self.now += seconds


def visited(account: AwsAccount, api: ApiDouble, *names: str, **choices: Any) -> dict[str, list[Finding]]:
    """What these checks find, or all, by their names."""
    checks = [check for check in DEPLOYED if not names or check.name in names]
    clock, found = Clock(), {}  # type: ignore[var-annotated]
    subject = Account(account.session(REGION), Choices(**choices), deployed=True)
    with Deployment(subject, OUTPUTS, api.endpoint, "", clock.pause, clock) as deployment:
        for name, finding in examine(checks, deployment, lambda name, finding: None).findings:
            found.setdefault(name, []).append(finding)
    return found


@pytest.fixture
def api() -> Iterator[ApiDouble]:
    with ApiDouble(KEY) as double:
        yield double


def test_on_bedrock_iam_is_asked_of_both_models_that_judge_support(api: ApiDouble) -> None:
    asked: list[tuple[str, str]] = []

    def simulate(parameters: dict[str, Any]) -> dict[str, Any]:
        [action], [resource] = parameters["ActionNames"][:1], parameters["ResourceArns"]
        asked.append((action, resource))
        return {"EvaluationResults": []}

    models = {"grade_support": "us.anthropic.claude-sonnet-5-5", "grade_support_first": "anthropic.claude-haiku-5-5"}
    account = deployed({"iam.SimulatePrincipalPolicy": simulate})
    visited(account, api, "permissions", model_provider="bedrock", models=models)
    invoked = [resource.partition(":bedrock:")[2] for action, resource in asked if action == "bedrock:InvokeModel"]
    assert f"{REGION}:{ACCOUNT}:inference-profile/us.anthropic.claude-sonnet-5-5" in invoked
    assert f"{REGION}::foundation-model/anthropic.claude-haiku-5-5" in invoked


@pytest.fixture(autouse=True)
def _node() -> None:
    simulator()


def test_a_deployment_that_works_is_told_so_check_by_check(api: ApiDouble) -> None:
    with vllm(CANDIDATES_EXAMPLE) as model:
        account = deployed(endpoint(model.url))
        found = visited(account, api, **OF_THE_MODEL)
    assert list(found) == [check.name for check in DEPLOYED]
    levels = {name: {each.level for each in findings} for name, findings in found.items()}
    # What only a person can see or may try, and what ended before it could be stopped.
    assert levels.pop("console-link") == levels.pop("overload") == {Level.LOOK}
    assert levels.pop("redrive") == {Level.UNKNOWN}
    assert set().union(*levels.values()) == {Level.FINE}
    assert api.held == "", "the document is gone"
    assert KEY not in str(found)


def test_every_step_of_the_visit_is_made_over_the_api_with_the_deployments_key(api: ApiDouble) -> None:
    visited(deployed(), api)
    assert [each.split(" ")[0] for each in api.asked if "documents" in each] == ["POST", "GET", "DELETE", "GET"]
    assert api.asked.count("POST /live/v1/ask") == 2
    assert api.asked.count("GET /live/v1/questions/1") == 2
    assert {each.get("x-api-key", KEY) for each in api.headers} == {KEY}


def test_with_iam_requests_are_signed(api: ApiDouble) -> None:
    api.key = ""
    account, clock = Account(deployed().session(REGION), Choices()), Clock()
    no_key = {name: value for name, value in OUTPUTS.items() if name != "api_key_command"}
    with Deployment(account, no_key, api.endpoint, "", clock.pause, clock) as deployment:
        examine([check for check in DEPLOYED if check.name in ("who", "document-in")], deployment, lambda *_: None)
    signed = [each["authorization"] for each in api.headers if "authorization" in each]
    assert signed
    assert all("/us-east-1/execute-api/aws4_request" in each for each in signed)


def test_a_secret_without_a_value_is_told_with_the_command_that_sets_it(api: ApiDouble) -> None:
    empty = {"ARN": f"arn:aws:secretsmanager:{REGION}:{ACCOUNT}:secret:selfrag/anthropic-random"}
    [found] = visited(deployed({"secretsmanager.DescribeSecret": empty}), api, "secret-values", web_search=False)[
        "secret-values"
    ]
    assert found.level is Level.BLOCKS
    assert found.says == "The secret selfrag/anthropic has no value."
    assert "secret_commands" in found.do


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("embed_passages.SeeWhichWorkIsDone", "embed_passages may not s3:ListBucket on arn:aws:s3:::selfrag-work-"),
        ("ask.AskAndWait", "ask may not states:StartSyncExecution on"),
        ("generate.AskModel", "generate may not secretsmanager:GetSecretValue on"),
        ("express.RunSteps", "express may not lambda:InvokeFunction on"),
        ("standard.RememberAnswers", "standard may not dynamodb:PutItem on"),
        ("retrieve.UseCollection", f"retrieve may not aoss:APIAccessAll on {COLLECTION}"),
    ],
)  # fmt: skip
def test_a_role_that_lacks_a_statement_is_told_with_the_call_that_would_be_refused(
    api: ApiDouble, statement: str, says: str
) -> None:
    policies = exported()
    less = without(policies, *place_of(policies, statement))
    found = visited(deployed(policies=less), api, "permissions")["permissions"]
    assert {each.level for each in found} == {Level.BLOCKS}
    assert any(says in each.says for each in found)
    assert {each.says.split(" may not ")[0] for each in found} == {f"The role of {statement.split('.')[0]}"}


def test_what_an_organisation_forbids_is_not_a_matter_of_another_deployment(api: ApiDouble) -> None:
    def refuse(asked: Reply) -> Reply:
        forbidden = {"EvalDecision": "implicitDeny", "OrganizationsDecisionDetail": {"AllowedByOrganizations": False}}
        return {"EvaluationResults": [{"EvalActionName": asked["ActionNames"][0], **forbidden}]}

    found = visited(deployed({"iam.SimulatePrincipalPolicy": refuse}), api, "permissions")["permissions"]
    assert {each.do for each in found} == {"A policy of your organisation forbids it: ask who keeps those."}


def test_a_data_access_policy_that_lacks_a_permission_is_told(api: ApiDouble) -> None:
    policies = exported()
    policies["collection"][0]["Rules"][0]["Permission"].remove("aoss:ReadDocument")
    [found] = visited(deployed(policies=policies), api, "data-access")["data-access"]
    assert "retrieve lacks aoss:ReadDocument on index/selfrag/passages" in found.says


def test_a_document_that_fails_or_is_never_ready_is_told_and_not_asked_about(api: ApiDouble) -> None:
    for status, says in (("failed", "holds no words"), ("working", "was not ready after 300 s")):
        api.status = status
        account = deployed()
        found = visited(account, api)
        assert says in found["document-in"][0].says
        assert found["question"][0].level is Level.UNKNOWN
        assert "document-out" not in found
        [deleted] = [asked for operation, asked in account.asked if operation == "s3.DeleteObject"]
        assert deleted["Key"].startswith("documents/selfrag-doctor-"), "it is taken away all the same"


def test_a_document_is_asked_about_until_the_collection_shows_it(api: ApiDouble) -> None:
    api.unseen = 4
    assert "answered from 60 s after it was ready" in visited(deployed(), api)["question"][0].says
    api.unseen = 1000
    found = visited(deployed(), api)
    assert found["question"][0].level is Level.BLOCKS
    assert "abstained" in found["question"][0].says
    assert "msearch" not in found


def test_a_search_by_full_text_alone_is_told(api: ApiDouble) -> None:
    api.warnings = ["The embedding model was too busy: this search was by full text alone."]
    assert visited(deployed(), api)["msearch"][0].level is Level.LOOK


def test_a_question_that_takes_longer_than_the_gateway_waits_is_slow_and_not_broken(api: ApiDouble) -> None:
    api.slow_from = 1
    [found] = visited(deployed(), api)["question-again"]
    assert found.level is Level.LOOK
    assert "longer than POST /v1/ask waits" in found.says


def test_replies_that_are_not_selfrags_are_asked_for_again_and_then_told(api: ApiDouble) -> None:
    api.garbled = ("/v1/ask", "/v1/questions/1")
    found = visited(deployed(), api)
    assert "the last reply was status 200." in found["question"][0].says
    api.garbled = ("/v1/questions/1",)
    assert "did not end well" in visited(deployed(), api)["question-later"][0].says


def test_a_page_that_no_browser_would_run_blocks(api: ApiDouble) -> None:
    api.page = api.page.replace("日本語", "???").replace("'use strict'", "'use  strict'")
    [found] = visited(deployed(), api, "page")["page"]
    assert (found.level, found.says) == (
        Level.BLOCKS,
        "The page does not work: its policy does not let its script run.",
    )
    api.policy = ""
    assert visited(deployed(), api, "page")["page"][0].level is Level.BLOCKS


def test_a_page_that_may_not_read_what_the_bucket_answers_is_told_with_the_variable(api: ApiDouble) -> None:
    api.readable_from = "https://elsewhere.example.com"
    whole, unread = visited(deployed(), api, "document-in", "page")["page"]
    assert (whole.level, unread.level) == (Level.FINE, Level.LOOK)
    assert unread.do == f'Set `upload_origins = ["{api.url}"]`.'


def test_limits_that_are_not_heeded_are_told(api: ApiDouble) -> None:
    api.healthy = 1000
    [found] = visited(deployed(), api, "open-throttle")["open-throttle"]
    assert (found.level, api.asked.count("GET /live/v1/health")) == (Level.LOOK, 60)


def test_without_keys_no_page_is_looked_for(api: ApiDouble) -> None:
    account = Account(deployed().session(REGION), Choices(), deployed=True)
    no_key = {name: value for name, value in OUTPUTS.items() if name != "api_key_command"}
    with Deployment(account, no_key, api.endpoint) as deployment:
        [found] = page.opened(deployment)
    assert "a browser cannot sign" in found.says
    assert api.asked == []


def test_a_question_for_later_that_fails_blocks(api: ApiDouble) -> None:
    api.later = "failed"
    assert visited(deployed(), api)["question-later"][0].level is Level.BLOCKS


def test_a_wrong_key_is_told_in_the_words_of_the_gateway(api: ApiDouble) -> None:
    api.key = "another"
    assert "status 403. Forbidden" in visited(deployed(), api)["document-in"][0].says


def test_a_reindexing_that_fails_over_nothing_blocks(api: ApiDouble) -> None:
    found = visited(deployed({"stepfunctions.DescribeExecution": execution("FAILED")}), api, "empty-prefix")[
        "empty-prefix"
    ]
    assert "ended as FAILED" in found[0].says


def test_an_evaluation_that_fails_or_pays_twice_for_an_answer_blocks(api: ApiDouble) -> None:
    twice = {"s3.GetObject": lambda asked: answer_of_evaluation(asked, tries=1)}
    failed = {"stepfunctions.DescribeExecution": execution("SUCCEEDED", '{"asked": 1, "failed": 1}')}
    for answers in (twice, failed, {"stepfunctions.DescribeExecution": execution("FAILED")}):
        [found] = visited(deployed(answers), api, "evaluation")["evaluation"]
        assert found.level is Level.BLOCKS


def test_a_reindexing_that_was_stopped_is_redriven(api: ApiDouble) -> None:
    account = deployed()

    def describe(asked: Reply) -> Reply:
        called = [operation for operation, _ in account.asked]
        stopped = "stepfunctions.StopExecution" in called and "stepfunctions.RedriveExecution" not in called
        return execution("ABORTED" if stopped else "SUCCEEDED")

    account.answers["stepfunctions.DescribeExecution"] = describe
    [found] = visited(account, api, "redrive")["redrive"]
    assert found.level is Level.FINE


def test_a_function_that_cannot_be_called_and_events_that_started_nothing_are_told(api: ApiDouble) -> None:
    failed = {"State": "Failed", "StateReason": "no layer"}
    waiting = {"Attributes": {"ApproximateNumberOfMessages": "3"}}
    poor = deployed({"lambda.GetFunctionConfiguration": failed, "sqs.GetQueueAttributes": waiting})
    found = visited(poor, api, "who", "functions", "undelivered")
    assert "ask is Failed: no layer" in found["functions"][0].says
    assert "3 objects" in found["undelivered"][0].says


def test_the_overload_that_a_person_may_try_is_undone_to_what_was_before(api: ApiDouble) -> None:
    [found] = visited(deployed(), api, "overload")["overload"]
    assert found.do.endswith("`aws lambda delete-function-concurrency --region us-east-1 --function-name selfrag-ask`.")
    reserved = {"lambda.GetFunctionConcurrency": {"ReservedConcurrentExecutions": 200}}
    [found] = visited(deployed(reserved), api, "overload")["overload"]
    assert found.do.endswith("--function-name selfrag-ask --reserved-concurrent-executions 200`.")


def test_what_one_may_not_look_at_is_told_and_the_visit_goes_on(api: ApiDouble) -> None:
    found = visited(deployed({"iam.SimulatePrincipalPolicy": Refused("AccessDenied", status=403)}), api)
    assert found["permissions"][0].level is Level.UNKNOWN
    assert "iam:SimulatePrincipalPolicy" in found["permissions"][0].do
    assert found["question"][0].level is Level.FINE


def test_every_function_is_looked_at(api: ApiDouble) -> None:
    account = deployed()
    visited(account, api, "functions")
    names = {
        asked["FunctionName"] for operation, asked in account.asked if operation == "lambda.GetFunctionConfiguration"
    }
    assert names == {f"selfrag-{name}" for name in functions_of()}


def test_each_check_says_which_actions_it_needs(api: ApiDouble) -> None:
    account = deployed()
    # Two evaluations and a reindexing, and one more that can be stopped and redriven.
    ended = iter(["SUCCEEDED", "SUCCEEDED", "SUCCEEDED", "ABORTED", "SUCCEEDED"])
    account.answers["stepfunctions.DescribeExecution"] = lambda asked: execution(next(ended))
    with vllm(CANDIDATES_EXAMPLE) as model:
        account.answers |= endpoint(model.url)
        visited(account, api, **OF_THE_MODEL)
    # A document that was removed over the API is not deleted once more.
    assert account.actions | {"s3:DeleteObject"} == {action for check in DEPLOYED for action in check.actions}
    assert "s3:DeleteObject" not in account.actions
