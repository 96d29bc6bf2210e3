"""The embedding model: its quota, and whether it can be called."""

import json
from collections.abc import Iterator

from botocore.exceptions import ClientError, EndpointConnectionError

from cli.doctor.account.subject import Account
from cli.doctor.findings import Finding, blocks, fine, look, unknown
from cli.doctor.needs import PASSAGE_TOKENS, by_embedding, load_minutes
from cli.doctor.quotas import Quota
from selfrag.adapters.faults import code_of
from selfrag.adapters.titan import MODEL

# Bedrock has renamed these ("InvokeModel", "model inference"), and some accounts are limited by tokens alone.
REQUESTS = r"On-demand .*requests per minute for Amazon Titan Text Embeddings V2"
TOKENS = r"On-demand .*tokens per minute for Amazon Titan Text Embeddings V2"
# What docs/sizing.md reckons with.
USUAL = 2000
LOADS = (1_000, 10_000, 1_000_000)
CONSOLE = "https://{0}.console.aws.amazon.com/servicequotas/home/services/bedrock/quotas"


def pace(account: Account) -> Iterator[Finding]:
    """How many texts a minute can be embedded, and what a first load takes at that."""
    region = account.embedding_region
    quotas = account.quotas("bedrock", region)
    requests, tokens = quotas.named(REQUESTS), quotas.named(TOKENS)
    limits = [(quota.value / each, quota) for quota, each in ((requests, 1), (tokens, PASSAGE_TOKENS)) if quota]
    if not limits:
        yield unknown(
            f"Service Quotas names no quota of Titan Text Embeddings V2 in {region}.",
            f"Look for it at {CONSOLE.format(region)}.",
        )
        return
    calls, quota = min(limits, key=lambda limit: limit[0])
    more = quota.raise_to(USUAL if quota is requests else USUAL * PASSAGE_TOKENS)
    told = ", ".join(f"{each.value:,.0f} {what} a minute" for each, what in _told(requests, tokens))
    if calls == 0:
        yield blocks(
            f"Titan Text Embeddings V2 has a quota of 0 in {region} ({told}): no document can be loaded.",
            more + " Or set `embedding_region` to a region where it is not 0.",
        )
        return
    loads = "; ".join(f"{passages:,} take {_time(load_minutes(passages, calls))}" for passages in LOADS)
    says = (
        f"Titan Text Embeddings V2 embeds {calls:,.0f} passages a minute in {region} ({told}): "
        f"{by_embedding(calls):.1f} questions a second while nothing is loaded; of passages to load, {loads}."
    )
    rate = by_embedding(calls)
    yield fine(says, rate) if calls >= USUAL else look(says, more, rate)


def access(account: Account) -> Iterator[Finding]:
    """Whether a text is embedded: one call of one word."""
    region = account.embedding_region
    body = json.dumps({"inputText": "selfrag", "dimensions": 256, "normalize": True})
    elsewhere = "Set `embedding_region` to a region that has it, such as us-east-1."
    try:
        account.client("bedrock-runtime", region).invoke_model(modelId=MODEL, body=body, contentType="application/json")
    except EndpointConnectionError:
        yield blocks(f"Amazon Bedrock does not answer in {region}.", elsewhere)
    except ClientError as error:
        yield refused(error, "Titan Text Embeddings V2", region, elsewhere)
    else:
        yield fine(f"Titan Text Embeddings V2 embeds a text in {region}.")


def refused(error: ClientError, model: str, region: str, elsewhere: str) -> Finding:
    """What a refusal of Bedrock means; `elsewhere` is what to do where the region has no such model."""
    code, message = code_of(error), str(error.response.get("Error", {}).get("Message", ""))
    if code == "AccessDeniedException" and "is not authorized to perform" in message:
        return unknown(
            f"Your credentials may not invoke {model} in {region}, so nobody knows whether the functions' roles can.",
            "Allow yourself bedrock:InvokeModel for a moment and run it again.",
        )
    if code == "AccessDeniedException":
        return blocks(
            f"The account has no access to {model} in {region}.",
            f"Open its page in https://{region}.console.aws.amazon.com/bedrock/home#/model-catalog and ask for access.",
        )
    if code in ("ThrottlingException", "TooManyRequestsException"):
        return look(
            f"{model} was too busy in {region} to answer one call.",
            "Unless the quota above is 0, run it again in a minute; if it stays so, open a case with AWS Support.",
        )
    return blocks(f"{model} cannot be invoked in {region} ({code}).", elsewhere)


def _told(requests: Quota | None, tokens: Quota | None) -> Iterator[tuple[Quota, str]]:
    yield from ((quota, what) for quota, what in ((requests, "calls"), (tokens, "tokens")) if quota)


def _time(minutes: float) -> str:
    """A time of load in the unit that one would say."""
    for size, unit in ((1440, "days"), (60, "hours")):
        if minutes >= 2 * size:
            return f"{minutes / size:.0f} {unit}"
    return f"{max(minutes, 1):.0f} min"
