"""Access to the models: an embedding, and on Bedrock a verdict and an answer by the code of the steps."""

import json
import os
from collections.abc import Iterator

from botocore.exceptions import ClientError, EndpointConnectionError

from selfrag.adapters.faults import code_of
from selfrag.adapters.titan import MODEL as TITAN
from selfrag.domain.errors import TemporarilyUnavailable
from selfrag.runtime.settings import Settings
from selfrag_cli.doctor.account import Account
from selfrag_cli.doctor.findings import Finding, blocks, fine, look, unknown
from selfrag_cli.models.probe import QUESTION, probe, probe_decider

_DECIDER_KEY = "SELFRAG_DECIDER_KEY"
ELSEWHERE = "Set `embedding_region` to a region that has it, such as us-east-1."
OTHER_ID = "Choose another id in `models`, or another region: the model catalog of Bedrock's console lists both."
CATALOG = "https://{}.console.aws.amazon.com/bedrock/home#/model-catalog"


def embedding(account: Account) -> Iterator[Finding]:
    """Embed one word."""
    region, name = account.embedding_region, "Titan Text Embeddings V2"
    body = json.dumps({"inputText": "selfrag", "dimensions": 256, "normalize": True})
    try:
        account.client("bedrock-runtime", region).invoke_model(modelId=TITAN, body=body, contentType="application/json")
    except EndpointConnectionError:
        yield blocks(f"Amazon Bedrock does not answer in {region}.", ELSEWHERE)
    except ClientError as error:
        message = str(error.response.get("Error", {}).get("Message", ""))
        if code_of(error) in ("ThrottlingException", "TooManyRequestsException"):
            yield _busy(name, region)
        else:
            yield _denied(name, region, message, code_of(error) == "AccessDeniedException") or blocks(
                f"{name} cannot be invoked in {region} ({code_of(error)}).", ELSEWHERE
            )
    else:
        yield fine(f"{name} embeds a text in {region}.")


def claude(account: Account) -> Iterator[Finding]:
    """Probe each model on Bedrock by what its steps send; at Anthropic that takes the key."""
    choices = account.choices
    if choices.model_provider != "bedrock":
        return
    config, region = Settings(model_provider="bedrock", model_base_url=choices.model_base_url), account.region
    for model in sorted(set(choices.models.values())):
        steps = {step for step, name in choices.models.items() if name == model}
        report = probe(config, model, steps, "", region)
        if report.error is None:
            yield fine(f"{model} does in {region} what its steps ask for.")
        elif report.reachable and isinstance(report.error, TemporarilyUnavailable):
            yield _busy(model, region)
        else:
            refusal = report.error.__cause__
            denied = getattr(refusal, "status_code", 0) == 403
            yield _denied(model, region, str(refusal), denied) or blocks(
                f"{model} is of no use in {region}: {report.error}.", OTHER_ID
            )


def decider(account: Account) -> Iterator[Finding]:
    """Let the decision model judge a passage that holds an answer, and one that does not."""
    choice = account.choices.decider
    if choice is None:
        return
    key = os.environ.get(_DECIDER_KEY, "")
    if choice.secret and not key:
        yield unknown(f"{choice.model} was not asked: set {_DECIDER_KEY} to the key of its server.")
        return
    report = probe_decider(choice.url, key, choice.model, choice.window_tokens)
    if report.decisions is None:
        yield blocks(f"{report.error}.", report.error.hint if report.error else "")
        return
    yes, no = report.decisions
    probabilities = f"{yes:.2f} for a passage with the answer, {no:.2f} for one without"
    measured = {**choice.thresholds, **account.choices.decider_thresholds}
    if not {"decide_retrieval", "grade_support"} <= measured.keys():
        yield look(
            f"{choice.model} has no measured thresholds for Retrieve and IsSup: its `no` to a search, and in a cascade "
            "its `full`, are advice, and Claude judges.",
            "Measure them on labelled claims: `selfrag eval graders --adopt infra/graders.auto.tfvars.json`.",
        )
    if yes > no:
        yield fine(f"{choice.model} decides: {probabilities}.")
    else:
        yield look(
            f"{choice.model} judges a known pair wrongly: {probabilities}.", "Measure it: `selfrag eval graders`."
        )


def guardrail(account: Account) -> Iterator[Finding]:
    """Let the guardrail check a harmless question."""
    choice = account.choices.guardrail
    if choice is None:
        return
    try:
        reply = account.client("bedrock-runtime").apply_guardrail(
            guardrailIdentifier=choice.id,
            guardrailVersion=choice.version,
            source="INPUT",
            content=[{"text": {"text": QUESTION}}],
        )
    except ClientError as error:
        yield blocks(
            f"The guardrail {choice.id}, version {choice.version}, cannot be asked in {account.region}: "
            f"{code_of(error)}. Every question would be abstained from.",
            "Name a guardrail of this region, and its version, in `guardrail`; your credentials need its permission.",
        )
        return
    if reply["action"] == "NONE":
        yield fine(f"The guardrail {choice.id} lets a question pass.")
    else:
        yield look(f'The guardrail {choice.id} does not let "{QUESTION}" pass.', "Look at what it blocks or masks.")


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
            "Call it once with credentials that allow aws-marketplace:Subscribe and aws-marketplace:ViewSubscriptions, "
            "and run it again in 15 minutes. The functions need neither.",
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
