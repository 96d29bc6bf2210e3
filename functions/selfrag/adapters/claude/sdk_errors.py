"""Errors of the anthropic SDK as selfrag's errors, and the service's `retry-after`."""

import math
from email.utils import parsedate_to_datetime

import anthropic

from selfrag.adapters.outbound import host_of, unreachable
from selfrag.domain.errors import Misconfigured, RequestRejected, SelfragError, TemporarilyUnavailable
from selfrag.runtime.pace import Unanswered


def understood(error: anthropic.AnthropicError, model: str, url: str, now: float) -> Unanswered | SelfragError:
    """Return the exception to raise for an error of the SDK; `now` is in seconds since the epoch."""
    told = typed(error, model, url)
    if not isinstance(told, TemporarilyUnavailable):
        return told
    return Unanswered(told, retry_after(error, now), throttled=isinstance(error, anthropic.RateLimitError))


def retry_after(error: anthropic.AnthropicError, now: float) -> float | None:
    """Return the seconds after which the service allows a retry, None if it does not say.

    The header is in milliseconds (`retry-after-ms`, which the SDK knows too), in seconds or a date.
    """
    if not isinstance(error, anthropic.APIStatusError):
        return None
    headers = error.response.headers
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            seconds = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        return max(0.0, seconds) if not math.isnan(seconds) else None
    try:
        return max(0.0, parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - now)
    except ValueError:
        return None


def typed(error: anthropic.AnthropicError, model: str, url: str) -> SelfragError:
    """Return selfrag's error for an error of the SDK."""
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
