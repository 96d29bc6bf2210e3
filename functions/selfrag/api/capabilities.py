"""Capabilities of a deployment: the policies that it can run."""

from http import HTTPStatus

from selfrag.api.edge.problems import ProblemRaised
from selfrag.domain.policy import Policy
from selfrag.domain.strategies import is_quick


def check_offered(policy: Policy, has_endpoint: bool, waits: bool) -> None:
    """Raise ProblemRaised for a policy that this deployment cannot run, or not while a caller `waits`."""
    if policy.generator != "claude" and not has_endpoint:
        raise _refused(
            f"This deployment has no endpoint of the generator {policy.generator}.",
            "Leave out policy.generator, or ask the operator for it: selfrag_generator_url names one to Terraform, "
            "SELFRAG_GENERATOR_URL to serve.",
        )
    if waits and not is_quick(policy.strategy, policy.generator):
        raise _refused(
            f"The strategy {policy.strategy} takes longer with {policy.generator} than POST /v1/ask waits.",
            "Send the same body to POST /v1/questions, and look at its Location for the answer.",
        )


def _refused(detail: str, hint: str) -> ProblemRaised:
    return ProblemRaised(HTTPStatus.BAD_REQUEST, detail, hint)
