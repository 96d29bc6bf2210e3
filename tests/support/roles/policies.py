"""The policies of all roles, and the collection's data access policy, as Terraform makes them."""

import json
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("policies.json")
Policy = dict[str, Any]
# By role: a function's name, a machine's key in machines.tf, or `events`. `collection` is the data access policy.
Policies = dict[str, Any]

# Random parts of AWS's names.
_RANDOM = {r":collection/[a-z0-9]+": ":collection/passages", r"(:secret:[^\"]+)-\w{6}(?=\")": r"\1-random"}
_ADDRESS = re.compile(r"aws_iam_role_policy\.\w+(?:\[\"([\w-]+)\"\])?")


def exported() -> Policies:
    """Return a mutable copy of the file's content."""
    policies: Policies = json.loads(FILE.read_text(encoding="utf-8"))
    return policies


def policies_of(resources: Mapping[str, Mapping[str, Any]]) -> Policies:
    """Return the policies among the resources of a deployment, by their addresses' keys."""
    found = {
        match[1] or address.rpartition(".")[2]: _plain(values["policy"])
        for address, values in resources.items()
        if (match := _ADDRESS.fullmatch(address))
    }
    [access] = [values for address, values in resources.items() if ".data[0]" in address]
    return {**dict(sorted(found.items())), "collection": _plain(access["policy"])}


def statements(policies: Policies) -> Iterator[tuple[str, int]]:
    """Yield the role and the place of every statement of every role."""
    for role, policy in policies.items():
        if role != "collection":
            yield from ((role, place) for place in range(len(policy["Statement"])))


def place_of(policies: Policies, statement: str) -> tuple[str, int]:
    """Return the role and the place of a statement, ROLE.SID."""
    role, sid = statement.split(".")
    return role, [each["Sid"] for each in policies[role]["Statement"]].index(sid)


def without(policies: Policies, role: str, place: int) -> Policies:
    """Return the policies, a statement of a role being taken out."""
    less = deepcopy(policies)
    del less[role]["Statement"][place]
    return less


def reductions(policies: Policies) -> Iterator[tuple[str, str, Policies]]:
    """The policies, less one statement, or one action or resource of those that a statement has: role, part, policies.

    A statement's name is ROLE.SID; its action or resource follows after a space.
    """
    for role, place in statements(policies):
        statement = policies[role]["Statement"][place]
        name = f"{role}.{statement.get('Sid', place)}"
        yield role, name, without(policies, role, place)
        for field in ("Action", "Resource"):
            every = listed(statement[field])
            for part in every if len(every) > 1 else []:
                less = deepcopy(policies)
                less[role]["Statement"][place][field] = [each for each in every if each != part]
                yield role, f"{name} {part}", less


def listed(value: Any) -> list[Any]:
    """Return a policy's value, which may be a text or a list of them."""
    return value if isinstance(value, list) else [value]


def _plain(policy: str) -> Any:
    for pattern, instead in _RANDOM.items():
        policy = re.sub(pattern, instead, policy)
    return json.loads(policy)
