"""The endpoint of the fine-tuned model: whether SageMaker has it in service, and which server answers behind it."""

from collections.abc import Iterator

from botocore.exceptions import ClientError

from cli.doctor.deployed.subject import Deployment
from cli.doctor.findings import Finding, blocks, fine, look
from selfrag.adapters.faults import code_of

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
            f"The component {component} has no copy at the moment: it is asleep, and questions with generator selfrag fail.",
            "The question that fails wakes it, which takes about five minutes; keep one copy if nobody may wait for it.",
        )
