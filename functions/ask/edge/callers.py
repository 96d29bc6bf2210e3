"""Who sends a request, and which collections they may ask."""

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
    """One caller; `name` tells them from others, `collections` are all that they may ever ask."""

    name: str
    collections: tuple[str, ...]

    def allowed(self, wanted: Sequence[str]) -> None:
        """Raise ProblemRaised unless all of `wanted` are the caller's; whether the others exist is not said."""
        if not set(wanted) <= set(self.collections):
            raise ProblemRaised(
                HTTPStatus.FORBIDDEN,
                "Not every collection that the request names is one that you may ask.",
                "Name only collections that your key is bound to.",
            )


def caller_of(event: dict[str, Any], bindings: Bindings, others: Sequence[str]) -> Caller:
    """The caller as API Gateway made sure of them: the id of an API key, or the ARN of an IAM identity.

    `others` is what those may ask who are bound to nothing. Raises ProblemRaised for one who may ask nothing.
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
    """A role's ARN without its path, whichever session took the role; any other name as it is."""
    if session := _SESSION.fullmatch(name):
        partition, account, role = session.groups()
        return f"arn:{partition}:iam::{account}:role/{role}"
    role_arn = _ROLE.fullmatch(name)
    return "".join(role_arn.groups()) if role_arn else name
