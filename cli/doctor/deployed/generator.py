"""The endpoint of the fine-tuned model: whether SageMaker has it in service, and which server answers behind it."""

from collections.abc import Iterator

from botocore.exceptions import ClientError

from cli.doctor.deployed.subject import Deployment
from cli.doctor.findings import Finding, blocks, fine, look, unknown
from selfrag.adapters.faults import code_of
from selfrag.adapters.generators.checking import server_at
from selfrag.adapters.generators.completing import Host
from selfrag.adapters.generators.sagemaker import SageMakerEndpoint
from selfrag.adapters.generators.vllm import VllmServer
from selfrag.adapters.outbound import http_client_for
from selfrag.domain.errors import SelfragError
from selfrag.domain.scores.vocabulary import Vocabulary
from selfrag.ports.generator import Server
from selfrag.runtime.generator_settings import GeneratorSettings

IN_SERVICE = "InService"
# By SageMaker for what is not there.
_MISSING = "ValidationException"


def in_service(deployment: Deployment) -> Iterator[Finding]:
    """Whether the endpoint, and its component, can be asked; nothing where the deployment names no endpoint."""
    name, component = deployment.choices.endpoint, deployment.choices.selfrag_component_name
    if not name:
        return
    client = deployment.account.client("sagemaker")
    try:
        found = client.describe_endpoint(EndpointName=name)
        yield _standing(f"The endpoint {name}", found["EndpointStatus"], found.get("FailureReason", ""))
        if component:
            part = client.describe_inference_component(InferenceComponentName=component)
            yield from _of_component(component, name, part)
    except ClientError as error:
        if code_of(error) != _MISSING:
            raise
        yield blocks(
            f"SageMaker knows no endpoint {name}{f' with the component {component}' if component else ''} in "
            f"{deployment.account.region}.",
            "Questions with generator selfrag fail until it is made, or `selfrag_endpoint_name` is taken out.",
        )


def server(deployment: Deployment) -> Iterator[Finding]:
    """Which server answers, by one request of a token that your own credentials sign."""
    choices = deployment.choices
    if not choices.has_generator:
        return
    if choices.selfrag_generator_secret:
        yield unknown(
            "The server of the fine-tuned model asks for a key, which is not read here.",
            "See what generator-question finds.",
        )
        return
    config = GeneratorSettings(
        generator_url="" if choices.endpoint else choices.selfrag_generator_url or "",
        generator_endpoint=choices.endpoint,
        generator_component=choices.selfrag_component_name or "",
        generator_model=choices.selfrag_model or "",
    )
    try:
        found = server_at(
            _host(deployment, config),
            Vocabulary(config.generator_token_ids),
            config.generator_name,
            config.generator_served,
            config.generator_timeout_seconds,
        )
    except SelfragError as error:
        yield blocks(f"The fine-tuned model does not answer: {error}", error.hint)
        return
    yield from _of_server(found)


def _host(deployment: Deployment, config: GeneratorSettings) -> Host:
    if config.generator_url:
        return VllmServer(http_client_for(config.generator_url), config.generator_url, lambda again: "")
    client = deployment.account.client("sagemaker-runtime")
    return SageMakerEndpoint(lambda seconds: client, config.generator_endpoint, config.generator_component)


def _of_server(found: Server) -> Iterator[Finding]:
    for wrong in found.wrong:
        yield blocks(
            f"The server of {found.model} is not one that can be asked: {wrong}.", "docs/generator.md says what is."
        )
    if found.wrong:
        return
    if found.lists_what_is_asked:
        yield fine(f"The server of {found.model} lists every token that grades.")
    else:
        yield look(
            f"The server of {found.model} is older than `logprob_token_ids`: it lists the 20 likeliest tokens.",
            "Verdicts are marked as truncated where one is missing; take a newer vLLM, or a newer selfrag_image.",
        )


def _standing(what: str, status: str, reason: str) -> Finding:
    if status == IN_SERVICE:
        return fine(f"{what} is in service.")
    told = f"{what} is {status}" + (f": {reason}" if reason else "")
    if status in ("Creating", "Updating", "SystemUpdating", "RollingBack"):
        return look(f"{told}.", "Wait ten minutes and look again; until then questions with generator selfrag fail.")
    return blocks(f"{told}.", "Questions with generator selfrag fail. Its log group says what the container said.")


def _of_component(component: str, endpoint: str, found: dict[str, object]) -> Iterator[Finding]:
    if found["EndpointName"] != endpoint:
        yield blocks(
            f"The component {component} belongs to the endpoint {found['EndpointName']}, and not to {endpoint}.",
            "Set `selfrag_endpoint_name` and `selfrag_component_name` to two that belong together.",
        )
        return
    yield _standing(
        f"The component {component}", str(found["InferenceComponentStatus"]), str(found.get("FailureReason", ""))
    )
    runtime = found.get("RuntimeConfig")
    copies = runtime.get("CurrentCopyCount") if isinstance(runtime, dict) else None
    if copies == 0:
        yield look(
            f"The component {component} has no copy: it is asleep, and questions with generator selfrag fail.",
            "A question that fails wakes it, which takes some five minutes; keep one copy if nobody may wait.",
        )
