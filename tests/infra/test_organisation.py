"""Requirements of an organisation: bounded roles below a path, its own network, a shared state, approved plans."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import hcl2
import pytest
from botocore.loaders import create_loader

from tests.support.infra.planned import Plan, Planner
from tests.support.infra.rules import OPTIONS, SENDS_SPANS, function_roles, text_of
from tests.support.roles.policies import exported, listed

ROOT = Path(__file__).parents[2]
BOUNDARY, PATH = "arn:aws:iam::123456789012:policy/boundary", "/apps/selfrag/"


WEB_ACL = "arn:aws:wafv2:us-east-1:000000000000:regional/webacl/name/1"
# Every optional part at once.
EVERYTHING = {
    **OPTIONS,
    "access_log_bucket": "audit",
    "account_concurrency": 1000,
    "alarm_email": "team@example.com",
    "auth": "authorizer",
    "authorizer_arn": "arn:aws:lambda:us-east-1:000000000000:function:who:live",
    "authorizer_usage_plan": True,
    "budget": {"monthly_usd": 250, "emails": ["team@example.com"]},
    "code_signing_config_arn": "arn:aws:lambda:us-east-1:000000000000:code-signing-config:csc-1",
    "collection_public": False,
    "collection_vpc_endpoint_ids": ["vpce-1"],
    "cors_origins": ["https://app.example.com"],
    "decider": {"url": "https://llm.example.com", "model": "m", "secret": True},
    "decider_thresholds": {step: {"upper": 0.9, "lower": 0.1} for step in ("decide_retrieval", "grade_support")},
    "domain": {"name": "ask.example.com", "certificate_arn": "arn:aws:acm:1", "truststore_uri": "s3://trust/ca.pem"},
    "guardrail": {"id": "abcdefghijkl", "version": "1"},
    "keep_awake": {},
    "keep_warm": True,
    "kms_key_arn": "arn:aws:kms:us-east-1:000000000000:key/1",
    "manage_api_gateway_account": True,
    "network": "all",
    "otlp_endpoint": "https://otlp.example.com",
    "otlp_secret": True,
    "otlp_content": True,
    "langfuse_host": "https://cloud.langfuse.com",
    "permissions_boundary": BOUNDARY,
    "role_path": PATH,
    "security_group_ids": ["sg-1"],
    "snap_start": True,
    "subnet_ids": ["subnet-1"],
    "web_acl_arn": WEB_ACL,
}


def test_every_declared_resource_is_planned_by_some_configuration(planned: Planner, record_property: Any) -> None:
    plans = {"defaults": planned(), "everything on": planned(**EVERYTHING), "classic": planned(collection="classic")}
    sizes = {
        name: len([each for each in plan.resources if not each.startswith("data.")]) for name, plan in plans.items()
    }
    named = {re.sub(r"\[.*", "", address) for plan in plans.values() for address in plan.resources}
    declared = {".".join(pair) for pair in re.findall(r'^resource "(\w+)" "(\w+)"', text_of(ROOT / "infra"), re.M)}
    assert declared - named == set()
    record_property("figures", f"resources of a plan by mocks: {sizes}")


def test_a_web_acl_guards_the_stage(planned: Planner) -> None:
    association = planned(web_acl_arn=WEB_ACL).resources["aws_wafv2_web_acl_association.api[0]"]
    assert association["web_acl_arn"] == WEB_ACL
    assert association["resource_arn"] == "arn:aws:apigateway:us-east-1::/restapis/api/stages/live"


def roles(plan: Plan) -> dict[str, tuple[str | None, str]]:
    return {
        address: (role.get("permissions_boundary"), role["path"])
        for address, role in plan.resources.items()
        if address.startswith("aws_iam_role.")
    }


def test_every_role_has_configured_path_and_boundary(planned: Planner) -> None:
    set_by_us = roles(planned(permissions_boundary=BOUNDARY, role_path=PATH, manage_api_gateway_account=True))
    assert len(set_by_us) > 25
    assert set(set_by_us.values()) == {(BOUNDARY, PATH)}
    assert set(roles(planned()).values()) == {(None, "/")}


IN_NETWORK = {"subnet_ids": ["subnet-1", "subnet-2"], "security_group_ids": ["sg-1"]}


def networked(plan: Plan) -> set[str]:
    """Return the functions in a network, each of which may join it and no other may."""
    joining = {who for who, statements in plan.allowed.items() if any(of["sid"] == "JoinNetwork" for of in statements)}
    functions = {values["function_name"].removeprefix("selfrag-"): values for values in plan.functions}
    inside = {name for name, values in functions.items() if values["vpc_config"]}
    assert {f'step["{name}"]' for name in inside} == joining
    assert all(functions[name]["vpc_config"][0].items() >= IN_NETWORK.items() for name in inside)
    return inside


def test_named_network_holds_all_or_only_collection_functions(planned: Planner) -> None:
    every = {*function_roles(), SENDS_SPANS}
    more = {**OPTIONS, "otlp_endpoint": "https://otlp.example.com"}
    assert networked(planned(**more, **IN_NETWORK, network="all")) == every
    assert networked(planned(**IN_NETWORK)) == {"retrieve", "index_passages", "remove_passages"}
    assert networked(planned()) == set()


def test_the_api_shows_text_of_the_collection_wherever_it_reaches_it(planned: Planner) -> None:
    def shows(**variables: Any) -> bool:
        return "UseCollection" in {statement["sid"] for statement in planned(**variables).allowed['step["ask"]']}

    private = {"collection_public": False, "collection_vpc_endpoint_ids": ["vpce-1"], **IN_NETWORK}
    assert (shows(), shows(**private), shows(**private, network="all")) == (True, False, True)


def test_the_page_lists_an_endpoint_for_each_service_that_functions_call() -> None:
    page = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
    section = page.split("### Your network\n")[1].split("\n### ")[0]
    cells = re.findall(r"^\| (`[^|]+) \|", section, re.M)
    listed_endpoints = {name for cell in cells for name in re.findall(r"`([a-z0-9-]+)`", cell)} - {"agents"}
    policies = exported()
    actions = {
        action
        for role in function_roles()
        for statement in policies[role]["Statement"]
        for action in listed(statement["Action"])
    }
    # Lambda itself delivers logs and traces.
    services = {action.partition(":")[0] for action in actions} - {"logs", "xray"}
    endpoint_of = {"bedrock": "bedrock-runtime"}
    expected = {endpoint_of.get(service, service) for service in services}
    # Synchronous executions have a separate host.
    operations = create_loader().load_service_model("stepfunctions", "service-2")["operations"]
    prefix = operations["StartSyncExecution"]["endpoint"]["hostPrefix"]
    assert listed_endpoints == {*expected, f"{prefix}states"}


def test_code_signing_and_access_logs_apply_where_configured(planned: Planner) -> None:
    def chosen(plan: Plan) -> tuple[set[str | None], dict[str, str]]:
        logs = {
            address.partition('["')[2].removesuffix('"]'): each["target_bucket"]
            for address, each in plan.resources.items()
            if address.startswith("aws_s3_bucket_logging.")
        }
        return {each.get("code_signing_config_arn") for each in plan.functions}, logs

    signing = "arn:aws:lambda:us-east-1:000000000000:code-signing-config:csc-1"
    configurations, logs = chosen(planned(code_signing_config_arn=signing, access_log_bucket="audit"))
    assert configurations == {signing}
    assert logs == {"documents": "audit", "work": "audit"}
    assert chosen(planned()) == ({None}, {})


def test_the_example_of_a_shared_state_is_one_that_terraform_reads() -> None:
    [terraform] = hcl2.loads((ROOT / "infra" / "backend.tf.example").read_text())["terraform"]
    assert "use_lockfile" in str(terraform["backend"])


@pytest.mark.parametrize(
    ("command", "calls"),
    [
        (["plan"], ["doctor --free", "plan"]),
        (["plan", "CHECK=0"], ["plan"]),
        (
            ["plan", "OUT=a.plan", "VARS=prod.tfvars"],
            [
                "doctor --free --var-file {here}/prod.tfvars",
                "plan -var-file={here}/prod.tfvars -out={here}/a.plan",
            ],
        ),
        (["deploy"], ["doctor --free", "apply"]),
        (["deploy", "PLAN=a.plan"], ["apply {here}/a.plan"]),
        (["deploy", "VARS=prod.tfvars", "CHECK=0"], ["apply -var-file={here}/prod.tfvars"]),
    ],
    ids=" ".join,
)
def test_a_plan_is_checked_stored_approved_and_applied_by_the_same_commands(
    command: list[str], calls: list[str], tmp_path: Path
) -> None:
    done, noted = make(tmp_path, *command)
    assert done.returncode == 0
    assert (ROOT / "infra" / "provider.tf").read_text() == (ROOT / "infra" / "provider.tf.example").read_text()
    assert noted == ["init -input=false", *(call.format(here=ROOT) for call in calls)]


@pytest.mark.parametrize("command", ["plan", "deploy"])
def test_blocking_finding_ends_plan_early_with_its_words(tmp_path: Path, command: str) -> None:
    done, noted = make(tmp_path, command, is_blocked=True)
    assert done.returncode != 0
    assert noted == ["init -input=false", "doctor --free"]
    assert "blocks   identity: There are no credentials" in done.stderr
    assert "CHECK=0" in done.stderr


def make(
    directory: Path, *command: str, is_blocked: bool = False
) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """Run make with a terraform and a doctor that note their arguments; the doctor may find that something blocks."""
    noted = directory / "noted"
    ending = "echo 'blocks   identity: There are no credentials'; exit 1" if is_blocked else ""
    for name, shift, end in (("terraform", "shift", ""), ("selfrag", "", ending)):
        (directory / name).write_text(f'#!/bin/sh\n{shift}\necho "$@" >> {noted}\n{end}\n')
        (directory / name).chmod(0o755)
    environment = {**os.environ, "PATH": f"{directory}:{os.environ['PATH']}"}
    line = ["make", "--silent", "-o", "package", f"BIN={directory}", *command]
    done = subprocess.run(line, cwd=ROOT, env=environment, check=False, capture_output=True, text=True)
    return done, noted.read_text().splitlines()
