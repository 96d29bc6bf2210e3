"""The permissions of whoever deploys: infra/deployer.json, simulated by IAM for the caller."""

import json
import re
from collections.abc import Iterator

from pydantic import BaseModel, Field

from selfrag.domain.errors import InvalidInput
from selfrag_cli.doctor.account import Account
from selfrag_cli.doctor.findings import Finding, blocks, fine, look

POLICY = "deployer.json"
# Statements that optional settings need.
OPTIONAL = "With"
_ASSUMED = re.compile(r"assumed-role/([^/]+)/")


class Statement(BaseModel):
    """A statement of the policy, whose resources have names of the deployment in angle brackets."""

    sid: str = Field(alias="Sid")
    actions: list[str] = Field(alias="Action")
    resources: str | list[str] = Field(alias="Resource")
    condition: dict[str, dict[str, list[str]]] = Field(default={}, alias="Condition")


def permissions(account: Account) -> Iterator[Finding]:
    """Look for actions of the deployer's policy that the caller may not do."""
    statements = _statements(account)
    source = _policy_source(account)
    if source is None:
        yield look(
            "IAM simulates no policies for these credentials, of the account's root or a federated user.",
            f"Deploy by a role that has the policy in {account.infra / POLICY}.",
        )
        return
    denied = {statement.sid: _denied(account, source, statement) for statement in statements}
    needed = [action for sid, actions in denied.items() for action in actions if not sid.startswith(OPTIONAL)]
    optional = [
        f"{action} ({sid})" for sid, actions in denied.items() for action in actions if sid.startswith(OPTIONAL)
    ]
    unseen = "A simulation does not see your organisation's service control policies."
    remedy = f"Have them allowed, as {account.infra / POLICY} does. {unseen}"
    if needed:
        yield blocks(f"You may not {', '.join(needed)}, which a deployment needs.", remedy)
    else:
        yield fine(f"You may do what a deployment needs. {unseen}")
    if optional:
        yield look(f"You may not {', '.join(optional)}, which optional settings need.", remedy)


def _statements(account: Account) -> list[Statement]:
    file = account.infra / POLICY
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read: run `make doctor` in a checkout of selfrag.") from error
    values = {
        "NAME": account.choices.name, "ROLE_PATH": account.choices.role_path, "REGION": account.region,
        "ACCOUNT": account.number, "PARTITION": account.caller["Arn"].split(":")[1],
    }  # fmt: skip
    for name, value in values.items():
        text = text.replace(f"<{name}>", value)
    return [Statement.model_validate(each) for each in json.loads(text)["Statement"]]


def _policy_source(account: Account) -> str | None:
    arn = account.caller["Arn"]
    if session := _ASSUMED.search(arn):
        # A session's ARN lacks the path of its role.
        return str(account.client("iam").get_role(RoleName=session[1])["Role"]["Arn"])
    return arn if ":user/" in arn else None


def _denied(account: Account, source: str, statement: Statement) -> list[str]:
    resources = [statement.resources] if isinstance(statement.resources, str) else statement.resources
    context = [
        {"ContextKeyName": key, "ContextKeyValues": values[:1], "ContextKeyType": "string"}
        for test in statement.condition.values()
        for key, values in test.items()
    ]
    pages = (
        account.client("iam")
        .get_paginator("simulate_principal_policy")
        .paginate(
            PolicySourceArn=source,
            ActionNames=statement.actions,
            # One of the names that a pattern allows.
            ResourceArns=[arn if arn == "*" else arn.replace("*", "any") for arn in resources],
            ContextEntries=context,
        )
    )
    results = [result for page in pages for result in page["EvaluationResults"]]
    return sorted({result["EvalActionName"] for result in results if result["EvalDecision"] != "allowed"})
