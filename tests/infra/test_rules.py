"""Rules of the Terraform that neither the provider nor checkov knows."""

import json
import re
from pathlib import Path

import pytest

from selfrag_cli.local.stack import INGESTION, QUESTION, placeholders
from tests.support.definition import definition_json
from tests.support.infra.made import of_kind
from tests.support.infra.metrics import REPORTED
from tests.support.infra.planned import Planner
from tests.support.infra.rules import blocks, text_of
from tests.support.infra.tools import INFRA, ROOT

TEXT = text_of(INFRA)


@pytest.mark.parametrize("is_public", [True, False])
def test_the_collection_is_public_only_when_that_is_chosen(planned: Planner, is_public: bool) -> None:
    private = {"collection_public": False, "collection_vpc_endpoint_ids": ["vpce-1"], "subnet_ids": ["subnet-1"]}
    plan = planned() if is_public else planned(**private, security_group_ids=["sg-1"])
    policies = of_kind(plan.resources, "aws_opensearchserverless_security_policy")
    [network] = [policy for policy in policies if policy["type"] == "network"]
    assert {rule["AllowFromPublic"] for rule in json.loads(network["policy"])} == {is_public}


def test_searches_quote_the_namespace_which_may_have_a_hyphen() -> None:
    searches = re.findall(r"SEARCH\('\{([^}]*\}?[^}]*)\} ", TEXT)
    assert len(searches) == 6
    assert all(search.startswith(r"\"${var.name}\",") for search in searches)


def test_every_metric_of_ours_is_on_the_dashboard() -> None:
    text = (INFRA / "dashboard.tf").read_text(encoding="utf-8")
    assert [metric for metric in REPORTED if metric not in text] == []


def test_customer_key_encrypts_state_machine_histories(planned: Planner) -> None:
    key = "arn:aws:kms:us-east-1:000000000000:key/1"
    for machine in of_kind(planned(kms_key_arn=key).resources, "aws_sfn_state_machine"):
        [encryption] = machine["encryption_configuration"]
        assert (encryption["type"], encryption["kms_key_id"]) == ("CUSTOMER_MANAGED_KMS_KEY", key)


def test_functions_embedding_in_another_region_are_configured_and_permitted(planned: Planner) -> None:
    plan = planned(embedding_region="us-west-2")
    told = {step for step, settings in plan.told.items() if settings.get("SELFRAG_EMBEDDING_REGION") == "us-west-2"}
    model = "arn:aws:bedrock:us-west-2::foundation-model/amazon.titan-embed-text-v2:0"
    may = {
        who.removeprefix('step["').removesuffix('"]')
        for who, statements in plan.allowed.items()
        if model in [resource for statement in statements for resource in statement["resources"]]
    }
    assert told == may == {"retrieve", "embed_passages"}


def test_retrieval_guidance_is_passed_to_decide_retrieval_only(planned: Planner) -> None:
    told = planned(retrieval_guidance="Leave and travel.").told
    assert [step for step, settings in told.items() if "SELFRAG_RETRIEVAL_GUIDANCE" in settings] == ["decide_retrieval"]


def test_ask_function_has_memory_for_timely_start(planned: Planner) -> None:
    assert planned().resources["aws_lambda_function.ask"]["memory_size"] >= 1024


def test_state_machine_definitions_use_their_own_partition() -> None:
    assert '"arn:aws:states:::", "arn:${local.partition}:states:::")' in TEXT
    for definition in (ROOT / "functions" / "selfrag" / "workflows").glob("*.yaml"):
        fixed = re.findall(r"arn:aws:\w+:\w*:\w*:", definition.read_text(encoding="utf-8"))
        assert set(fixed) <= {"arn:aws:states:::"}


def test_when_terraform_breaks_off_ask_says_what_should_have_changed_over() -> None:
    assert "aws_lambda_alias.ask" in str(blocks(TEXT, "resource", "aws_sfn_alias")["machine"]["depends_on"])


@pytest.mark.parametrize("definition", [QUESTION, INGESTION])
def test_every_lambda_task_names_a_versioned_function(definition: Path) -> None:
    versions = {step: f"arn:aws:lambda:us-east-1:123456789012:function:{step}:7" for step in placeholders(definition)}
    written = definition_json(definition, versions)
    invoked = re.findall(r'"FunctionName": "([^"]+)"', written)
    assert len(invoked) == written.count(":::lambda:invoke")
    assert set(invoked) == set(versions.values()) - {versions.get("answers_table"), versions.get("step_seconds")}


def test_every_skipped_check_has_its_reason() -> None:
    skips = re.findall(r"checkov:skip=\w+:?(.*)", TEXT)
    assert skips
    assert [reason for reason in skips if len(reason) < 20] == []
