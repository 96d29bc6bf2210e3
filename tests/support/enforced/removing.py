"""Take one thing out of what a deployment allows, and put it back."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import boto3

Aws = Mapping[str, Any]


@contextmanager
def without_statement(aws: Aws, role: str, sid: str) -> Iterator[None]:
    """In the block a role lacks one of its statements."""
    iam = boto3.client("iam", **aws)
    [name] = iam.list_role_policies(RoleName=role)["PolicyNames"]
    policy = iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"]
    less = [each for each in policy["Statement"] if each["Sid"] != sid]
    assert len(less) == len(policy["Statement"]) - 1, f"{role} has no statement {sid}"
    if less:
        iam.put_role_policy(RoleName=role, PolicyName=name, PolicyDocument=json.dumps({**policy, "Statement": less}))
    else:
        iam.delete_role_policy(RoleName=role, PolicyName=name)
    try:
        yield
    finally:
        iam.put_role_policy(RoleName=role, PolicyName=name, PolicyDocument=json.dumps(policy))


@contextmanager
def without_grant(aws: Aws, name: str, description: str) -> Iterator[None]:
    """In the block the data access policy of a collection lacks one of its grants."""
    client = boto3.client("opensearchserverless", **aws)

    def policy() -> dict[str, Any]:
        found: dict[str, Any] = client.get_access_policy(name=name, type="data")["accessPolicyDetail"]
        return found

    def put(grants: list[Any]) -> None:
        version = policy()["policyVersion"]
        client.update_access_policy(name=name, type="data", policyVersion=version, policy=json.dumps(grants))

    grants = policy()["policy"]
    less = [each for each in grants if each["Description"] != description]
    assert len(less) == len(grants) - 1, f"{name} has no grant {description}"
    put(less)
    try:
        yield
    finally:
        put(grants)


@contextmanager
def without_permission(aws: Aws, function: str, qualifier: str | None) -> Iterator[None]:
    """Let no caller invoke a function by its own policy in the block."""
    client = boto3.client("lambda", **aws)
    which = {"FunctionName": function, **({"Qualifier": qualifier} if qualifier else {})}
    [statement] = json.loads(client.get_policy(**which)["Policy"])["Statement"]
    client.remove_permission(**which, StatementId=statement["Sid"])
    try:
        yield
    finally:
        client.add_permission(
            **which,
            StatementId=statement["Sid"],
            Action=statement["Action"],
            Principal=statement["Principal"]["Service"],
            SourceArn=statement["Condition"]["ArnLike"]["AWS:SourceArn"],
        )
