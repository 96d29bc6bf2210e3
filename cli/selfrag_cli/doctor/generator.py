"""The fine-tuned model of a deployment that names one: its endpoint, and a question that it answers."""

from collections.abc import Iterator

from botocore.exceptions import ClientError

from selfrag.adapters.faults import code_of
from selfrag_cli.doctor.deployment import Deployment
from selfrag_cli.doctor.findings import Finding, blocks, fine, look
from selfrag_cli.doctor.trial import FAILED, fetched

POLICY = {"strategy": "candidates", "generator": "selfrag", "retrieval": "never"}
# In the warning of a step whose server does not list the tokens that were asked for.
OLDER = "lists the likeliest"
# SageMaker's error for an endpoint or a component that does not exist.
_MISSING = "ValidationException"


def generator(deployment: Deployment) -> Iterator[Finding]:
    """Look at the endpoint and its component, then ask the model a question; nothing where no setting names one."""
    if not deployment.choices.has_generator:
        return
    if deployment.choices.endpoint:
        yield from _in_service(deployment, deployment.choices.endpoint, deployment.choices.selfrag_component_name)
    response, seconds, _, problem = fetched(deployment, {"question": "What is 2 + 2?", "policy": POLICY})
    if problem:
        yield blocks(
            f"The fine-tuned model was not asked: {problem}", "Run `make deploy` again; docs/generator.md helps."
        )
    elif response is None or response["status"] == FAILED:
        told = "" if response is None else f": {response.get('answer', '')}"
        yield blocks(
            f"A question to the fine-tuned model failed after {seconds:.0f} s{told}",
            "docs/generator.md says which servers can be asked; the log of the function generate has the error.",
        )
    elif OLDER in " ".join(response["usage"]["warnings"]):
        yield look(
            f"The fine-tuned model answered a question after {seconds:.1f} s; its server is older than "
            "`logprob_token_ids` and lists the 20 likeliest tokens.",
            "Verdicts rest on a part of their tokens where one is missing: take a newer vLLM or selfrag_image.",
        )
    else:
        yield fine(f"The fine-tuned model answered a question after {seconds:.1f} s.")


def _in_service(deployment: Deployment, name: str, component: str | None) -> Iterator[Finding]:
    client = deployment.account.client("sagemaker")
    try:
        found = client.describe_endpoint(EndpointName=name)
        yield _standing(f"The endpoint {name}", found["EndpointStatus"], found.get("FailureReason", ""))
        if component:
            part = client.describe_inference_component(InferenceComponentName=component)
            copies = part.get("RuntimeConfig", {}).get("CurrentCopyCount")
            status = "asleep, without a copy" if copies == 0 else part["InferenceComponentStatus"]
            what = f"The component {component} of the endpoint {part['EndpointName']}"
            yield _standing(what, status, part.get("FailureReason", ""))
    except ClientError as error:
        if code_of(error) != _MISSING:
            raise
        yield blocks(
            f"SageMaker knows no endpoint {name}{f' with the component {component}' if component else ''} in "
            f"{deployment.account.region}.",
            "Questions with generator selfrag fail until it is made, or `selfrag_endpoint_name` is taken out.",
        )


def _standing(what: str, status: str, reason: str) -> Finding:
    if status == "InService":
        return fine(f"{what} is in service.")
    # A question that fails wakes a component; an endpoint that changes ends by itself.
    return look(
        f"{what} is {status}{f': {reason}' if reason else ''}.",
        "Until it is in service questions with generator selfrag fail: wait ten minutes and look again, then read its "
        "log group. docs/generator.md says more.",
    )
