"""The deployer's permissions: IAM simulates the policies in infra/deployer for the caller."""

import json
import re
from collections.abc import Iterator
from typing import Any

from selfrag.domain.errors import InvalidInput
from selfrag_cli.doctor.account import Account
from selfrag_cli.doctor.findings import Finding, blocks, fine, warning

POLICIES = "deployer"
# Statements for optional settings.
OPTIONAL = "With"
_ASSUMED = re.compile(r"assumed-role/([^/]+)/")


def permissions(account: Account) -> Iterator[Finding]:
    """Check for actions of the deployer's policies that the caller lacks."""
    statements, source = _statements(account), _policy_source(account)
    if source is None:
        yield warning(
            "IAM simulates no policies for these credentials, of the account's root or a federated user.",
            f"Deploy by a role that has the policies in {account.infra / POLICIES}.",
        )
        return
    needed, optional = list[str](), list[str]()
    for statement in statements:
        denied = _simulate(account, source, statement)
        if statement["Sid"].startswith(OPTIONAL):
            optional += [f"{action} ({statement['Sid']})" for action in denied]
        else:
            needed += denied
    unseen = "A simulation does not see your organisation's service control policies."
    remedy = f"Have them allowed, as the policies in {account.infra / POLICIES} do. {unseen}"
    if needed:
        yield blocks(f"You may not {', '.join(needed)}, which a deployment needs.", remedy)
    else:
        yield fine(f"You may do what a deployment needs. {unseen}")
    if optional:
        yield warning(f"You may not {', '.join(optional)}, which optional settings need.", remedy)


def _statements(account: Account) -> list[dict[str, Any]]:
    folder = account.infra / POLICIES
    texts = [file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.json"))]
    if not texts:
        raise InvalidInput(f"There are no policies in {folder}: run `make doctor` in a checkout of selfrag.")
    values = {
        "NAME": account.choices.name, "ROLE_PATH": account.choices.role_path, "REGION": account.region,
        "ACCOUNT": account.number, "PARTITION": account.partition,
    }  # fmt: skip
    for name, value in values.items():
        texts = [text.replace(f"<{name}>", value) for text in texts]
    return [statement for text in texts for statement in json.loads(text)["Statement"]]


def _policy_source(account: Account) -> str | None:
    arn = account.caller["Arn"]
    if session := _ASSUMED.search(arn):
        # A session's ARN lacks its role's path.
        return str(account.client("iam").get_role(RoleName=session[1])["Role"]["Arn"])
    return arn if ":user/" in arn else None


def _simulate(account: Account, source: str, statement: dict[str, Any]) -> list[str]:
    resources = statement["Resource"] if isinstance(statement["Resource"], list) else [statement["Resource"]]
    context = [
        {"ContextKeyName": key, "ContextKeyValues": values[:1], "ContextKeyType": "string"}
        for test in statement.get("Condition", {}).values()
        for key, values in test.items()
    ]
    simulate = account.client("iam").get_paginator("simulate_principal_policy")
    pages = simulate.paginate(
        PolicySourceArn=source,
        ActionNames=statement["Action"],
        # One name that a pattern matches: /apikeys for /apikeys*.
        ResourceArns=[arn if arn == "*" else re.sub(r"(?<=\w)\*$", "", arn).replace("*", "any") for arn in resources],
        ContextEntries=context,
    )
    results = [result for page in pages for result in page["EvaluationResults"]]
    return sorted({result["EvalActionName"] for result in results if result["EvalDecision"] != "allowed"})
