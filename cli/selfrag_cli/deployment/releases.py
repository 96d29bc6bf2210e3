"""Releases of a deployment: versions of the function `ask`, which name the versions of the machines."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import boto3
from botocore.exceptions import ClientError

from selfrag.adapters.faults import aws_faults, code_of
from selfrag.domain.errors import InvalidInput, Misconfigured

# The aliases of infra/releases.tf.
LIVE = "live"
# Optional functions with an alias, besides `ask`.
_ALIASED = ("stream", "agents", "retrieve")
_GONE = {"ResourceNotFound", "ResourceNotFoundException", "StateMachineDoesNotExist"}


@dataclass(frozen=True)
class Release:
    """A version of `ask` with its creation time (UTC) and component versions.

    Machine versions are ARNs, function versions numbers.
    """

    number: int
    made_at: str
    machines: Mapping[str, str]
    functions: Mapping[str, str]


class Releases:
    """The releases of a deployment; raises selfrag's typed errors."""

    def __init__(self, functions: Any, states: Any, name: str) -> None:
        self._functions, self._states, self._name = functions, states, name
        self._ask = f"{name}-ask"

    def all(self) -> list[Release]:
        """Return all releases, oldest first; raises InvalidInput without a deployment."""
        with self._load_versions():
            pages = self._functions.get_paginator("list_versions_by_function").paginate(FunctionName=self._ask)
            versions = [version for page in pages for version in page["Versions"]]
        releases = [release for version in versions if (release := _release_of(version, self._name)) is not None]
        if not releases:
            raise Misconfigured(
                f"No version of {self._ask} names the machines that belong to it: either it was deployed before there "
                "were releases, or its variables cannot be read, which takes kms:Decrypt on their key."
            )
        return sorted(releases, key=lambda release: release.number)

    def live_number(self) -> int:
        """Return the number of the live release."""
        with self._load_versions():
            return int(self._functions.get_alias(FunctionName=self._ask, Name=LIVE)["FunctionVersion"])

    def make_live(self, release: Release) -> None:
        """Route new requests to a release; raises InvalidInput if a component was deleted."""
        for version in release.machines.values():
            with aws_faults("Step Functions"), _require_existing(version, release):
                self._states.describe_state_machine(stateMachineArn=version)
        for function, number in release.functions.items():
            with aws_faults("Lambda"), _require_existing(f"{function}:{number}", release):
                self._functions.get_function_configuration(FunctionName=function, Qualifier=number)
        with aws_faults("Step Functions"):
            for version in release.machines.values():
                alias = f"{version.rpartition(':')[0]}:{LIVE}"
                routing = [{"stateMachineVersionArn": version, "weight": 100}]
                self._states.update_state_machine_alias(stateMachineAliasArn=alias, routingConfiguration=routing)
        # Update `ask` last, since it defines the live release: after an interruption, the same command completes the
        # rest.
        with aws_faults("Lambda"):
            for function, number in release.functions.items():
                self._functions.update_alias(FunctionName=function, Name=LIVE, FunctionVersion=number)
            # Route all requests there, even if another version had a share.
            self._functions.update_alias(
                FunctionName=self._ask,
                Name=LIVE,
                FunctionVersion=str(release.number),
                RoutingConfig={"AdditionalVersionWeights": {}},
            )

    @contextmanager
    def _load_versions(self) -> Iterator[None]:
        with aws_faults("Lambda"):
            try:
                yield
            except self._functions.exceptions.ResourceNotFoundException:
                where = self._functions.meta.region_name
                raise InvalidInput(
                    f"There is no deployment called {self._name} in {where}; --name and --region say which is meant."
                ) from None


def releases_of(name: str, region: str | None) -> Releases:
    """Return a deployment's releases; raises InvalidInput without a region."""
    session = boto3.Session(region_name=region)
    if session.region_name is None:
        raise InvalidInput("Your AWS configuration has no region; --region says where the deployment is.")
    return Releases(session.client("lambda"), session.client("stepfunctions"), name)


def find_rollback_target(releases: Sequence[Release], live: int, number: int | None) -> Release:
    """Return the requested release or the one before the live one; raises InvalidInput without one."""
    if number is None:
        before = [release for release in releases if release.number < live]
        if not before:
            raise InvalidInput(f"Release {live} is the first one that is kept: there is none before it to go back to.")
        return before[-1]
    if number == live:
        raise InvalidInput(f"Release {number} is live already.")
    for release in releases:
        if release.number == number:
            return release
    numbers = ", ".join(str(release.number) for release in releases)
    raise InvalidInput(f"There is no release {number}; kept are {numbers}.")


@contextmanager
def _require_existing(version: str, release: Release) -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        if code_of(error) not in _GONE:
            raise
        raise InvalidInput(
            f"Release {release.number} cannot be made live: {version} was deleted. Nothing was changed."
        ) from None


def _release_of(version: Mapping[str, Any], name: str) -> Release | None:
    """Return the release of a function version as Lambda lists it."""
    variables = version.get("Environment", {}).get("Variables", {})
    if version["Version"] == "$LATEST" or "SELFRAG_RELEASE" not in variables:
        return None
    # One machine's ARN gives the prefix of all names.
    machines, _, _ = variables["SELFRAG_STANDARD_MACHINE_ARN"].partition(f":{name}-standard")
    numbers = json.loads(variables["SELFRAG_RELEASE"])
    return Release(
        int(version["Version"]),
        version["LastModified"][:16].replace("T", " "),
        {machine: f"{machines}:{name}-{machine}:{number}" for machine, number in sorted(numbers.items())},
        {f"{name}-{step}": number for step in _ALIASED if (number := variables.get(f"SELFRAG_{step.upper()}_VERSION"))},
    )
