"""The emulator's account as IAM sees it: what its roles and resources allow, as Terraform applied it. Runs in there."""

import json
from typing import Any

from ministack.core import iam_evaluator
from ministack.services import iam

from tests.support.enforced.callers import ACCOUNT, role_arn, session_arn
from tests.support.enforced.record import Decision, Record
from tests.support.roles.decider import Decider

# The emulator speaks no TLS; the SDKs and the services of AWS speak nothing else.
BY_TLS = {"aws:SecureTransport": "true"}
# Found here, because the emulator would decide by it once more.
_policy_of_resource = iam_evaluator._resource_policy


class Account:
    """Decides by the policies that are in force at the moment of the call."""

    def __init__(self, decider: Decider, record: Record) -> None:
        self._decider, self._record = decider, record

    def allows(self, role: str, action: str, resource: str, **context: str) -> bool:
        """Return whether a call with a role is allowed; it is written down."""
        return self._record.add(Decision(role, action, resource, self.would_allow(role, action, resource, **context)))

    def would_allow(self, role: str, action: str, resource: str, **context: str) -> bool:
        """Return whether a call with a role would be allowed: by its policies, and by that of the resource."""
        found = _policy_of_resource(action.split(":")[0], resource)
        return self._decider.allows(
            self._policy(role),
            action,
            resource,
            principal=session_arn(role, "session"),
            context={**BY_TLS, **context},
            resource_policy=_parsed(found[0]) if found else None,
        )

    def service_may(self, service: str, action: str, resource: str, policy: Any, **context: str) -> bool:
        """Return whether a service may act in its own name, by the resource's policy; write the decision down."""
        context = {**BY_TLS, "aws:SourceAccount": ACCOUNT, **context}
        allowed = bool(policy) and self._decider.allows(
            None, action, resource, principal=service, context=context, resource_policy=_parsed(policy)
        )
        return self._record.add(Decision(service, action, resource, allowed))

    def can_be_assumed(self, role: str, service: str, **context: str) -> bool:
        """Return whether a service may take a role on, by the role's trust policy; it is written down."""
        found = iam._roles.get_scoped(ACCOUNT, None, role)
        trust = found and found["AssumeRolePolicyDocument"]
        return self.service_may(service, "sts:AssumeRole", role_arn(role), trust, **context)

    def _policy(self, role: str) -> dict[str, Any] | None:
        found = iam._roles.get_scoped(ACCOUNT, None, role)
        policies = [_parsed(each) for each in (found or {}).get("InlinePolicies", {}).values()]
        statements = [statement for policy in policies for statement in policy["Statement"]]
        return {"Version": "2012-10-17", "Statement": statements} if statements else None


def _parsed(policy: Any) -> Any:
    return json.loads(policy) if isinstance(policy, str) and policy else policy or None
