"""Permissions by simulation: the calls that the code makes, and whether IAM would allow each."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from string import Template
from typing import Any

from selfrag.runtime.models import DEFAULT_MODELS, first_of
from selfrag_cli.doctor.choices import Choices
from selfrag_cli.doctor.deployment import Deployment
from selfrag_cli.doctor.findings import Finding, blocks, fine
from selfrag_cli.doctor.names import MACHINES

# By who calls and the resource: the actions. Recorded from runs that take every path; a test says when it is stale.
FILE = files("selfrag_cli.doctor") / "calls.json"
# These have the same rights, and stand there once.
EACH_THAT_ASKS = "each step that asks the model"
# One definition of questions serves two machines, which have the same rights.
ROLES = {"workflow": ("express", "standard")}
_INDEX = "index/"
# With Bedrock these steps call their model in place of reading its key.
_MODEL_KEY = ":secret:${anthropic}"
_FUNCTION = re.compile(r'(?<![^"\s])arn:[^"\s]+:function:[^"\s]+')

Calls = list[tuple[str, str, list[str]]]
_INVOKE = ["bedrock:InvokeModel"]
# What is called for lines in place of the file's calls, which are those for tables.
_DETECTION = {f"textract:{verb}DocumentAnalysis": f"textract:{verb}DocumentTextDetection" for verb in ("Get", "Start")}


@dataclass(frozen=True)
class Call:
    """A call of a role: its resource and actions, and the inference profile by which a model is called, if any."""

    role: str
    resource: str
    actions: list[str]
    profile: str = ""

    @property
    def context(self) -> list[dict[str, Any]]:
        """Return the values of IAM's condition keys."""
        key = {"ContextKeyName": "bedrock:InferenceProfileArn", "ContextKeyType": "string"}
        return [{**key, "ContextKeyValues": [self.profile]}] if self.profile else []


def simulated(deployment: Deployment) -> Iterator[Finding]:
    """Ask IAM about each call and yield those that it would refuse."""
    client = deployment.account.client("iam")
    calls, refused = list(_calls(deployment)), 0
    for call in calls:
        reply = client.simulate_principal_policy(
            PolicySourceArn=deployment.account.role_arn(call.role), ActionNames=call.actions,
            ResourceArns=[call.resource], ContextEntries=call.context,
        )  # fmt: skip
        for result in reply["EvaluationResults"]:
            if result["EvalDecision"] != "allowed":
                refused += 1
                action = result["EvalActionName"]
                yield blocks(f"The role of {call.role} may not {action} on {call.resource}.", _why(result))
    count = sum(len(call.actions) for call in calls)
    if not refused:
        yield fine(f"IAM allows each of the {count} calls that {len({call.role for call in calls})} roles make.")


def data_access(deployment: Deployment) -> Iterator[Finding]:
    """Compare the collection's data access policy, of which IAM knows nothing, with the calls."""
    if deployment.choices.collection_endpoint:
        return
    client = deployment.account.client("opensearchserverless")
    policy = client.get_access_policy(name=deployment.name, type="data")["accessPolicyDetail"]["policy"]
    grants = json.loads(policy) if isinstance(policy, str) else policy
    missing = [
        f"{who} lacks {permission} on {resource}"
        for who, resource, permissions in _listed(deployment)
        if resource.startswith(_INDEX)
        for permission in permissions
        if not _granted(grants, deployment.account.role_arn(who), resource, permission)
    ]
    for lack in missing:
        yield blocks(f"The collection's data access policy is not as deployed: {lack}.", "Run `make deploy` again.")
    if not missing:
        yield fine("The collection's data access policy lets the functions search, write and remove passages.")


