"""Model access: an embedding, and a verdict and answer by the code of `selfrag models`."""

import os
from collections.abc import Iterator

from botocore.exceptions import ClientError

from selfrag.adapters.titan import TitanEmbedder
from selfrag.domain.errors import SelfragError, TemporarilyUnavailable
from selfrag.runtime.settings import Settings
from selfrag_cli.doctor.account import Account
from selfrag_cli.doctor.findings import Finding, blocks, fine, unknown, warning
from selfrag_cli.models.access import hint_of, is_not_authorized
from selfrag_cli.models.probe import probe, probe_decider

_DECIDER_KEY = "SELFRAG_DECIDER_KEY"
ELSEWHERE = "Set `embedding_region` to a region that has it, such as us-east-1."


def embedding(account: Account) -> Iterator[Finding]:
    """Embed one word."""
    region, name = account.embedding_region, "Titan Text Embeddings V2"
    try:
        TitanEmbedder(account.client("bedrock-runtime", region), 256).query("selfrag")
    except SelfragError as error:
        error.hint = hint_of(error) or ELSEWHERE
        yield _report_refusal(name, region, error, is_reachable=isinstance(error.__context__, ClientError))
    else:
        yield fine(f"{name} embeds a text in {region}.")


def claude(account: Account) -> Iterator[Finding]:
    """Probe each Bedrock model with its steps' requests; Anthropic's API would need the key."""
    choices, region = account.choices, account.region
    if choices.model_provider != "bedrock":
        return
    config = Settings(model_provider="bedrock", model_base_url=choices.model_base_url)
    for model in sorted(set(choices.models.values())):
        steps = {step for step, name in choices.models.items() if name == model}
        report = probe(config, model, steps, "", region)
        if report.error:
            yield _report_refusal(model, region, report.error, report.reachable)
        else:
            yield fine(f"{model} does in {region} what its steps ask for.")


def decider(account: Account) -> Iterator[Finding]:
    """Probe the decision model with a passage with an answer and one without."""
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
    if yes > no:
        yield fine(f"{choice.model} decides: {probabilities}.")
    else:
        yield warning(
            f"{choice.model} judges a known pair wrongly: {probabilities}.", "Measure it: `selfrag eval graders`."
        )


def _report_refusal(model: str, region: str, error: SelfragError, is_reachable: bool) -> Finding:
    says = f"{model} cannot be used in {region}: {error}."
    if is_not_authorized(error):
        return unknown(says, error.hint)
    if is_reachable and isinstance(error, TemporarilyUnavailable):
        return warning(
            says,
            "Unless its quota is 0, run it again in a minute; if it stays so, open a case with AWS Support.",
        )
    return blocks(says, error.hint)
