"""Names that are taken, so that terraform could not make what it is to make."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from botocore.exceptions import ClientError

from cli.doctor.account.subject import Account
from cli.doctor.findings import Finding, blocks, fine
from selfrag.adapters.faults import code_of

MACHINES = (
    "evaluation",
    "express",
    "ingestion",
    "reindex",
    "standard",
)
TABLES = ("answers", "callers", "documents", "feedback", "requests", "verdicts")
BUCKETS = ("documents", "work")
_FUNCTIONS = Path(__file__).parents[3] / "functions"
_SHOWN = 3

Taken = Callable[[Account], Iterable[str]]


def functions() -> list[str]:
    """The functions that are deployed: the folders that have a handler."""
    return sorted(handler.parent.name for handler in _FUNCTIONS.rglob("handler.py"))


def names(account: Account, parts: Iterable[str]) -> set[str]:
    """The names of these parts of the deployment."""
    return {f"{account.choices.name}-{part}" for part in parts}


def roles(account: Account) -> Iterable[str]:
    """Of IAM, which is one for all regions."""
    managed = ["api-logs"] if account.choices.manage_api_gateway_account else []
    hosted = ["generator"] if account.choices.selfrag_hosting else []
    wanted = names(account, [*functions(), *MACHINES, *managed, *hosted, "events"])
    pages = account.client("iam").get_paginator("list_roles").paginate()
    return wanted & {role["RoleName"] for page in pages for role in page["Roles"]}


def machines(account: Account) -> Iterable[str]:
    """State machines of the region."""
    pages = account.client("stepfunctions").get_paginator("list_state_machines").paginate()
    return names(account, MACHINES) & {each["name"] for page in pages for each in page["stateMachines"]}


def tables(account: Account) -> Iterable[str]:
    """Tables of the region."""
    pages = account.client("dynamodb").get_paginator("list_tables").paginate()
    return names(account, TABLES) & {name for page in pages for name in page["TableNames"]}


def buckets(account: Account) -> Iterable[str]:
    """Buckets, whose names are one for all accounts."""
    for name in sorted(names(account, (f"{each}-{account.number}-{account.region}" for each in BUCKETS))):
        try:
            account.client("s3").head_bucket(Bucket=name)
        except ClientError as error:
            # 403 is a bucket of somebody else.
            if code_of(error) in ("404", "NoSuchBucket"):
                continue
        yield name


def log_groups(account: Account) -> Iterable[str]:
    """Log groups; what AWS made for an earlier deployment stays when it is removed."""
    prefix = account.choices.name
    wanted = {f"/aws/lambda/{each}" for each in names(account, functions())}
    wanted |= {f"/aws/vendedlogs/states/{each}" for each in names(account, MACHINES)} | {f"/aws/apigateway/{prefix}"}
    pages = account.client("logs").get_paginator("describe_log_groups")
    for start in (f"/aws/lambda/{prefix}-", f"/aws/vendedlogs/states/{prefix}-", f"/aws/apigateway/{prefix}"):
        for page in pages.paginate(logGroupNamePrefix=start):
            yield from (group["logGroupName"] for group in page["logGroups"] if group["logGroupName"] in wanted)


def collections(account: Account) -> Iterable[str]:
    """The collection of the region."""
    if account.choices.collection_endpoint:
        return []
    client = account.client("opensearchserverless")
    return [each["name"] for each in client.batch_get_collection(names=[account.choices.name])["collectionDetails"]]


def taken(kind: str, find: Taken) -> Callable[[Account], Iterator[Finding]]:
    """The check that tells of names of a kind that are taken."""

    def check(account: Account) -> Iterator[Finding]:
        found = sorted(find(account))
        shown = ", ".join(found[:_SHOWN]) + (f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else "")
        if not found:
            yield fine(f"No names of {kind} are taken.")
        elif account.deployed:
            yield fine(f"The {kind} are those of the deployment that infra/'s state describes: {shown}.")
        else:
            yield blocks(
                f"Names of {kind} that the deployment needs are taken: {shown}.",
                "Choose another `name` (roles are one for all regions), or remove what has it. If a deployment of "
                "yours broke off, its state knows them: go on with `make deploy`.",
            )

    return check


def secrets(account: Account) -> Iterator[Finding]:
    """Secrets: one that is only marked for deletion keeps its name."""
    there: list[str] = []
    for name in account.choices.secrets:
        try:
            secret = account.client("secretsmanager").describe_secret(SecretId=name)
        except ClientError as error:
            if code_of(error) == "ResourceNotFoundException":
                continue
            raise
        if "DeletedDate" not in secret:
            there.append(name)
            continue
        yield blocks(
            f"The secret {name} is scheduled for deletion and keeps its name until then.",
            f"Free it: aws secretsmanager delete-secret --region {account.region} --force-delete-without-recovery "
            f"--secret-id {name}",
        )
    yield from taken("secrets", lambda _: there)(account)
