"""API Gateway: the role by which all APIs of the account and region write logs, and what the API lets in."""

from collections.abc import Iterator

from cli.doctor.account.subject import Account
from cli.doctor.findings import Finding, blocks, fine


def logging_role(account: Account) -> Iterator[Finding]:
    """Whether there is such a role, and whether the deployment would take it from others."""
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
    elif role:
        yield fine(f"API Gateway writes logs by {role}.")
    else:
        yield fine(f"API Gateway has no role to write logs by; the deployment makes {own}.")


def throttle(account: Account) -> Iterator[Finding]:
    """What the stage and a key let in, as the variables say."""
    stage, key = account.choices.api_throttle.rate, account.choices.key_throttle.rate
    of_a_key = f", and {key:g} of one key" if account.choices.auth == "api_key" else ""
    yield fine(f"The API will let in {stage:g} requests a second{of_a_key} (`api_throttle`, `key_throttle`).", stage)
