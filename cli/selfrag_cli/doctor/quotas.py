"""The account's limits, each in questions a second."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from selfrag_cli.doctor.account import Account
from selfrag_cli.doctor.findings import Finding, blocks, fine, look, unknown
from selfrag_cli.doctor.needs import (
    BEDROCK_TOKENS,
    LAMBDA_SECONDS,
    MODEL_CALLS,
    MODEL_TOKENS,
    PASSAGE_TOKENS,
    by_embedding,
    by_lambda,
    by_model,
)

ACTIONS = ("servicequotas:ListServiceQuotas", "servicequotas:ListAWSDefaultServiceQuotas")
# Service Quotas has this code for "Concurrent executions"; below the usual limit more should be requested.
CONCURRENCY, USUAL_CONCURRENCY = "L-B99A9384", 1000
# Bedrock has renamed these ("InvokeModel", "model inference"), and some accounts are limited by tokens alone.
TITAN = r"On-demand .*{} per minute for Amazon Titan Text Embeddings V2"
# docs/operate.md reckons with this one.
USUAL_EMBEDDINGS = 2000
CONSOLE = "https://{0}.console.aws.amazon.com/servicequotas/home/services/bedrock/quotas"
# Bedrock's ids: a group of regions, the maker, family and version in either order, a date.
_ID = re.compile(
    r"(?:(?<![a-z-])([a-z-]++)\.)?anthropic\.claude-(?:([a-z]+)-)?(\d{1,2})(?:-(\d{1,2})(?!\d))?(?:-([a-z]+))?"
)


@dataclass(frozen=True)
class Quota:
    """A limit of the account in a region; `adjustable` if the Service Quotas console can raise it."""

    service: str
    region: str
    name: str
    code: str
    value: float
    adjustable: bool

    def raise_to(self, value: float) -> str:
        """Return what to do for a higher one."""
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
    rate = by_lambda(limit)
    says = f"Lambda runs {limit:,} functions at once: {rate:.1f} questions a second, of {LAMBDA_SECONDS} s each."
    quota = Quota("lambda", account.region, "Concurrent executions", CONCURRENCY, limit, adjustable=True)
    todo = [] if limit >= USUAL_CONCURRENCY else [quota.raise_to(USUAL_CONCURRENCY)]
    if account.choices.account_concurrency != limit:
        todo.insert(0, f"Set `account_concurrency = {limit}`, so that the API refuses what is more.")
    yield look(says, " ".join(todo), rate) if todo else fine(says, rate)


def embeddings(account: Account) -> Iterator[Finding]:
    """Look at the quota of the embedding model."""
    region = account.embedding_region
    quotas = _quotas(account, region)
    requests, tokens = (_named(quotas, TITAN.format(unit)) for unit in ("requests", "tokens"))
    # Calls are what binds: the quota of tokens counts where an account has no other.
    quota, each = (requests, 1) if requests else (tokens, PASSAGE_TOKENS)
    if quota is None:
        yield _unlisted("Titan Text Embeddings V2", region)
        return
    calls, more = quota.value / each, quota.raise_to(USUAL_EMBEDDINGS * each)
    limits = _limits(requests, tokens)
    if calls == 0:
        yield blocks(
            f"Titan Text Embeddings V2 has a quota of 0 in {region} ({limits} a minute): no document can be loaded.",
            more + " Or set `embedding_region` to a region where it is not 0.",
        )
        return
    rate = by_embedding(calls)
    says = (
        f"Titan Text Embeddings V2 embeds {calls:,.0f} passages a minute in {region} ({limits} a minute): "
        f"{rate:.1f} questions a second while nothing is loaded."
    )
    yield fine(says, rate) if calls >= USUAL_EMBEDDINGS else look(says, more, rate)


def claude(account: Account) -> Iterator[Finding]:
    """Look at the quota of each model of Claude on Bedrock; at Anthropic it shows only with a key."""
    if account.choices.model_provider != "bedrock":
        yield unknown(
            "Claude is at Anthropic, whose limits show only with a key: a question takes "
            f"{MODEL_CALLS} calls and {MODEL_TOKENS:,} tokens.",
            "Compare the limits of your organisation at https://platform.claude.com/settings/limits.",
        )
        return
    quotas = _quotas(account, account.region)
    for model in sorted(set(account.choices.models.values())):
        yield _of_claude(quotas, account.region, model)


def _of_claude(quotas: list[Quota], region: str, model: str) -> Finding:
    name = _name_in_quotas(model)
    calls = _named(quotas, rf"{name[0]} .*requests per minute for {name[1]}") if name else None
    tokens = _named(quotas, rf"{name[0]} .*tokens per minute for {name[1]}") if name else None
    # The limit that breaks first.
    limits = [
        (quota.value / each, quota, 60 * each)
        for quota, each in ((tokens, BEDROCK_TOKENS), (calls, MODEL_CALLS))
        if quota
    ]
    if not limits:
        return _unlisted(model, region)
    _, scarce, usual = min(limits, key=lambda limit: limit[0])
    rate = by_model(calls.value if calls else None, tokens.value if tokens else None)
    if rate == 0:
        return blocks(f"{model} has a quota of 0 in {region}.", scarce.raise_to(usual))
    says = (
        f"{model} takes {_limits(calls, tokens)} a minute: {rate:.1f} questions a second if it made all calls of one."
    )
    return fine(says, rate) if rate >= 1 else look(says, scarce.raise_to(usual), rate)


def _unlisted(model: str, region: str) -> Finding:
    return unknown(
        f"Service Quotas names no quota of {model} in {region}.", f"Look for it at {CONSOLE.format(region)}."
    )


def _limits(calls: Quota | None, tokens: Quota | None) -> str:
    return ", ".join(f"{quota.value:,.0f} {unit}" for quota, unit in ((calls, "calls"), (tokens, "tokens")) if quota)


def _quotas(account: Account, region: str) -> list[Quota]:
    """Return Bedrock's quotas of the account, and AWS's defaults for the rest."""
    client = account.client("service-quotas", region)
    quotas: dict[str, Quota] = {}
    for operation in ("list_aws_default_service_quotas", "list_service_quotas"):
        for page in client.get_paginator(operation).paginate(ServiceCode="bedrock"):
            for listed in page["Quotas"]:
                if "Value" in listed:
                    code, is_adjustable = listed["QuotaCode"], listed.get("Adjustable", False)
                    quotas[code] = Quota("bedrock", region, listed["QuotaName"], code, listed["Value"], is_adjustable)
    return list(quotas.values())


def _named(quotas: list[Quota], pattern: str) -> Quota | None:
    # Codes differ between accounts; names are what the console shows.
    return next((each for each in quotas if re.fullmatch(pattern, each.name, re.IGNORECASE)), None)


def _name_in_quotas(model: str) -> tuple[str, str] | None:
    """Return how Service Quotas begins and ends the names of a model's quotas, as patterns; None for an unknown id."""
    match = _ID.search(model)
    if not match:
        return None
    group, before, major, minor, after = match.groups()
    scope = {None: "On-demand", "global": "Global cross-region"}.get(group, "Cross-region")
    number = rf"{major}\.{minor}" if minor else major
    words = f"{before} {number}" if before else f"{number} {after}"
    return scope, rf"Anthropic Claude {words}( V\d)?"
