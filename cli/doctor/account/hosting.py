"""A hosted fine-tuned model, before a deployment: whether the account may start its instance."""

from collections.abc import Iterator

from cli.doctor.account.subject import Account
from cli.doctor.findings import Finding, blocks, fine, look, unknown

CONSOLE = "https://{0}.console.aws.amazon.com/servicequotas/home/services/sagemaker/quotas"


def quota(account: Account) -> Iterator[Finding]:
    """Whether the quota lets one endpoint have the instance; nothing where no model is hosted."""
    if not account.choices.selfrag_hosting:
        return
    instance, region = account.choices.selfrag_instance_type, account.region
    found = account.quotas("sagemaker", region).named(f"{instance} for endpoint usage".replace(".", r"\."))
    if found is None:
        yield unknown(
            f"Service Quotas names no quota of {instance} for endpoints in {region}.",
            f"Look for it at {CONSOLE.format(region)}; a new account has 0 of most instances with a GPU.",
        )
    elif found.value < 1:
        yield blocks(
            f"The quota of {instance} for endpoints is {found.value:.0f} in {region}: the model cannot be hosted.",
            found.raise_to(1),
        )
    else:
        yield fine(f"{found.value:.0f} of {instance} may run behind endpoints in {region}; one is needed.")
    yield look(
        "Whether the container is fetched, the weights are read and the model is loaded shows only as the endpoint "
        "starts; AWS may also have no such instance left that day.",
        f"Look at its log group after the deployment: /aws/sagemaker/Endpoints/{account.choices.endpoint}.",
    )
