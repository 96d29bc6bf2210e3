"""The callers: each role has keys of its own, so that what signs a request says whose it is."""

import re
from collections.abc import Iterable

ACCOUNT = "000000000000"
# The test's own keys, and terraform's; what they ask for is not decided.
TEST = {"test": "test"}


def key_of(role: str) -> str:
    """Return the access key of a role, which has its name in it."""
    return "ASIA" + re.sub(r"\W", "", role).upper()


def secret_of(role: str) -> str:
    """Return the secret of a role's key."""
    return f"the secret of {role}"


def token_of(role: str) -> str:
    """Return the token of a role's session."""
    return f"the token of {role}"


def keys_of(roles: Iterable[str]) -> dict[str, str]:
    """Return the secret by key: of these roles, and of the test."""
    return {**TEST, **{key_of(role): secret_of(role) for role in roles}}


def role_arn(role: str) -> str:
    """Return the ARN of a role."""
    return f"arn:aws:iam::{ACCOUNT}:role/{role}"


def session_arn(role: str, session: str) -> str:
    """Return the ARN of who calls with a role."""
    return f"arn:aws:sts::{ACCOUNT}:assumed-role/{role}/{session}"


def role_of(arn: str) -> str | None:
    """Return the role that an ARN of a role or of its session names; of others nothing."""
    found = re.search(r":(?:role|assumed-role)/([^/]+)", arn)
    return found[1] if found else None
