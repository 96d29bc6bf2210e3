"""The parts of a deployment that a person sets or moves: the secrets' values, and the release that is live."""

from collections.abc import Iterator

from selfrag_cli.doctor.deployment import Deployment
from selfrag_cli.doctor.findings import Finding, blocks, fine, look
from selfrag_cli.releases import LIVE, Release, Releases

CURRENT = "AWSCURRENT"


def secrets(deployment: Deployment) -> Iterator[Finding]:
    """Look whether each secret has a value; none is read."""
    client = deployment.account.client("secretsmanager")
    for name in deployment.choices.secrets:
        stages = client.describe_secret(SecretId=name).get("VersionIdsToStages", {})
        if any(CURRENT in of_version for of_version in stages.values()):
            yield fine(f"The secret {name} has a value.")
        else:
            yield blocks(
                f"The secret {name} has no value.",
                f"Set it: terraform output secret_commands prints the command for {name.rpartition('/')[2]}.",
            )


def release(deployment: Deployment) -> Iterator[Finding]:
    """Compare what is live of the machines, and of `stream`, with the release of `ask` that is live."""
    functions, states = deployment.account.client("lambda"), deployment.account.client("stepfunctions")
    releases = Releases(functions, states, deployment.name)
    live = releases.live()
    [parts] = [each for each in releases.kept() if each.number == live] or [Release(live, "", {}, None)]
    other = []
    for name, version in parts.machines.items():
        alias = f"{version.rpartition(':')[0]}:{LIVE}"
        routes = states.describe_state_machine_alias(stateMachineAliasArn=alias)["routingConfiguration"]
        if [route["stateMachineVersionArn"] for route in routes] != [version]:
            other.append(name)
    if parts.stream and releases.live_stream() != parts.stream:
        other.append("stream")
    if other:
        yield look(
            f"Release {live} answers questions, but its parts are not all live: {', '.join(other)}.",
            f"A deployment or a rollback broke off: `make deploy` again, or `selfrag rollback --to {live}`.",
        )
    else:
        yield fine(f"Release {live} is live with the {len(parts.machines)} machines that belong to it.")
