"""Regional services that the deployment needs, and their account settings."""

import os
from collections.abc import Iterator

from botocore.config import Config
from botocore.exceptions import ClientError, EndpointConnectionError

from selfrag.adapters.faults import code_of
from selfrag_cli.doctor.account import Account
from selfrag_cli.doctor.findings import Finding, blocks, fine, warning

# The cap that docs/costs.md suggests for each kind of unit, and a unit's monthly price.
CAP, UNIT_MONTH_DOLLARS = 4, 730 * 0.24
# An unknown job id: the call is free, and a region with the service reports the missing job.
_NO_JOB = "0" * 64
_THERE = {"InvalidJobIdException", "InvalidParameterException", "ValidationException"}


def check_express(account: Account) -> Iterator[Finding]:
    """Start a nonexistent machine to see whether StartSyncExecution answers."""
    # Only AWS endpoints use this host, `sync-states`.
    own = bool(os.environ.get("AWS_ENDPOINT_URL") or os.environ.get("AWS_ENDPOINT_URL_SFN"))
    client = account.client("stepfunctions", config=Config(inject_host_prefix=not own))
    machine = f"arn:{account.partition}:states:{account.region}:{account.number}:stateMachine:selfrag-nowhere"
    try:
        client.start_sync_execution(stateMachineArn=machine)
    except EndpointConnectionError:
        yield blocks(
            f"Step Functions has no synchronous start in {account.region}, which POST /v1/ask needs.",
            "Choose another `region`.",
        )
        return
    except ClientError:
        # No such machine, or no permission: the service answers.
        pass
    yield fine(f"Step Functions starts Express machines synchronously in {account.region}.")


def collections(account: Account) -> Iterator[Finding]:
    """Compare the cap of OpenSearch Compute Units with the collections' use."""
    try:
        settings = account.client("opensearchserverless").get_account_settings()
    except EndpointConnectionError:
        yield _report_absence(account, "OpenSearch Serverless", "set `collection_endpoint` to a collection elsewhere")
        return
    if account.choices.makes_nextgen:
        units = account.choices.collection_max_ocus
        most = 2 * units * UNIT_MONTH_DOLLARS
        says = f"The collection costs no units while nothing is asked, and {most:,.0f} dollars a month at the most."
        todo = f"Set `collection_max_ocus = {CAP}` to pay less at the most."
        yield fine(says) if units <= CAP else warning(says, todo)
        return
    limits = settings["accountSettingsDetail"]["capacityLimits"]
    indexing, search = limits["maxIndexingCapacityInOCU"], limits["maxSearchCapacityInOCU"]
    says = (
        f"All collections together may use {indexing} units for indexing and {search} for search, which would cost "
        f"{(indexing + search) * UNIT_MONTH_DOLLARS:,.0f} dollars a month."
    )
    if max(indexing, search) <= CAP:
        yield fine(says)
        return
    yield warning(
        says,
        f"Set what you would pay at most: aws opensearchserverless update-account-settings --region {account.region} "
        f"--capacity-limits maxIndexingCapacityInOCU={CAP},maxSearchCapacityInOCU={CAP}",
    )


def textract(account: Account) -> Iterator[Finding]:
    """Call Amazon Textract if text recognition is on; it only reads objects of its region."""
    if account.choices.text_recognition == "off":
        return
    try:
        account.client("textract").get_document_text_detection(JobId=_NO_JOB)
    except EndpointConnectionError:
        yield _report_absence(account, "Amazon Textract", "leave `text_recognition` out")
        return
    except ClientError as error:
        if code_of(error) not in _THERE:
            raise
    yield fine(f"Amazon Textract answers in {account.region}.")


def logging_role(account: Account) -> Iterator[Finding]:
    """Compare the account's API logging role with `manage_api_gateway_account`."""
    role = account.client("apigateway").get_account().get("cloudwatchRoleArn") or ""
    managed, own = account.choices.manage_api_gateway_account, f"{account.choices.name}-api-logs"
    if not role and not managed:
        yield blocks(
            f"No role lets API Gateway write logs in {account.region}, and without one the stage cannot be made.",
            "Set `manage_api_gateway_account = true`.",
        )
    elif role and managed and not role.endswith(f":role/{own}"):
        yield blocks(
            f"Other APIs of the account write their logs by {role}, which manage_api_gateway_account would replace.",
            "Leave `manage_api_gateway_account` out: this API then writes its logs by that role, too.",
        )
    else:
        yield fine(f"API Gateway writes logs by {role or own}.")


def _report_absence(account: Account, service: str, remedy: str) -> Finding:
    return blocks(f"{service} does not answer in {account.region}.", f"Choose another `region`, or {remedy}.")
