"""Access to the models: an embedding, and on Bedrock a verdict and an answer by the code of the steps."""

import json
import os
from collections.abc import Iterator
from functools import partial
from typing import Any

from botocore.exceptions import ClientError, EndpointConnectionError

from selfrag.adapters.claude.capabilities import Capabilities
from selfrag.adapters.claude.purse import Purse
from selfrag.adapters.claude.sdk import SdkClaude
from selfrag.adapters.decider import SystemOneDecider, decider_client
from selfrag.adapters.faults import code_of
from selfrag.adapters.titan import MODEL as TITAN
from selfrag.domain.decisions import YES
from selfrag.domain.errors import SelfragError
from selfrag.domain.passages import Evidence
from selfrag.domain.steps import GenerateResult, GenerateTask
from selfrag.ports.decider import load_questions
from selfrag.ports.model import Judgement
from selfrag.ports.prompts import load_prompt
from selfrag.ports.recent import Recent
from selfrag.question.generate import logic as generate
from selfrag.question.grade_relevance import logic as grade_relevance
from selfrag.question.grade_support import logic as grade_support
from selfrag.runtime.clock import Clock
from selfrag.runtime.pace import Pace
from selfrag.runtime.settings import Settings
from selfrag_cli.doctor.account import Account
from selfrag_cli.doctor.findings import Finding, blocks, fine, look, unknown

SECONDS = 20.0
WRITER = "generate"
PASSAGE = Evidence(passage_id="p", document="leave.md", title="Leave", text="Everybody has 25 days of leave a year.")
UNRELATED = Evidence(passage_id="u", document="gym.md", title="Gym", text="The gym is in the cellar of house B.")
_DECIDER_KEY = "SELFRAG_DECIDER_KEY"
QUESTION = "How many days of leave do I have?"
CHECK = {
    "question": QUESTION,
    "answer": "You have 25 days.",
    "passages": [{"number": 1, "document": PASSAGE.document, "title": PASSAGE.title, "text": PASSAGE.text}],
}
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
    """Request a verdict or an answer of each model of Claude on Bedrock; at Anthropic that takes the key."""
    if account.choices.model_provider != "bedrock":
        return
    for model in sorted(set(account.choices.models.values())):
        yield from _of_claude(account, model)


def decider(account: Account) -> Iterator[Finding]:
    """Let the decision model judge a passage that holds an answer, and one that does not."""
    choice = account.choices.decider
    if choice is None:
        return
    key = os.environ.get(_DECIDER_KEY, "")
    if choice.secret and not key:
        yield unknown(f"{choice.model} was not asked: set {_DECIDER_KEY} to the key of its server.")
        return
    pace = Pace(Clock(), _NoRecord(), SECONDS, deadline_ms=(Clock().now() + SECONDS) * 1000)
    client = partial(decider_client, choice.url, key)
    judge = SystemOneDecider(client, choice.url, choice.model, choice.window_tokens, 0.0, pace)
    questions = {"relevant": load_questions(grade_relevance.__name__).by_name["relevant"]}
    odds = []
    for passage in (PASSAGE, UNRELATED):
        decisions = judge.ask("grade_relevance", {"question": QUESTION, "passage": passage.quoted()}, questions)
        if decisions.answers is None:
            yield blocks(f"{choice.model} gives no decision: {decisions.cause}.", "docs/decider.md says what it needs.")
            return
        odds.append(decisions.answers["relevant"][YES])
    probabilities = f"{odds[0]:.2f} for a passage with the answer, {odds[1]:.2f} for one without"
    if odds[0] > odds[1]:
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


def _of_claude(account: Account, model: str) -> Iterator[Finding]:
    steps = {step for step, chosen in account.choices.models.items() if chosen == model}
    region = account.region
    try:
        if steps - {WRITER}:
            yield _verdict(_judge(account, model), model, region)
        if WRITER in steps:
            yield _answer(_write(account, model), model, region)
    except SelfragError as error:
        refusal = error.__cause__
        denied = getattr(refusal, "status_code", 0) == 403
        yield _denied(model, region, str(refusal), denied) or blocks(
            f"{model} cannot be reached in {region}: {error}.", OTHER_ID
        )


def _verdict(judged: Judgement[Any], model: str, region: str) -> Finding:
    if judged.flaw == "unavailable":
        return _busy(model, region)
    if judged.flaw:
        return blocks(f"{model} gave no verdict in {region}: its reply was {judged.flaw}.", OTHER_ID)
    return fine(f"{model} gives a verdict in {region}.")


def _answer(written: GenerateResult, model: str, region: str) -> Finding:
    flaw = written.flaw or ("" if written.answered else "without an answer")
    if flaw == "unavailable":
        return _busy(model, region)
    if flaw:
        return blocks(f"{model} wrote no answer in {region}: its reply was {flaw}.", OTHER_ID)
    if not written.citations:
        return blocks(f"{model} answers in {region} without citations, which every answer needs.", OTHER_ID)
    return fine(f"{model} answers with citations in {region}.")


def _judge(account: Account, model: str) -> Judgement[Any]:
    step, prompt = grade_support.STEP, load_prompt(grade_support.__name__)
    return _client(account, step, model).judge(step, prompt, CHECK, grade_support.Support)


def _write(account: Account, model: str) -> GenerateResult:
    task = GenerateTask(question=QUESTION, passages=[PASSAGE])
    return generate.generate(task, _client(account, WRITER, model), load_prompt(generate.__name__))


def _client(account: Account, step: str, model: str) -> SdkClaude:
    config = Settings(model_provider="bedrock", model_base_url=account.choices.model_base_url)
    client = SdkClaude.connect(config, "", account.region)
    pace = Pace(Clock(), _NoRecord(), SECONDS, deadline_ms=(Clock().now() + SECONDS) * 1000)
    return SdkClaude(client, {step: model}, pace, Purse(None, {}), Capabilities())


class _NoRecord:
    """A record of recent calls that has none."""

    def seen(self, step: str, model: str) -> Recent:
        return Recent()

    def refused(self, model: str, seconds: float) -> None:
        pass


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