def _calls(deployment: Deployment) -> Iterator[Call]:
    """Yield every call of a function or a machine."""
    for who, resource, actions in _listed(deployment):
        if not resource.startswith(_INDEX):
            yield from (Call(role, resource, actions) for role in ROLES.get(who, (who,)))
    if deployment.choices.model_provider == "bedrock":
        yield from _model_calls(deployment)
    client = deployment.account.client("stepfunctions")
    for machine in MACHINES:
        arn = f"{deployment.account.arn('states')}:stateMachine:{deployment.name}-{machine}"
        definition = client.describe_state_machine(stateMachineArn=arn)["definition"]
        yield from (
            Call(machine, each, ["lambda:InvokeFunction"]) for each in sorted(set(_FUNCTION.findall(definition)))
        )


def _listed(deployment: Deployment) -> Calls:
    """Return the file's calls with the names of the deployment."""
    values, choices = _values(deployment), deployment.choices
    found: Calls = []
    lines = choices.text_recognition == "lines"
    for who, calls in _recorded():
        index = choices.searched if who == "retrieve" else choices.written
        for resource, actions in calls.items():
            if not _is_left_out(who, resource, actions, choices):
                made = Template(resource).substitute(values, index=index)
                found.append((who, made, [_DETECTION.get(each, each) for each in actions] if lines else actions))
    return found


def _is_left_out(who: str, resource: str, actions: list[str], choices: Choices) -> bool:
    """Return whether a deployment with these choices never makes a call."""
    recognizes = "-recognized-" in resource or actions[0].startswith("textract:")
    return (
        (who == "stream" and not choices.stream_events)
        or (resource.endswith(_MODEL_KEY) and choices.model_provider == "bedrock")
        or (resource.endswith(":secret:${tavily}") and not choices.web_search)
        or (recognizes and choices.text_recognition == "off")
    )


def _recorded() -> Iterator[tuple[str, dict[str, list[str]]]]:
    for who, calls in json.loads(FILE.read_text(encoding="utf-8")).items():
        yield from ((step, calls) for step in (DEFAULT_MODELS if who == EACH_THAT_ASKS else [who]))


def _values(deployment: Deployment) -> dict[str, str]:
    account = deployment.account
    host = re.search(r"//([^.:/]+)", deployment.outputs["collection_endpoint"])
    secrets = {
        name.rpartition("/")[2]: account.client("secretsmanager").describe_secret(SecretId=name)["ARN"]
        for name in deployment.choices.secrets
    }
    return {
        "partition": account.arn("iam").split(":")[1], "region": account.region, "account": account.number,
        "name": deployment.name, "embedding_region": account.embedding_region, "collection": host[1] if host else "",
        **{name: arn.rpartition(":")[2] for name, arn in secrets.items()},
    }  # fmt: skip


def _model_calls(deployment: Deployment) -> Iterator[Call]:
    """Yield the calls of each step to its models, through a profile in each region to which that may send them."""
    models, beginning = deployment.choices.models, deployment.account.arn("bedrock")
    for step in DEFAULT_MODELS:
        for model in dict.fromkeys(models[name] for name in (step, first_of(step)) if name in models):
            if model.startswith("anthropic."):
                yield Call(step, f"{beginning.rpartition(':')[0]}::foundation-model/{model}", _INVOKE)
                continue
            profile = f"{beginning}:inference-profile/{model}"
            yield Call(step, profile, _INVOKE)
            reply = deployment.account.client("bedrock").get_inference_profile(inferenceProfileIdentifier=model)
            yield from (Call(step, each["modelArn"], _INVOKE, profile) for each in reply["models"])


def _granted(grants: Any, principal: str, resource: str, permission: str) -> bool:
    rules = [rule for grant in grants if principal in grant["Principal"] for rule in grant["Rules"]]
    return any(permission in rule["Permission"] and resource in rule["Resource"] for rule in rules)


def _why(result: dict[str, Any]) -> str:
    if not result.get("OrganizationsDecisionDetail", {}).get("AllowedByOrganizations", True):
        return "A policy of your organisation forbids it: ask who keeps those."
    if not result.get("PermissionsBoundaryDecisionDetail", {}).get("AllowedByPermissionsBoundary", True):
        return "The role's permissions boundary forbids it: ask who sets those."
    return "Run `make deploy` again, which gives each role what docs/permissions.md lists."
