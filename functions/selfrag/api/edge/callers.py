"""The caller of a request: the collections and the actions that an operator has bound them to."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from http import HTTPStatus

from selfrag.api.edge.gateway_event import GatewayEvent
from selfrag.api.edge.problems import ProblemError
from selfrag.authorize.handler import PRINCIPAL
from selfrag.ports.bindings import Action, Binding, Bindings

_SESSION = re.compile(r"arn:([\w-]+):sts::(\d+):assumed-role/([^/]+)/.*")
_ROLE = re.compile(r"(arn:[\w-]+:iam::\d+:role/)(?:.*/)?([^/]+)")
_REFUSALS: dict[Action, tuple[str, str]] = {
    "ask": ("Your key may not ask questions.", "Have the operator add the action ask to the binding of your key."),
    "upload": (
        "Your key may not upload, replace or delete documents.",
        "Have the operator add the action upload to the binding of your key.",
    ),
}


@dataclass(frozen=True)
class Caller:
    """A caller: `name` identifies them, `binding` has their collections and actions."""

    name: str
    binding: Binding
    bindings: Bindings

    def reaches(self, collections: Collection[str]) -> bool:
        """Return whether all of `collections` are the caller's."""
        others = set(collections) - set(self.binding.collections)
        return not others or (self.binding.all_collections and self.bindings.has_collections(others))

    def allowed(self, collections: Collection[str]) -> None:
        """Raise ProblemError unless all of `collections` are the caller's; no sign of whether the others exist."""
        if not self.reaches(collections):
            raise ProblemError(
                HTTPStatus.FORBIDDEN,
                "Not every collection that the request names is one of yours.",
                "Name only collections that your key is bound to.",
            )


def caller_of(event: GatewayEvent, bindings: Bindings, action: Action | None = None) -> Caller:
    """Return the caller of a request by the authorizer's principalId, the id of an API key or an IAM identity.

    Raises ProblemError for a caller without a binding, and for one whose binding lacks `action`.
    """
    context = event.get("requestContext", {})
    identity, client = context.get("identity") or {}, (context.get("authorizer") or {}).get("principalId")
    client = None if client == PRINCIPAL else client
    key, arn = str(identity.get("apiKeyId") or ""), str(identity.get("userArn") or "")
    # A key that an authorizer names is that of a usage plan, which many clients may share.
    name = f"client#{client}" if client else key or arn
    bound = bindings.get(name if client else f"key#{key}" if key else f"principal#{_role(arn)}")
    if bound is None:
        raise ProblemError(
            HTTPStatus.FORBIDDEN,
            "Your key is bound to no collection.",
            "Have the operator bind your key to a collection (the output bind_command).",
        )
    if action and action not in bound.actions:
        raise ProblemError(HTTPStatus.FORBIDDEN, *_REFUSALS[action])
    return Caller(name, bound, bindings)


def _role(name: str) -> str:
    """Return a role's ARN without its path for any session of the role; any other name unchanged."""
    if session := _SESSION.fullmatch(name):
        partition, account, role = session.groups()
        return f"arn:{partition}:iam::{account}:role/{role}"
    role_arn = _ROLE.fullmatch(name)
    return "".join(role_arn.groups()) if role_arn else name
