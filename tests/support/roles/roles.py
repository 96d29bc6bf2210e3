"""Roles as Terraform makes them: whether one allows a call, and which of its statements no call needs."""

from collections.abc import Callable, Iterable
from functools import cache

from tests.support.infra.rules import ROLES
from tests.support.infra.tools import can_decide, simulator
from tests.support.roles.calls import ACCOUNT
from tests.support.roles.decider import Decider
from tests.support.roles.policies import Policies, exported, reductions
from tests.support.roles.recorded import Call

Allows = Callable[[str, str, str], bool]


@cache
def decider() -> Decider:
    """Return the one of this process: a fifth of a second to start, a few milliseconds for each question."""
    return Decider(simulator())


class Roles:
    """Roles that decide calls by these policies."""

    def __init__(self, policies: Policies) -> None:
        self._policies = policies

    def allow(self, who: str, action: str, resource: str) -> bool:
        """Return whether the role of a function or of a machine allows the action on the resource."""
        if resource.startswith("index/"):
            return self._data_access(who, action, resource)
        roles = ROLES.get(who, (who,))
        context = {"cloudwatch:namespace": "selfrag"} if action == "cloudwatch:PutMetricData" else None
        return all(decider().allows(self._policies[role], action, resource, context=context) for role in roles)

    def _data_access(self, who: str, permission: str, index: str) -> bool:
        role = f"arn:aws:iam::{ACCOUNT}:role/selfrag-{who}"
        rules = [
            rule for grant in self._policies["collection"] if role in grant["Principal"] for rule in grant["Rules"]
        ]
        return any(permission in rule["Permission"] and index in rule["Resource"] for rule in rules)


def check_roles(calls: Iterable[Call], also_allows: Allows = lambda who, action, resource: False) -> None:
    """Fail for calls that no role allows, which AWS would have refused; where nothing can decide, another test says so.

    `also_allows` are additional permissions of other deployments' roles.
    """
    if can_decide():
        roles = Roles(exported())
        refused = [call for call in dict.fromkeys(calls) if not (also_allows(*call) or roles.allow(*call))]
        assert not refused, f"AWS would refuse: {refused}"


def unneeded(policies: Policies, calls: Iterable[Call]) -> list[str]:
    """Return the parts of policies, and whole statements, that no call needs."""
    asked = [call for call in calls if not call[2].startswith("index/")]
    found = []
    for role, part, less in reductions(policies):
        of_role = (call for call in asked if role in ROLES.get(call[0], (call[0],)))
        if all(Roles(less).allow(*call) for call in of_role):
            found.append(part)
    return found
