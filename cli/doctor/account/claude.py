"""Claude: its quotas and access on Bedrock; at Anthropic nothing can be looked at before the key is set."""

import json
import re
from collections.abc import Iterator

from botocore.exceptions import ClientError, EndpointConnectionError

from cli.doctor.account.subject import Account
from cli.doctor.account.titan import CONSOLE, refused
from cli.doctor.findings import Finding, blocks, fine, look, unknown
from cli.doctor.needs import MODEL_CALLS, MODEL_TOKENS, by_model

# A question a second: below it more should be asked for.
USUAL_CALLS, USUAL_TOKENS = 60 * MODEL_CALLS, 60 * MODEL_TOKENS
# Bedrock's ids: a group of regions, the maker, family and version in either order, a date.
_ID = re.compile(r"(?:([a-z-]+)\.)?anthropic\.claude-(?:([a-z]+)-)?(\d{1,2})(?:-(\d{1,2})(?!\d))?(?:-([a-z]+))?")
_OTHER = "Choose another id in `models`, or another region: the model catalog of Bedrock's console lists both."


def pace(account: Account) -> Iterator[Finding]:
    """How many questions a second each model allows."""
    if account.choices.model_provider != "bedrock":
        yield unknown(
            "Claude is asked at Anthropic, whose limits nobody can look at before the key is set: a question takes "
            f"{MODEL_CALLS} calls and {MODEL_TOKENS:,} tokens.",
            "Compare the limits of your organisation at https://platform.claude.com/settings/limits.",
        )
        return
    for model in sorted(set(account.choices.models.values())):
        yield _pace(account, model)


def _pace(account: Account, model: str) -> Finding:
    quotas, name = account.quotas("bedrock", account.region), _name_in_quotas(model)
    calls = quotas.named(rf"{name[0]} .*requests per minute for {name[1]}") if name else None
    tokens = quotas.named(rf"{name[0]} .*tokens per minute for {name[1]}") if name else None
    if not calls and not tokens:
        return unknown(
            f"Service Quotas names no quota of {model}.", f"Look for it at {CONSOLE.format(account.region)}."
        )
    rate = by_model(calls.value if calls else None, tokens.value if tokens else None)
    told = ", ".join(f"{quota.value:,.0f} {what}" for quota, what in ((calls, "calls"), (tokens, "tokens")) if quota)
    says = f"{model} takes {told} a minute: {rate:.1f} questions a second if it made all calls of a question."
    # Of the two the one that breaks first; where both are there, tokens mostly do.
    scarce, usual = (
        (tokens, USUAL_TOKENS)
        if tokens and (not calls or tokens.value / MODEL_TOKENS <= calls.value / MODEL_CALLS)
        else (calls, USUAL_CALLS)
    )
    do = scarce.raise_to(usual) if scarce else ""
    if rate == 0:
        return blocks(f"{model} has a quota of 0 in {account.region}.", do)
    return fine(says, rate) if rate >= 1 else look(says, do, rate)


def access(account: Account) -> Iterator[Finding]:
    """Whether each model answers on Bedrock: one call of one word."""
    if account.choices.model_provider != "bedrock":
        return
    asked = {"anthropic_version": "bedrock-2023-05-31", "max_tokens": 64}
    body = json.dumps({**asked, "messages": [{"role": "user", "content": "Say yes."}]})
    client = account.client("bedrock-runtime")
    for model in sorted(set(account.choices.models.values())):
        try:
            client.invoke_model(modelId=model, body=body, contentType="application/json")
        except EndpointConnectionError:
            yield blocks(f"Amazon Bedrock does not answer in {account.region}.", "Choose another `region`.")
        except ClientError as error:
            yield refused(error, model, account.region, _OTHER)
        else:
            yield fine(f"{model} answers in {account.region}.")


def _name_in_quotas(model: str) -> tuple[str, str] | None:
    """How Service Quotas begins and ends the names of a model's quotas, as patterns; None for an unknown id."""
    found = _ID.search(model)
    if not found:
        return None
    group, before, major, minor, after = found.groups()
    scope = {None: "On-demand", "global": "Global cross-region"}.get(group, "Cross-region")
    number = rf"{major}\.{minor}" if minor else major
    words = f"{before} {number}" if before else f"{number} {after}"
    return scope, rf"Anthropic Claude {words}( V\d)?"
