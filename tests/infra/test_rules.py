"""Rules over the text of the Terraform, and each shown to catch what breaks it."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from selfrag_cli.local.stack import INGESTION, QUESTION, placeholders
from tests.support.definition import definition_json
from tests.support.infra import rules
from tests.support.infra.metrics import EMITTED
from tests.support.infra.tools import INFRA, ROOT

TEXT = rules.text_of(INFRA)


def test_every_variable_and_output_is_described_and_every_variable_typed() -> None:
    assert rules.undescribed(TEXT) == []
    assert len(rules.blocks(TEXT, "variable")) > 30
    assert len(rules.blocks(TEXT, "output")) >= 8


def test_no_action_has_a_wildcard() -> None:
    assert rules.wildcard_actions(TEXT) == []


def test_the_collection_is_public_only_when_that_is_chosen() -> None:
    assert rules.public_collections(TEXT) == []
    policies = rules.blocks(TEXT, "resource", "aws_opensearchserverless_security_policy")
    assert {policy["type"] for policy in policies.values()} == {"encryption", "network"}


def test_every_alarm_says_what_to_do_and_whom_it_tells() -> None:
    assert rules.incomplete_alarms(TEXT) == []
    assert len(rules.blocks(TEXT, "resource", "aws_cloudwatch_metric_alarm")) == 1
    assert len(rules.alarms_of(TEXT)) >= 14


def test_a_collection_that_grows_dear_is_told_of() -> None:
    [units] = [alarm for alarm in rules.alarms_of(TEXT) if "AWS/AOSS" in alarm]
    assert '"${use}OCU", { ClientId = local.account }' in units
    assert 'for use in ["Search", "Indexing"]' in units
    # AWS adds up each minute's units, and the alarms look at five minutes.
    assert "threshold = 5 * (var.thresholds.ocus" in units
    assert "statistic" not in units


def test_every_metric_of_an_alarm_or_a_widget_is_emitted() -> None:
    assert rules.unknown_metrics(TEXT) == []


def test_searches_quote_the_namespace_which_may_have_a_hyphen() -> None:
    assert rules.unquoted_namespaces(TEXT) == []
    assert len(rules.SEARCH.findall(TEXT)) == 6


def test_every_function_is_in_a_map_of_steps_and_nothing_else_is() -> None:
    assert rules.unmatched_functions(TEXT, rules.functions_of()) == set()


def test_your_key_encrypts_the_histories_of_the_machines_which_hold_questions_and_answers() -> None:
    machine = rules.blocks(TEXT, "resource", "aws_sfn_state_machine")["machine"]
    [encryption] = [body["encryption_configuration"] for body in machine.get("dynamic", [])]
    assert "var.kms_key_arn" in str(encryption["for_each"])
    assert encryption["content"][0]["type"] == "CUSTOMER_MANAGED_KMS_KEY"


def test_who_embeds_in_another_region_is_told_of_it_and_may() -> None:
    [embedder] = [block["services"]["embedder"] for block in rules.local_values(TEXT) if "services" in block]
    assert embedder["environment"] == {"SELFRAG_EMBEDDING_REGION": "${var.embedding_region}"}
    assert "bedrock:${coalesce(var.embedding_region, local.region)}::" in str(embedder["statements"])


def test_what_the_organisation_says_of_its_documents_is_told_to_the_decision_to_search_alone() -> None:
    [services] = [block["services"] for block in rules.local_values(TEXT) if "services" in block]
    [value] = services["guidance"]["environment"].values()
    assert [*services["guidance"]] == ["environment"]
    assert value == '${var.retrieval_guidance == "" ? null : var.retrieval_guidance}'
    assert TEXT.count("SELFRAG_RETRIEVAL_GUIDANCE") == 1
    [steps] = [block["question_steps"] for block in rules.local_values(TEXT) if "question_steps" in block]
    assert [step for step, body in steps.items() if "guidance" in body["uses"]] == ["decide_retrieval"]
    assert TEXT.count('"guidance"') == 1


def test_executions_whose_deadline_is_over_are_not_to_be_redriven() -> None:
    [failed] = [
        alarm for alarm in rules.alarms_of(TEXT) if "ExecutionsFailed" in alarm and "question_machines" in alarm
    ]
    assert "ask anew" in failed
    assert "redrive" not in failed.replace("not redrive", "")


def test_metrics_of_each_method_which_are_paid_for_are_off_until_they_are_chosen() -> None:
    assert rules.blocks(TEXT, "variable")["api_metrics"]["default"] is False
    assert "metrics_enabled        = var.api_metrics" in TEXT


def test_the_definitions_of_the_machines_are_those_of_the_partition_that_they_run_in() -> None:
    assert '"arn:aws:states:::", "arn:${local.partition}:states:::")' in TEXT
    for definition in (ROOT / "functions" / "selfrag" / "workflows").glob("*.yaml"):
        fixed = re.findall(r"arn:aws:\w+:\w*:\w*:", definition.read_text(encoding="utf-8"))
        assert set(fixed) <= {"arn:aws:states:::"}


def test_the_function_that_the_pages_first_visitor_waits_for_has_the_memory_to_start_in_time() -> None:
    [memory] = re.findall(r"    ask = \{\n +description[^{}]*? memory +=( \d+)", TEXT)
    assert int(memory) >= 1024


def test_other_apis_of_the_account_keep_their_logs() -> None:
    assert rules.blocks(TEXT, "variable")["manage_api_gateway_account"]["default"] is False
    account = rules.blocks(TEXT, "resource", "aws_api_gateway_account")["logs"]
    assert "var.manage_api_gateway_account ?" in str(account["count"])


def test_the_page_of_deployment_sets_variables_that_there_are_and_before_removal_those_that_are_in_its_way() -> None:
    page = (ROOT / "docs" / "operate.md").read_text(encoding="utf-8")
    assert rules.variables_set_by(page) <= set(rules.blocks(TEXT, "variable"))
    first, _, _ = page.partition("### 8. Remove\n")[2].partition("make destroy")
    in_its_way = {"documents_force_destroy", "secret_recovery_days", "deletion_protection", "ingest_on_upload"}
    assert rules.variables_set_by(first) == in_its_way
    assert "make deploy" in first


def test_nothing_that_an_execution_runs_changes_while_it_runs() -> None:
    assert rules.unversioned(TEXT) == []
    assert {*rules.blocks(TEXT, "resource", "aws_lambda_function")} == {"step", "ask"}


def test_when_terraform_breaks_off_ask_says_what_should_have_changed_over() -> None:
    assert "aws_lambda_alias.ask" in str(rules.blocks(TEXT, "resource", "aws_sfn_alias")["machine"]["depends_on"])


@pytest.mark.parametrize("definition", [QUESTION, INGESTION])
def test_every_task_that_invokes_a_function_names_one_that_is_filled_in_with_its_version(definition: Path) -> None:
    versions = {step: f"arn:aws:lambda:us-east-1:123456789012:function:{step}:7" for step in placeholders(definition)}
    written = definition_json(definition, versions)
    invoked = re.findall(r'"FunctionName": "([^"]+)"', written)
    assert len(invoked) == written.count(":::lambda:invoke")
    assert set(invoked) == set(versions.values()) - {versions.get("answers_table"), versions.get("step_seconds")}


def test_every_skipped_check_has_its_reason() -> None:
    assert rules.unexplained_skips(TEXT) == []


ALARM = 'locals {\n  alarms = {\n    a = {\n      metrics   = [[var.name, "%s", {}]]\n%s    }\n  }\n}\n'
ADVICE = f'      advice    = "{"Look at the log, then at the dashboard. " * 3}"\n'
NETWORK = (
    'resource "aws_opensearchserverless_security_policy" "n" {\n  type   = "network"\n'
    "  policy = jsonencode([{ AllowFromPublic = true }])\n}\n"
    'variable "collection_public" {\n  default = false\n}\n'
)


@pytest.mark.parametrize(
    ("rule", "broken"),
    [
        (rules.undescribed, 'variable "v" {\n  type = string\n}\n'),
        (rules.undescribed, 'variable "v" {\n  description = "What it is for."\n}\n'),
        (rules.undescribed, 'output "o" {\n  value = 1\n}\n'),
        (rules.wildcard_actions, 'x = ["s3:*"]'),
        (rules.wildcard_actions, 'x = ["dynamodb:Get*"]'),
        (rules.wildcard_actions, 'actions = ["*"]'),
        (rules.wildcard_actions, 'Action = "*"'),
        (rules.wildcard_actions, 'not_actions = ["iam:PassRole"]'),
        (rules.public_collections, NETWORK),
        (rules.public_collections, 'variable "collection_public" {\n  default = true\n}\n'),
        (rules.incomplete_alarms, 'resource "aws_cloudwatch_metric_alarm" "a" {\n  alarm_actions = [1]\n}\n'),
        (rules.incomplete_alarms, ALARM % ("Errors", "      threshold = 1\n")),
        (rules.incomplete_alarms, ALARM % ("Errors", '      threshold = 1\n      advice    = "Look."\n')),
        (rules.incomplete_alarms, ALARM % ("Errors", ADVICE)),
        (rules.unknown_metrics, ALARM % ("Hallucinations", "      threshold = 1\n" + ADVICE)),
        (rules.unknown_metrics, 'locals {\n  m = [[var.name, "Hallucinations", "step", "x"]]\n}\n'),
        (rules.unknown_metrics, 'locals {\n  m = "SEARCH(\'{x} MetricName=\\"Hallucinations\\"\')"\n}\n'),
        (rules.unquoted_namespaces, "x = \"SEARCH('{${var.name},step} MetricName=1', 'Sum', 300)\""),
        (rules.unversioned, 'resource "aws_lambda_function" "f" {\n}\n'),
        (rules.unversioned, 'resource "aws_sfn_state_machine" "m" {\n  publish = false\n}\n'),
        (rules.unversioned, 'x = aws_lambda_function.step["ask"].invoke_arn'),
        (rules.unversioned, "x = {\n  SELFRAG_EXPRESS_MACHINE_ARN = local.machine_arns.express\n}\n"),
        (rules.unversioned, "x = { for step in steps : step => local.function_arns[step] }"),
        (
            rules.unversioned,
            "locals {\n  published_steps = { for step, f in aws_lambda_function.step : step => f.arn }\n}\n",
        ),
        (rules.unexplained_skips, "#checkov:skip=CKV_AWS_1:no"),
    ],
)
def test_each_rule_catches_what_breaks_it(rule: Callable[[str], list[str]], broken: str) -> None:
    assert rule(broken)


def test_every_metric_of_ours_is_on_the_dashboard() -> None:
    text = (INFRA / "dashboard.tf").read_text(encoding="utf-8")
    assert [metric for metric in EMITTED if metric not in text] == []


def test_an_alarm_that_says_everything_is_not_caught() -> None:
    complete = ALARM % ("Errors", "      threshold = 1\n" + ADVICE)
    assert rules.incomplete_alarms(complete) == rules.unknown_metrics(complete) == []


def test_a_function_without_an_entry_is_caught() -> None:
    assert rules.unmatched_functions("locals {\n  api_steps = {\n    a = 1\n  }\n}\n", {"a", "b"}) == {"b"}
