"""Who one is, and the limits of Lambda."""

from collections.abc import Iterator

from botocore.exceptions import BotoCoreError, ClientError

from cli.doctor.account.subject import Account
from cli.doctor.choices import Choices
from cli.doctor.findings import Finding, blocks, fine, look
from cli.doctor.needs import LAMBDA_SECONDS, by_lambda
from cli.doctor.quotas import Quota
from selfrag.adapters.faults import code_of
from selfrag.domain.errors import Misconfigured

# Service Quotas has this code for "Concurrent executions"; below the usual limit more should be asked for.
CONCURRENCY, USUAL = "L-B99A9384", 1000
# AWS keeps so many functions of an account free of reservations.
UNRESERVED = 100
# From so many on, infra/api_limits.tf reserves a share for `ask`.
LEAST_TO_SHARE = 120


def who(account: Account) -> Iterator[Finding]:
    """Whose credentials these are; without them nothing else can be looked at."""
    try:
        region, caller = account.region, account.caller
    except Misconfigured:
        yield blocks("No region is chosen.", "Set `region` in infra/terraform.tfvars, or AWS_REGION, and run it again.")
    except ClientError as error:
        yield blocks(
            f"AWS does not take these credentials ({code_of(error)}).", "Log in again, or set AWS_PROFILE to others."
        )
    except BotoCoreError as error:
        yield blocks(
            f"There are no credentials of an AWS account that can be used ({type(error).__name__}).",
            "Run `aws configure` or `aws sso login`, or set AWS_PROFILE, until `aws sts get-caller-identity` succeeds.",
        )
    else:
        yield fine(f"You are {caller['Arn']}, in {region}.")


def concurrency(account: Account) -> Iterator[Finding]:
    """How many functions may run at once."""
    limit = account.client("lambda").get_account_settings()["AccountLimit"]["ConcurrentExecutions"]
    rate = by_lambda(limit)
    says = f"Lambda runs {limit:,} functions at once: {rate:.1f} questions a second, of {LAMBDA_SECONDS} s each."
    quota = Quota("lambda", account.region, "Concurrent executions", CONCURRENCY, limit, adjustable=True)
    todo = [] if limit >= USUAL else [quota.raise_to(USUAL)]
    if account.choices.account_concurrency != limit:
        todo.insert(0, f"Set `account_concurrency = {limit}`, so that what is more is refused at the door.")
    yield look(says, " ".join(todo), rate) if todo else fine(says, rate)
    reserved = _reserved(account.choices)
    if reserved and limit - reserved < UNRESERVED:
        yield blocks(
            f"{reserved:,} of {limit:,} functions at once would be reserved, and AWS keeps {UNRESERVED} free.",
            "Lower `reserved_concurrency` or `account_concurrency`, or ask for more as above.",
        )


def _reserved(choices: Choices) -> int:
    """How many copies a deployment reserves; `ask` has a sixth of account_concurrency where that leaves enough."""
    known = choices.account_concurrency or 0
    copies = {"ask": known // 6 if known >= LEAST_TO_SHARE else 0, **choices.reserved_concurrency}
    return sum(each for each in copies.values() if each > 0)
