"""OpenSearch Serverless: whether the region has it, and how much the account may come to use."""

from collections.abc import Iterator

from botocore.exceptions import EndpointConnectionError

from cli.doctor.account.subject import Account
from cli.doctor.findings import Finding, blocks, fine, look
from cli.doctor.needs import month_dollars

# The cap that docs/costs.md proposes for either.
CAP = 4


def units(account: Account) -> Iterator[Finding]:
    """The most OpenSearch Compute Units of the account, which collections take by themselves as they need them."""
    try:
        settings = account.client("opensearchserverless").get_account_settings()
    except EndpointConnectionError:
        yield blocks(
            f"OpenSearch Serverless does not answer in {account.region}.",
            "Choose another `region`, or set `collection_endpoint` to a collection that is there.",
        )
        return
    limits = settings["accountSettingsDetail"]["capacityLimits"]
    indexing, search = limits["maxIndexingCapacityInOCU"], limits["maxSearchCapacityInOCU"]
    dollars = month_dollars(indexing + search)
    says = (
        f"All collections together may use {indexing} units for indexing and {search} for search, which would cost "
        f"{dollars:,.0f} dollars a month."
    )
    if max(indexing, search) <= CAP:
        yield fine(says)
        return
    yield look(
        says,
        f"Set what you would pay at most: aws opensearchserverless update-account-settings --region {account.region} "
        f"--capacity-limits maxIndexingCapacityInOCU={CAP},maxSearchCapacityInOCU={CAP}",
    )
