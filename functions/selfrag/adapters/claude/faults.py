"""What the errors of the SDK mean to selfrag."""

import anthropic

from selfrag.adapters.outbound import host_of, unreachable
from selfrag.domain.errors import Misconfigured, RequestRejected, SelfragError, TemporarilyUnavailable


def typed(error: anthropic.AnthropicError, model: str, url: str) -> SelfragError:
    """The error of selfrag that says what an error of the SDK means."""
    # Messages name the status only: the body may repeat the request, and so a question or a passage.
    if isinstance(error, anthropic.APITimeoutError):
        return TemporarilyUnavailable(f"{model} did not reply in time")
    if isinstance(error, anthropic.APIConnectionError):
        return unreachable(error, url)
    if isinstance(error, anthropic.APIStatusError):
        status = error.status_code
        if status in (408, 409, 429) or status >= 500:
            return TemporarilyUnavailable(f"{model} is busy: status {status}")
        if status in (401, 402, 403, 404):
            return Misconfigured(_refusal(status, model, host_of(url)))
        return RequestRejected(f"{model} refused the request: status {status}")
    if isinstance(error, anthropic.APIResponseValidationError):
        return TemporarilyUnavailable(f"{model} sent a reply that cannot be read")
    return Misconfigured(f"the client of {model} is not usable: {type(error).__name__}")


def _refusal(status: int, model: str, host: str) -> str:
    if status == 401:
        return f"{host} refused the key: status 401"
    if status == 404:
        return f"{host} knows no {model}, or its base URL is wrong: status 404"
    return f"{host} does not let this key use {model}: status {status}"
