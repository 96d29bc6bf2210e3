"""Name conflicts that would make terraform fail.

One role is representative: a deployment with the other roles, tables, machines or the collection has it, too.
"""

from collections.abc import Callable, Iterator
from typing import Any

from botocore.exceptions import ClientError

from selfrag.adapters.faults import code_of
from selfrag_cli.doctor.account import Account
from selfrag_cli.doctor.findings import Finding, blocks, fine

_MISSING = {"404", "NoSuchBucket", "NoSuchEntity", "NoSuchEntityException", "ResourceNotFoundException"}


def roles(account: Account) -> Iterator[Finding]:
    """Check the API function's role in IAM, whose names are unique per account."""
    name = f"{account.choices.name}-ask"
    role = _read(account.client("iam").get_role, RoleName=name)
    yield _report(account, "roles", [name] if role else [])


def buckets(account: Account) -> Iterator[Finding]:
    """Check the bucket names, which are globally unique."""
    parts = ("documents", "work", *(["recognized"] if account.choices.text_recognition != "off" else []))
    names = [f"{account.choices.name}-{part}-{account.number}-{account.region}" for part in parts]
    head = account.client("s3").head_bucket
    yield _report(account, "buckets", [name for name in names if _read(head, Bucket=name)])


def collection(account: Account) -> Iterator[Finding]:
    """Check for a classic collection, which NextGen would replace by an empty one."""
    if not (account.deployed and account.choices.makes_nextgen and account.choices.collection_generation == 1):
        return
    name = account.choices.name
    if account.client("opensearchserverless").batch_get_collection(names=[name])["collectionDetails"]:
        yield blocks(
            f"The classic collection {name} has the passages of this deployment, and would be removed.",
            'Set `collection = "classic"`, which keeps it; docs/run.md says how to move to NextGen.',
        )


def log_groups(account: Account) -> Iterator[Finding]:
    """Check the API function's log group; a function that writes during its removal recreates it."""
    name = f"/aws/lambda/{account.choices.name}-ask"
    groups = account.client("logs").describe_log_groups(logGroupNamePrefix=name)["logGroups"]
    yield _report(account, "log groups", [name for group in groups if group["logGroupName"] == name])


def secrets(account: Account) -> Iterator[Finding]:
    """Check the secrets' names; one scheduled for deletion keeps its name."""
    describe = account.client("secretsmanager").describe_secret
    taken = {name: secret for name in account.choices.secrets if (secret := _read(describe, SecretId=name))}
    for name in [name for name, secret in taken.items() if "DeletedDate" in secret]:
        del taken[name]
        yield blocks(
            f"The secret {name} is scheduled for deletion and keeps its name until then.",
            f"Free it: aws secretsmanager delete-secret --region {account.region} --force-delete-without-recovery "
            f"--secret-id {name}",
        )
    yield _report(account, "secrets", list(taken))


def _read(call: Callable[..., dict[str, Any]], **arguments: str) -> dict[str, Any] | None:
    """Return a resource's description, or None."""
    try:
        return call(**arguments)
    except ClientError as error:
        if code_of(error) in _MISSING:
            return None
        # Another account owns the bucket.
        if code_of(error) == "403":
            return dict(error.response)
        raise


def _report(account: Account, kind: str, taken: list[str]) -> Finding:
    if not taken:
        return fine(f"No names of {kind} are taken.")
    names = ", ".join(taken)
    if account.deployed:
        return fine(f"The {kind} are those of the deployment that infra/'s state describes: {names}.")
    return blocks(
        f"Names of {kind} that the deployment needs are taken: {names}.",
        "Choose another `name` (names of roles are unique in all regions), or remove what has it.",
    )
