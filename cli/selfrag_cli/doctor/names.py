"""Names that are taken, so that terraform could not make its resources.

One role stands for all: what has the other roles, tables, machines or the collection has it, too.
"""

from collections.abc import Iterator

from botocore.exceptions import ClientError

from selfrag.adapters.faults import code_of
from selfrag_cli.doctor.account import Account
from selfrag_cli.doctor.findings import Finding, blocks, fine

_MISSING = {"404", "NoSuchBucket", "NoSuchEntity", "NoSuchEntityException"}


def roles(account: Account) -> Iterator[Finding]:
    """Look for the role of the API's function in IAM, whose names are unique in all regions of an account."""
    name = f"{account.choices.name}-ask"
    try:
        account.client("iam").get_role(RoleName=name)
    except ClientError as error:
        if code_of(error) not in _MISSING:
            raise
        yield _finding(account, "roles", [])
        return
    yield _finding(account, "roles", [name])


def buckets(account: Account) -> Iterator[Finding]:
    """Look for the deployment's buckets, whose names are unique in all accounts."""
    taken = []
    for part in ("documents", "work", *(["recognized"] if account.choices.text_recognition != "off" else [])):
        name = f"{account.choices.name}-{part}-{account.number}-{account.region}"
        try:
            account.client("s3").head_bucket(Bucket=name)
        except ClientError as error:
            # 403 is a bucket of another account.
            if code_of(error) in _MISSING:
                continue
        taken.append(name)
    yield _finding(account, "buckets", taken)


def log_groups(account: Account) -> Iterator[Finding]:
    """Look for the log group of the API's function; AWS makes one anew when a function writes while it is removed."""
    name = f"/aws/lambda/{account.choices.name}-ask"
    groups = account.client("logs").describe_log_groups(logGroupNamePrefix=name)["logGroups"]
    yield _finding(account, "log groups", [name for group in groups if group["logGroupName"] == name])


def secrets(account: Account) -> Iterator[Finding]:
    """Look for the deployment's secrets; one that is only marked for deletion keeps its name."""
    taken = []
    for name in account.choices.secrets:
        try:
            secret = account.client("secretsmanager").describe_secret(SecretId=name)
        except ClientError as error:
            if code_of(error) == "ResourceNotFoundException":
                continue
            raise
        if "DeletedDate" not in secret:
            taken.append(name)
            continue
        yield blocks(
            f"The secret {name} is scheduled for deletion and keeps its name until then.",
            f"Free it: aws secretsmanager delete-secret --region {account.region} --force-delete-without-recovery "
            f"--secret-id {name}",
        )
    yield _finding(account, "secrets", taken)


def _finding(account: Account, kind: str, taken: list[str]) -> Finding:
    if not taken:
        return fine(f"No names of {kind} are taken.")
    names = ", ".join(taken)
    if account.deployed:
        return fine(f"The {kind} are those of the deployment that infra/'s state describes: {names}.")
    return blocks(
        f"Names of {kind} that the deployment needs are taken: {names}.",
        "Choose another `name` (names of roles are unique in all regions), or remove what has it. If a deployment of "
        "yours broke off, its state has them: go on with `make deploy`.",
    )
