"""The caller and the account's limits, each in questions a second where it limits them."""

import re
from collections.abc import Iterator

from botocore.exceptions import BotoCoreError, ClientError

from cli.doctor.account import Account
from cli.doctor.findings import Finding, blocks, fine, look, unknown
from cli.doctor.needs import (
    BEDROCK_TOKENS,
    LAMBDA_SECONDS,
    MODEL_CALLS,
    MODEL_TOKENS,
    PASSAGE_TOKENS,
    by_embedding,
    by_lambda,
    by_model,
    load_minutes,
)
from cli.doctor.quotas import Quota
from selfrag.adapters.faults import code_of
from selfrag.domain.errors import Misconfigured

# Service Quotas has this code for "Concurrent executions"; below the usual limit more should be asked for.
CONCURRENCY, USUAL_CONCURRENCY = "L-B99A9384", 1000
# Bedrock has renamed these ("InvokeModel", "model inference"), and some accounts are limited by tokens alone.
TITAN = r"On-demand .*{} per minute for Amazon Titan Text Embeddings V2"
# docs/sizing.md reckons with this one.
USUAL_EMBEDDINGS = 2000
LOADS = (1_000, 10_000, 1_000_000)
CONSOLE = "https://{0}.console.aws.amazon.com/servicequotas/home/services/{1}/quotas"
# Bedrock's ids: a group of regions, the maker, family and version in either order, a date.
_ID = re.compile(
    r"(?:(?<![a-z-])([a-z-]++)\.)?anthropic\.claude-(?:([a-z]+)-)?(\d{1,2})(?:-(\d{1,2})(?!\d))?(?:-([a-z]+))?"
)


def who(account: Account) -> Iterator[Finding]:
    """Look at the credentials and the region, without which nothing else can be looked at."""
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
    """Compare Lambda's limit with the usual one and with `account_concurrency`."""
    limit = account.client("lambda").get_account_settings()["AccountLimit"]["ConcurrentExecutions"]
    rate = by_lambda(limit)
    says = f"Lambda runs {limit:,} functions at once: {rate:.1f} questions a second, of {LAMBDA_SECONDS} s each."
    quota = Quota("lambda", account.region, "Concurrent executions", CONCURRENCY, limit, adjustable=True)
    todo = [] if limit >= USUAL_CONCURRENCY else [quota.raise_to(USUAL_CONCURRENCY)]
    if account.choices.account_concurrency != limit:
        todo.insert(0, f"Set `account_concurrency = {limit}`, so that what is more is refused at the door.")
    yield look(says, " ".join(todo), rate) if todo else fine(says, rate)


def embeddings(account: Account) -> Iterator[Finding]:
    """Look at the quota of the embedding model."""
    yield _of_titan(account)


def claude(account: Account) -> Iterator[Finding]:
    """Look at the quota of each model of Claude on Bedrock; at Anthropic it shows only with a key."""
    if account.choices.model_provider == "bedrock":
        yield from (_of_claude(account, model) for model in sorted(set(account.choices.models.values())))
        return
    yield unknown(
        "Claude is asked at Anthropic, whose limits show only with a key: a question takes "
        f"{MODEL_CALLS} calls and {MODEL_TOKENS:,} tokens.",
        "Compare the limits of your organisation at https://platform.claude.com/settings/limits.",
    )


def _of_titan(account: Account) -> Finding:
    region = account.embedding_region
    listed = account.quotas("bedrock", region)
    requests, tokens = (listed.named(TITAN.format(what)) for what in ("requests", "tokens"))
    # Calls are what binds: the quota of tokens counts where an account has no other.
    quota, each = (requests, 1) if requests else (tokens, PASSAGE_TOKENS)
    if quota is None:
        return unknown(
            f"Service Quotas names no quota of Titan Text Embeddings V2 in {region}.",
            f"Look for it at {CONSOLE.format(region, 'bedrock')}.",
        )
    calls, more = quota.value / each, quota.raise_to(USUAL_EMBEDDINGS * each)
    told = _told(requests, tokens)
    if calls == 0:
        return blocks(
            f"Titan Text Embeddings V2 has a quota of 0 in {region} ({told} a minute): no document can be loaded.",
            more + " Or set `embedding_region` to a region where it is not 0.",
        )
    loads = "; ".join(f"{passages:,} take {_time(load_minutes(passages, calls))}" for passages in LOADS)
    rate = by_embedding(calls)
    says = (
        f"Titan Text Embeddings V2 embeds {calls:,.0f} passages a minute in {region} ({told} a minute): "
        f"{rate:.1f} questions a second while nothing is loaded; of passages to load, {loads}."
    )
    return fine(says, rate) if calls >= USUAL_EMBEDDINGS else look(says, more, rate)


def _of_claude(account: Account, model: str) -> Finding:
    listed, name = account.quotas("bedrock", account.region), _name_in_quotas(model)
    calls = listed.named(rf"{name[0]} .*requests per minute for {name[1]}") if name else None
    tokens = listed.named(rf"{name[0]} .*tokens per minute for {name[1]}") if name else None
    # Of the two the one that breaks first; where both are there, tokens mostly do.
    limits = [(quota.value / each, quota, 60 * each)
              for quota, each in ((tokens, BEDROCK_TOKENS), (calls, MODEL_CALLS)) if quota]  # fmt: skip
    if not limits:
        where = CONSOLE.format(account.region, "bedrock")
        return unknown(f"Service Quotas names no quota of {model}.", f"Look for it at {where}.")
    _, scarce, usual = min(limits, key=lambda limit: limit[0])
    rate = by_model(calls.value if calls else None, tokens.value if tokens else None)
    told = _told(calls, tokens)
    says = f"{model} takes {told} a minute: {rate:.1f} questions a second if it made all calls of a question."
    do = scarce.raise_to(usual)
    if rate == 0:
        return blocks(f"{model} has a quota of 0 in {account.region}.", do)
    return fine(says, rate) if rate >= 1 else look(says, do, rate)


def _told(calls: Quota | None, tokens: Quota | None) -> str:
    return ", ".join(f"{quota.value:,.0f} {what}" for quota, what in ((calls, "calls"), (tokens, "tokens")) if quota)


def _time(minutes: float) -> str:
    """Return a time of load in the unit that one would say."""
    for size, unit in ((1440, "days"), (60, "hours")):
        if minutes >= 2 * size:
            return f"{minutes / size:.0f} {unit}"
    return f"{max(minutes, 1):.0f} min"


def _name_in_quotas(model: str) -> tuple[str, str] | None:
    """Return how Service Quotas begins and ends the names of a model's quotas, as patterns; None for an unknown id."""
    found = _ID.search(model)
    if not found:
        return None
    group, before, major, minor, after = found.groups()
    scope = {None: "On-demand", "global": "Global cross-region"}.get(group, "Cross-region")
    number = rf"{major}\.{minor}" if minor else major
    words = f"{before} {number}" if before else f"{number} {after}"
    return scope, rf"Anthropic Claude {words}( V\d)?"
