"""The deployer's permissions: infra/deployer has policies that IAM accepts, and the doctor names missing actions."""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from fnmatch import fnmatchcase
from typing import Any

import pytest

from selfrag_cli.doctor.findings import Finding
from tests.support.doubles.aws_account import ACCOUNT, REGION, Refused, simulated
from tests.support.examined import findings
from tests.support.infra.tools import simulator
from tests.support.roles import deployer
from tests.support.roles.policies import listed
from tests.support.roles.roles import decider

# The most that a managed policy may have, without white space.
MANAGED_LIMIT = 6_144
# The longest that AWS has, and that the variables allow.
LONGEST = {"NAME": "a" * 21, "REGION": "ap-southeast-1", "PARTITION": "aws-us-gov", "ROLE_PATH": f"/{'p' * 510}/"}
SESSION = f"arn:aws:sts::{ACCOUNT}:assumed-role/deployers/session"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/teams/deployers"


def filled(document: object, **names: str) -> str:
    """Return a policy without white space, with the names of a deployment filled in."""
    text = json.dumps(document, separators=(",", ":"))
    known = {"NAME": "my-rag", "ACCOUNT": ACCOUNT, "REGION": REGION, "PARTITION": "aws", "ROLE_PATH": "/apps/"}
    for placeholder, value in {**known, **names}.items():
        text = text.replace(f"<{placeholder}>", value)
    assert "<" not in text
    return text


def policy(name: str = "my-rag") -> dict[str, Any]:
    """Return the statements of both policies as one."""
    return {"Version": "2012-10-17", "Statement": json.loads(filled(deployer.statements(), NAME=name))}


def by(allowed: Any) -> Callable[[str, str, dict[str, list[str]]], bool]:
    """Return what decides calls by a policy, as IAM's simulation does: without resources."""

    def allows(action: str, resource: str, context: dict[str, list[str]]) -> bool:
        return any(
            action in statement["Action"]
            and any(fnmatchcase(resource, pattern) for pattern in listed(statement["Resource"]))
            and all(
                set(context[key]) <= set(values)
                for test in statement.get("Condition", {}).values()
                for key, values in test.items()
            )
            for statement in allowed["Statement"]
        )

    return allows


def examined(allowed: Any, **choices: Any) -> list[Finding]:
    """Return the doctor's findings for a caller with this policy."""
    answers = {"iam.SimulatePrincipalPolicy": simulated(by(allowed))}
    return findings("permissions", answers, name="my-rag", role_path="/apps/", **choices)


def test_a_caller_with_the_deployers_policies_may_deploy() -> None:
    [finding] = examined(policy())
    assert finding.level == "fine"
    assert "service control policies" in finding.says


def test_both_deployer_policies_fit_managed_limit_with_longest_names(
    record_property: Callable[[str, object], None],
) -> None:
    documents = deployer.documents()
    sizes = [len(filled(document, **LONGEST)) for document in documents]
    assert [document["Version"] for document in documents] == ["2012-10-17"] * 2
    assert max(sizes) <= MANAGED_LIMIT
    record_property("figures", f"the deployer's policies have {sizes} of {MANAGED_LIMIT} characters")


@pytest.mark.parametrize("sid", ["Everywhere", "Roles", "RolesOfServices", "Functions", "Buckets", "WithNetwork"])
def test_doctor_names_single_missing_permission_before_plan(sid: str) -> None:
    less = deepcopy(policy())
    [statement] = [statement for statement in less["Statement"] if statement["Sid"] == sid]
    removed = statement["Action"].pop(len(statement["Action"]) // 2)
    found = [finding for finding in examined(less) if finding.level != "fine"]
    assert [finding.level for finding in found] == ["look" if sid.startswith("With") else "blocks"]
    assert f"You may not {removed}" in found[0].says
    assert "," not in found[0].says.partition("which")[0].removesuffix(", ")
    assert "infra/deployer" in found[0].do


def test_a_policy_for_another_name_does_not_deploy_this_one() -> None:
    [blocked] = [finding for finding in examined(policy("other")) if finding.level == "blocks"]
    assert "lambda:CreateFunction" in blocked.says


def test_a_session_is_simulated_as_its_role_whose_path_iam_knows() -> None:
    asked = []

    def simulate(request: dict[str, Any]) -> Any:
        asked.append(request["PolicySourceArn"])
        return simulated(by(policy()))(request)

    role = {
        "Path": "/teams/",
        "RoleName": "deployers",
        "RoleId": "AROA" + 17 * "1",
        "Arn": ROLE,
        "CreateDate": "2026-01-01",
    }
    answers: dict[str, Any] = {
        "sts.GetCallerIdentity": {"Arn": SESSION, "Account": ACCOUNT},
        "iam.GetRole": lambda request: (
            {"Role": role} if request["RoleName"] == "deployers" else Refused("NoSuchEntity")
        ),
        "iam.SimulatePrincipalPolicy": simulate,
    }
    [finding] = findings("permissions", answers, name="my-rag", role_path="/apps/")
    assert (finding.level, set(asked)) == ("fine", {ROLE})


@pytest.mark.parametrize("arn", [f"arn:aws:iam::{ACCOUNT}:root", f"arn:aws:sts::{ACCOUNT}:federated-user/me"])
def test_credentials_that_iam_cannot_simulate_are_told_so(arn: str) -> None:
    answers: dict[str, Any] = {"sts.GetCallerIdentity": {"Arn": arn, "Account": ACCOUNT}}
    [finding] = findings("permissions", answers)
    assert finding.level == "look"
    assert "infra/deployer" in finding.do


def test_every_action_exists_and_is_allowed_on_a_resource_that_it_takes() -> None:
    simulator()
    whole, undecided = policy(), []
    for statement in whole["Statement"]:
        context = {key: values[:1] for test in statement.get("Condition", {}).values() for key, values in test.items()}
        patterns = (re.sub(r"(?<=\w)\*$", "", arn) for arn in listed(statement["Resource"]))
        named = [arn if arn == "*" else arn.replace("*", "any") for arn in patterns]
        resources = [f"{arn}{rest}" for arn in named for rest in ("", ":1", "/any", "/stages/any")]
        undecided += [action for action in statement["Action"] if not _is_allowed(whole, action, resources, context)]
    # A key has its own policy, which must allow the account's IAM. iam-simulate reads the two forms of a stage's ARN as
    # one, so it accepts none of them.
    assert {action for action in undecided if not action.startswith("kms:")} == {"apigateway:SetWebACL"}


def _is_allowed(whole: Any, action: str, resources: list[str], context: dict[str, Any]) -> bool:
    for resource in resources:
        # iam-simulate refuses a resource that the action does not take.
        with suppress(ValueError):
            if decider().allows(whole, action, resource, context=context):
                return True
    return False


def test_deployer_actions_have_no_wildcard_and_no_duplicate() -> None:
    always = [statement for statement in deployer.statements() if not statement["Sid"].startswith("With")]
    actions = [action for statement in always for action in listed(statement["Action"])]
    assert not [action for action in actions if "*" in action]
    assert len(actions) == len(set(actions))


def test_missing_and_superfluous_permissions_are_detected() -> None:
    assert deployer.missing({"s3:GetObjectTorrent"}) == {"s3:GetObjectTorrent"}
    assert "s3:CreateBucket" in deployer.unneeded(set())
