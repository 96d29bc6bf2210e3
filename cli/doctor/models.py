"""Access to the models: one embedding, and on Bedrock one verdict of each model, built by the code of the steps."""

import json
from collections.abc import Iterator

from botocore.exceptions import ClientError, EndpointConnectionError

from cli.doctor.account import Account
from cli.doctor.findings import Finding, blocks, fine, look, unknown
from question.decide_retrieval import logic
from selfrag.adapters.claude.sdk import SdkClaude, client_of
from selfrag.adapters.faults import code_of
from selfrag.adapters.titan import MODEL as TITAN
from selfrag.domain.errors import SelfragError
from selfrag.ports.model import Judgement
from selfrag.ports.prompts import load_prompt
from selfrag.ports.recent import Recent
from selfrag.runtime.clock import Clock
from selfrag.runtime.pace import Pace

STEP = "decide_retrieval"
QUESTION = {"question": "What is 2 + 2?", "previous": {"question": "", "answer": ""}}
SECONDS = 20.0
ELSEWHERE = "Set `embedding_region` to a region that has it, such as us-east-1."
OTHER_ID = "Choose another id in `models`, or another region: the model catalog of Bedrock's console lists both."


def embedding(account: Account) -> Iterator[Finding]:
    """Embed one word."""
    yield _embedding(account)


def verdicts(account: Account) -> Iterator[Finding]:
    """Have each model of Claude on Bedrock give one verdict; at Anthropic, nothing can be asked without the key."""
    if account.choices.model_provider == "bedrock":
        yield from (_verdict(account, model) for model in sorted(set(account.choices.models.values())))


def _embedding(account: Account) -> Finding:
    region, name = account.embedding_region, "Titan Text Embeddings V2"
    body = json.dumps({"inputText": "selfrag", "dimensions": 256, "normalize": True})
    try:
        account.client("bedrock-runtime", region).invoke_model(modelId=TITAN, body=body, contentType="application/json")
    except EndpointConnectionError:
        return blocks(f"Amazon Bedrock does not answer in {region}.", ELSEWHERE)
    except ClientError as error:
        message = str(error.response.get("Error", {}).get("Message", ""))
        if code_of(error) == "AccessDeniedException":
            return _denied(name, region, message)
        if code_of(error) in ("ThrottlingException", "TooManyRequestsException"):
            return _busy(name, region)
        return blocks(f"{name} cannot be invoked in {region} ({code_of(error)}).", ELSEWHERE)
    return fine(f"{name} embeds a text in {region}.")


def _verdict(account: Account, model: str) -> Finding:
    region = account.region
    try:
        judged = _judged(account, model)
    except SelfragError as error:
        refusal = error.__cause__
        if getattr(refusal, "status_code", 0) == 403:
            return _denied(model, region, str(refusal))
        return blocks(f"{model} cannot be asked in {region}: {error}.", OTHER_ID)
    if judged.flaw == "unavailable":
        return _busy(model, region)
    if judged.flaw:
        return blocks(f"{model} gave no verdict in {region}: its reply was {judged.flaw}.", OTHER_ID)
    return fine(f"{model} gives a verdict in {region}.")


def _judged(account: Account, model: str) -> Judgement[logic.Retrieval]:
    client = client_of("bedrock", None, account.choices.model_base_url, SECONDS, account.region)
    pace = Pace(Clock(), _NoCalls(), SECONDS, deadline_ms=(Clock().now() + SECONDS) * 1000)
    return SdkClaude(client, {STEP: model}, {}, pace).judge(
        STEP, load_prompt(logic.__file__), QUESTION, logic.Retrieval
    )


class _NoCalls:
    """The record of a deployment's recent calls, of which the doctor has none."""

    def seen(self, step: str, model: str) -> Recent:
        return Recent()

    def refused(self, model: str, seconds: float) -> None:
        pass


def _denied(model: str, region: str, message: str) -> Finding:
    if "is not authorized to perform" in message:
        return unknown(
            f"Your credentials may not invoke {model} in {region}, which says nothing of the functions' roles.",
            "Allow yourself bedrock:InvokeModel for a moment and run it again.",
        )
    return blocks(
        f"The account has no access to {model} in {region}.",
        f"Open its page in https://{region}.console.aws.amazon.com/bedrock/home#/model-catalog and ask for access.",
    )


def _busy(model: str, region: str) -> Finding:
    return look(
        f"{model} was too busy in {region} to answer one call.",
        "Unless its quota is 0, run it again in a minute; if it stays so, open a case with AWS Support.",
    )
