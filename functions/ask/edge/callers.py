"""The caller of a request, and the collections that they may ask."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from ask.edge.problems import ProblemRaised
from selfrag.ports.bindings import Bindings

_SESSION = re.compile(r"arn:([\w-]+):sts::(\d+):assumed-role/([^/]+)/.*")
_ROLE = re.compile(r"(arn:[\w-]+:iam::\d+:role/)(?:.*/)?([^/]+)")


@dataclass(frozen=True)
class Caller:
    """A caller; `name` identifies them, `collections` are all that they may ever ask."""

    name: str
    collections: tuple[str, ...]

    def allowed(self, wanted: Sequence[str]) -> None:
        """Raise ProblemRaised unless all of `wanted` are the caller's; it does not tell whether the others exist."""
        if not set(wanted) <= set(self.collections):
            raise ProblemRaised(
                HTTPStatus.FORBIDDEN,
                "Not every collection that the request names is one that you may ask.",
                "Name only collections that your key is bound to.",
            )


def caller_of(event: dict[str, Any], bindings: Bindings, others: Sequence[str]) -> Caller:
    """Return the caller that API Gateway authenticated: the id of an API key, or the ARN of an IAM identity.

    `others` are the collections of callers without a binding. Raises ProblemRaised for a caller without collections.
    """
    identity = event.get("requestContext", {}).get("identity") or {}
    name = str(identity.get("apiKeyId") or identity.get("userArn") or "")
    bound = bindings.of(_role(name)) if name else None
    collections = tuple(others) if bound is None else bound
    if not collections:
        raise ProblemRaised(
            HTTPStatus.FORBIDDEN,
            "Your key may not ask any collection.",
            "Have the operator bind your key to a collection (the output bind_command).",
        )
    return Caller(name, collections)


def _role(name: str) -> str:
    """Return a role's ARN without its path for any session of the role; any other name unchanged."""
    if session := _SESSION.fullmatch(name):
        partition, account, role = session.groups()
        return f"arn:{partition}:iam::{account}:role/{role}"
    role_arn = _ROLE.fullmatch(name)
    return "".join(role_arn.groups()) if role_arn else name
