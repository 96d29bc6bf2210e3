"""Names that are taken, so that terraform could not make its resources.

Tables, machines and the collection have no check of their own: a deployment that has those has the roles, too.
"""

from collections.abc import Iterator
from pathlib import Path

from botocore.exceptions import ClientError

from cli.doctor.account import Account
from cli.doctor.findings import Finding, blocks, fine
from selfrag.adapters.faults import code_of

MACHINES = (
    "evaluation",
    "express",
    "ingestion",
    "intake",
    "reindex",
    "standard",
)
BUCKETS = ("documents", "work")
# Made with `text_recognition`.
RECOGNIZED = "recognized"
_FUNCTIONS = Path(__file__).parents[2] / "functions"
_SHOWN = 3


def functions(streaming: bool = False, sending: bool = False) -> list[str]:
    """Return the functions that are deployed: the folders that have a handler, and `stream` with `stream_events`.

    The folder `send_spans` is one of them with `otlp_endpoint`.
    """
    folders = {handler.parent.name for handler in _FUNCTIONS.rglob("handler.py")} - {"send_spans"}
    return sorted([*folders, *(["stream"] * streaming), *(["send_spans"] * sending)])


def roles(account: Account) -> Iterator[Finding]:
    """Look for the deployment's roles in IAM, which is one for all regions."""
    managed = ["api-logs"] if account.choices.manage_api_gateway_account else []
    ours = [
        *functions(account.choices.stream_events, account.choices.sends_spans),
        *MACHINES,
        *managed,
        "events",
    ]
    wanted = {f"{account.choices.name}-{each}" for each in ours}
    pages = account.client("iam").get_paginator("list_roles").paginate()
    yield _finding(account, "roles", wanted & {role["RoleName"] for page in pages for role in page["Roles"]})


def buckets(account: Account) -> Iterator[Finding]:
    """Look for the deployment's buckets, whose names are one for all accounts."""
    taken = set()
    for part in (*BUCKETS, *([RECOGNIZED] if account.choices.text_recognition != "off" else [])):
        name = f"{account.choices.name}-{part}-{account.number}-{account.region}"
        try:
            account.client("s3").head_bucket(Bucket=name)
        except ClientError as error:
            # 403 is a bucket of another account.
            if code_of(error) in ("404", "NoSuchBucket"):
                continue
        taken.add(name)
    yield _finding(account, "buckets", taken)


def log_groups(account: Account) -> Iterator[Finding]:
    """Look for log groups; AWS makes one anew when a function that is being removed still writes."""
    prefix = f"/aws/lambda/{account.choices.name}-"
    pages = account.client("logs").get_paginator("describe_log_groups").paginate(logGroupNamePrefix=prefix)
    wanted = {f"{prefix}{each}" for each in functions(account.choices.stream_events, account.choices.sends_spans)}
    yield _finding(
        account, "log groups", wanted & {group["logGroupName"] for page in pages for group in page["logGroups"]}
    )


def secrets(account: Account) -> Iterator[Finding]:
    """Look for the deployment's secrets; one that is only marked for deletion keeps its name."""
    taken = set()
    for name in account.choices.secrets:
        try:
            secret = account.client("secretsmanager").describe_secret(SecretId=name)
        except ClientError as error:
            if code_of(error) == "ResourceNotFoundException":
                continue
            raise
        if "DeletedDate" not in secret:
            taken.add(name)
            continue
        yield blocks(
            f"The secret {name} is scheduled for deletion and keeps its name until then.",
            f"Free it: aws secretsmanager delete-secret --region {account.region} --force-delete-without-recovery "
            f"--secret-id {name}",
        )
    yield _finding(account, "secrets", taken)


def _finding(account: Account, kind: str, taken: set[str]) -> Finding:
    found = sorted(taken)
    shown = ", ".join(found[:_SHOWN]) + (f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else "")
    if not found:
        return fine(f"No names of {kind} are taken.")
    if account.deployed:
        return fine(f"The {kind} are those of the deployment that infra/'s state describes: {shown}.")
    return blocks(
        f"Names of {kind} that the deployment needs are taken: {shown}.",
        "Choose another `name` (roles are one for all regions), or remove what has it. If a deployment of "
        "yours broke off, its state knows them: go on with `make deploy`.",
    )
