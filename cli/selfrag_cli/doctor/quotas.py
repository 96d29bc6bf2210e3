"""The account's quotas, expressed in questions per second.

The figures assume a question answered at the first attempt; tests/unit/test_costs.py counts them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from selfrag_cli.doctor.account import Account
from selfrag_cli.doctor.findings import Finding, blocks, fine, unknown, warning

MODEL_CALLS = 8
# Input and output tokens, as Anthropic counts them.
MODEL_TOKENS = 14_300
# As Bedrock counts: Claude's output five times, and `max_tokens` reserved during a call.
BEDROCK_TOKENS, BEDROCK_RESERVED = 17_300, 23_300
LAMBDA_SECONDS = 26
PASSAGE_TOKENS = 230

# The code of "Concurrent executions" in Service Quotas; request more if below the usual limit.
CONCURRENCY, USUAL_CONCURRENCY = "L-B99A9384", 1000
# Bedrock has renamed these ("InvokeModel", "model inference"), and some accounts only have token limits.
TITAN = r"On-demand .*{} per minute for Amazon Titan Text Embeddings V2"
# Embeddings per minute as in docs/run.md. A Claude model should manage a question's calls in a second.
USUAL_EMBEDDINGS, USUAL_QUESTIONS = 2000, 60
CONSOLE = "https://{0}.console.aws.amazon.com/servicequotas/home/services/bedrock/quotas"
# Bedrock ids: region group, maker, family and version in either order, date.
_ID = re.compile(
    r"(?:(?<![a-z-])([a-z-]++)\.)?anthropic\.claude-(?:([a-z]+)-)?(\d{1,2})(?:-(\d{1,2})(?!\d))?(?:-([a-z]+))?"
)


@dataclass(frozen=True)
class Quota:
    """A regional account limit; `adjustable` if Service Quotas can raise it."""

    service: str
    region: str
    name: str
    code: str
    value: float
    adjustable: bool

    def raise_to(self, value: float) -> str:
        """Return advice on a higher value."""
        if not self.adjustable:
            return (
                f'Service Quotas cannot raise it: open a case with AWS Support for "{self.name}" ({self.code}) in '
                f"{self.region}, or choose another region."
            )
        return (
            f"Ask for more: aws service-quotas request-service-quota-increase --region {self.region} "
            f"--service-code {self.service} --quota-code {self.code} --desired-value {value:.0f}"
        )


def concurrency(account: Account) -> Iterator[Finding]:
    """Compare Lambda's limit with the usual one and with `account_concurrency`."""
    limit = account.client("lambda").get_account_settings()["AccountLimit"]["ConcurrentExecutions"]
    rate = f"{limit / LAMBDA_SECONDS:.1f} questions a second, of {LAMBDA_SECONDS} s each"
    says = f"Lambda runs {limit:,} functions at once: {rate}."
    quota = Quota("lambda", account.region, "Concurrent executions", CONCURRENCY, limit, adjustable=True)
    todo = [] if limit >= USUAL_CONCURRENCY else [quota.raise_to(USUAL_CONCURRENCY)]
    if account.choices.account_concurrency != limit:
        todo.insert(0, f"Set `account_concurrency = {limit}`, so that the API refuses what is more.")
    yield warning(says, " ".join(todo)) if todo else fine(says)


def embeddings(account: Account) -> Iterator[Finding]:
    """Check the embedding model's quota."""
    region = account.embedding_region
    quotas = _quotas(account, region)
    requests, tokens = (_find_quota(quotas, TITAN.format(unit)) for unit in ("requests", "tokens"))
    # Calls are the binding limit; token quotas count only in their absence.
    limit = (requests, 1) if requests else (tokens, PASSAGE_TOKENS)
    elsewhere = "Or set `embedding_region` to a region where it is not 0."
    yield _compare("Titan Text Embeddings V2", region, [limit], USUAL_EMBEDDINGS, elsewhere)


def claude(account: Account) -> Iterator[Finding]:
    """Check the quotas of each Claude model on Bedrock; Anthropic only shows them with a key."""
    if account.choices.model_provider != "bedrock":
        yield unknown(
            "Claude is at Anthropic, whose limits show only with a key: a question takes "
            f"{MODEL_CALLS} calls and {MODEL_TOKENS:,} tokens.",
            "Compare the limits of your organisation at https://platform.claude.com/settings/limits.",
        )
        return
    quotas = _quotas(account, account.region)
    for model in sorted(set(account.choices.models.values())):
        scope, words = _name_in_quotas(model) or ("no", "such model")
        calls, tokens = (
            _find_quota(quotas, rf"{scope} .*{unit} per minute for {words}") for unit in ("requests", "tokens")
        )
        limits = [(calls, MODEL_CALLS), (tokens, BEDROCK_TOKENS)]
        yield _compare(model, account.region, limits, USUAL_QUESTIONS, "Or choose another id in `models`.")


def _compare(model: str, region: str, limits: list[tuple[Quota | None, int]], usual: int, elsewhere: str) -> Finding:
    """Compare quotas with a question's needs; `usual` questions per minute are enough."""
    rates = [(quota.value / need, need, quota) for quota, need in limits if quota]
    if not rates:
        return unknown(
            f"Service Quotas names no quota of {model} in {region}.", f"Look for it at {CONSOLE.format(region)}."
        )
    a_minute, need, scarce = min(rates, key=lambda rate: rate[0])
    more = scarce.raise_to(usual * need)
    if a_minute == 0:
        return blocks(f"{model} has a quota of 0 in {region}.", f"{more} {elsewhere}")
    shown = " and ".join(f"{quota.value:,.0f} ({quota.name})" for _, _, quota in rates)
    says = f"{model} has a quota of {shown} in {region}: {a_minute / 60:.1f} questions a second."
    return fine(says) if a_minute >= usual else warning(says, more)


def _quotas(account: Account, region: str) -> list[Quota]:
    client = account.client("service-quotas", region)
    quotas: dict[str, Quota] = {}
    for operation in ("list_aws_default_service_quotas", "list_service_quotas"):
        for page in client.get_paginator(operation).paginate(ServiceCode="bedrock"):
            for listed in page["Quotas"]:
                if "Value" in listed:
                    code, is_adjustable = listed["QuotaCode"], listed.get("Adjustable", False)
                    quotas[code] = Quota("bedrock", region, listed["QuotaName"], code, listed["Value"], is_adjustable)
    return list(quotas.values())


def _find_quota(quotas: list[Quota], pattern: str) -> Quota | None:
    # Codes differ between accounts; the console shows names.
    return next((quota for quota in quotas if re.fullmatch(pattern, quota.name, re.IGNORECASE)), None)


def _name_in_quotas(model: str) -> tuple[str, str] | None:
    """Return patterns for the start and end of a model's quota names; None for an unknown id."""
    match = _ID.search(model)
    if not match:
        return None
    group, before, major, minor, after = match.groups()
    scope = {None: "On-demand", "global": "Global cross-region"}.get(group, "Cross-region")
    number = rf"{major}\.{minor}" if minor else major
    words = f"{before} {number}" if before else f"{number} {after}"
    return scope, rf"Anthropic Claude {words}( V\d)?"
