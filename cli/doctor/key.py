"""The policy of a KMS key of yours: the services that use the key for the deployment."""

import json
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import Any

from cli.doctor.account import Account
from cli.doctor.findings import Finding, fine, look

_NEEDED = ("kms:Decrypt", "kms:GenerateDataKey")


def policy(account: Account) -> Iterator[Finding]:
    """Read the key's policy for the services that need it; what their statements' conditions say is not read."""
    key = account.choices.kms_key_arn
    if key is None:
        return
    client = account.client("kms", key.split(":")[3])
    statements = json.loads(client.get_key_policy(KeyId=key, PolicyName="default")["Policy"])["Statement"]
    missing = sorted(service for service in services(account) if not _allowed(service, statements))
    if missing:
        yield look(
            f"The policy of the key {key} does not let {', '.join(missing)} use it.",
            "Add the statement of docs/permissions.md; without it logs, alarms or undelivered events are missing.",
        )
    else:
        yield fine(f"The policy of the key {key} lets each service use it.")


def services(account: Account) -> list[str]:
    """Return the services that use the key in their own name."""
    return [
        f"logs.{account.region}.amazonaws.com",
        "cloudwatch.amazonaws.com",
        "delivery.logs.amazonaws.com",
        "events.amazonaws.com",
    ]


def _allowed(service: str, statements: Iterable[dict[str, Any]]) -> bool:
    granted = [
        action
        for statement in statements
        if statement["Effect"] == "Allow" and _names(statement.get("Principal"), service)
        for action in _listed(statement.get("Action", []))
    ]
    return all(any(fnmatchcase(needed, action) for action in granted) for needed in _NEEDED)


def _names(principal: Any, service: str) -> bool:
    if isinstance(principal, dict):
        return service in _listed(principal.get("Service", []))
    return bool(principal == "*")


def _listed(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value
