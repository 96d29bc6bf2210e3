"""What the errors of a server of the model mean to selfrag: one table for vLLM's statuses and SageMaker's codes."""

from botocore.exceptions import ClientError

from selfrag.adapters.faults import code_of, typed
from selfrag.domain.errors import Asleep, Misconfigured, RequestRejected, SelfragError, TemporarilyUnavailable
from selfrag.runtime.pace import Unanswered

# What SageMaker says of an endpoint whose inference component has been scaled to no copy, and of one that is not there.
_ASLEEP, _ABSENT = "no capacity", "not found"
# What vLLM says where the operator, and no other question, can help.
_LIMITS = {"greater than max allowed": "its --max-logprobs is lower than the 20 that are asked for"}
_AGAIN = {0, 408, 409, 425, 429}
_REFUSED = {401: "refused the key", 403: "refused the key", 404: "knows no such model or no /v1/completions"}
_CODES_AGAIN = {"ServiceUnavailable", "InternalFailure", "InternalDependencyException", "ModelNotReadyException"}


def of_status(status: int, content: str, server: str, after: float | None = None) -> Exception:
    """What to raise for a status of HTTP; what the server said is read here and told to nobody."""
    if status in _AGAIN or status >= 500:
        busy = TemporarilyUnavailable(f"{server} is busy: status {status}")
        return Unanswered(busy, after, throttled=status == 429)
    if status in _REFUSED:
        return Misconfigured(f"{server} {_REFUSED[status]}: status {status}")
    for said, why in _LIMITS.items():
        if said in content:
            return Misconfigured(f"{server} cannot be used: {why}")
    return RequestRejected(f"{server} refused the request: status {status}")


def of_sagemaker(error: Exception, server: str) -> Exception:
    """What to raise for what boto raised."""
    code = code_of(error)
    told = error.response if isinstance(error, ClientError) else {}
    said = str(told.get("Error", {}).get("Message", "")).lower()
    if code == "ModelError":
        # 0 is a model that did not reply in 60 s.
        return of_status(int(told.get("OriginalStatusCode", 500)), str(told.get("OriginalMessage", "")), server)
    if code.startswith("Validation") and _ASLEEP in said:
        return Asleep(f"{server} has no copy of the model that runs")
    if code.startswith("Validation") and _ABSENT in said:
        return Misconfigured(f"{server} is not there: {code}")
    if code in _CODES_AGAIN:
        return Unanswered(
            TemporarilyUnavailable(f"{server} is busy: {code}"), throttled=code == "ModelNotReadyException"
        )
    return again(typed(error, server))


def again(error: SelfragError) -> Exception:
    """The same error, as one that another request may mend if it is temporary."""
    if not isinstance(error, TemporarilyUnavailable):
        return error
    return Unanswered(error, throttled=False)
