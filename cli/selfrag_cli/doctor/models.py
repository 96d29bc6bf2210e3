"""Access to the models: one embedding, and on Bedrock what the steps send each model."""

import json
from collections.abc import Iterator
from typing import Any

from botocore.exceptions import ClientError, EndpointConnectionError

from selfrag.adapters.claude.profiles import profile_of
from selfrag.adapters.faults import code_of
from selfrag.adapters.titan import MODEL as TITAN
from selfrag.domain.errors import SelfragError
from selfrag.ports.model import Judgement
from selfrag_cli.doctor.account import Account
from selfrag_cli.doctor.claude import WRITER, Trial
from selfrag_cli.doctor.findings import Finding, blocks, fine, look, unknown

ELSEWHERE = "Set `embedding_region` to a region that has it, such as us-east-1."
OTHER_ID = "Choose another id in `models`, or another region: the model catalog of Bedrock's console lists both."
WAYS = {
    "json_schema": "structured output", "forced_tool": "a forced tool", "offered_tool": "an offered tool",
    "words": "JSON that is asked for in words",
}  # fmt: skip
CATALOG = "https://{}.console.aws.amazon.com/bedrock/home#/model-catalog"


def embedding(account: Account) -> Iterator[Finding]:
    """Embed one word."""
    yield _embedding(account)


def claude(account: Account) -> Iterator[Finding]:
    """Send each model of Claude on Bedrock what its steps send; at Anthropic, nothing can be asked without the key."""
    if account.choices.model_provider != "bedrock":
        return
    for model in sorted(set(account.choices.models.values())):
        yield from _served(Trial(account, model), account)


def _embedding(account: Account) -> Finding:
    region, name = account.embedding_region, "Titan Text Embeddings V2"
    body = json.dumps({"inputText": "selfrag", "dimensions": 256, "normalize": True})
    try:
        account.client("bedrock-runtime", region).invoke_model(modelId=TITAN, body=body, contentType="application/json")
    except EndpointConnectionError:
        return blocks(f"Amazon Bedrock does not answer in {region}.", ELSEWHERE)
    except ClientError as error:
        message = str(error.response.get("Error", {}).get("Message", ""))
        if code_of(error) in ("ThrottlingException", "TooManyRequestsException"):
            return _busy(name, region)
        return _denied(name, region, message, code_of(error) == "AccessDeniedException") or blocks(
            f"{name} cannot be invoked in {region} ({code_of(error)}).", ELSEWHERE
        )
    return fine(f"{name} embeds a text in {region}.")


def _served(trial: Trial, account: Account) -> Iterator[Finding]:
    steps = {step for step, model in account.choices.models.items() if model == trial.model}
    model, region = trial.model, account.region
    try:
        if steps - {WRITER}:
            yield _verdict(trial, trial.judge(steps), region)
        if WRITER in steps:
            written = trial.write()
            flaw = written.flaw or ("" if written.found else "without an answer")
            if flaw == "unavailable":
                yield _busy(model, region)
            elif flaw:
                yield blocks(f"{model} wrote no answer in {region}: its reply was {flaw}.", OTHER_ID)
            elif not written.citations:
                yield blocks(f"{model} answers in {region} without citations, which no answer goes without.", OTHER_ID)
            else:
                yield fine(f"{model} answers with citations in {region}.")
    except SelfragError as error:
        refusal = error.__cause__
        denied = getattr(refusal, "status_code", 0) == 403
        yield _denied(model, region, str(refusal), denied) or blocks(
            f"{model} cannot be asked in {region}: {error}.", OTHER_ID
        )


def _verdict(trial: Trial, judged: Judgement[Any], region: str) -> Finding:
    model = trial.model
    if judged.flaw == "unavailable":
        return _busy(model, region)
    if judged.flaw:
        return blocks(f"{model} gave no verdict in {region}: its reply was {judged.flaw}.", OTHER_ID)
    says = f"{model} gives a verdict in {region}, by {WAYS[trial.profile.way]}"
    says += ", without thinking" if trial.profile.thinking else ", with thinking" if trial.profile.thinks else ""
    call = judged.call
    if call and (call.cache_creation_input_tokens or call.cache_read_input_tokens):
        says += f"; its prompt is kept for {'an hour' if trial.profile.hour else 'five minutes'}"
    elif trial.profile.hour != profile_of(model).hour:
        says += "; it takes no mark of an hour, so its prompt is paid in full"
    return fine(f"{says}.")


def _denied(name: str, region: str, message: str, is_denied: bool) -> Finding | None:
    """Return what to do about a refusal for want of access; None for another refusal."""
    if "use case details" in message:
        return blocks(
            f"Anthropic's first-use form was not sent for this account, so {name} refuses.",
            f"Fill it in once, at {name}'s page in {CATALOG.format(region)}, and run it again in 15 minutes.",
        )
    if "aws-marketplace" in message:
        return blocks(
            f"The account has no subscription to {name} yet, and your credentials may not make it.",
            "Call it once as somebody who may aws-marketplace:Subscribe and aws-marketplace:ViewSubscriptions, and run "
            "it again in 15 minutes. The functions need neither.",
        )
    if "is not authorized to perform" in message:
        return unknown(
            f"Your credentials may not invoke {name} in {region}, which says nothing of the functions' roles.",
            "Allow yourself bedrock:InvokeModel for a moment and run it again.",
        )
    if not is_denied:
        return None
    return blocks(
        f"The account has no access to {name} in {region}.",
        "The first call asks for it: run it again in 15 minutes. If it stays so, look at its page in "
        f"{CATALOG.format(region)}.",
    )


def _busy(model: str, region: str) -> Finding:
    return look(
        f"{model} was too busy in {region} to answer one call.",
        "Unless its quota is 0, run it again in a minute; if it stays so, open a case with AWS Support.",
    )
