"""Error replies of the Messages API, whichever client receives them."""

import math
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from selfrag.adapters.outbound import host_of
from selfrag.domain.errors import Misconfigured, RequestRejected, SelfragError, TemporarilyUnavailable
from selfrag.runtime.pace import RequestFailure


def failure_of(
    status: int, headers: Mapping[str, str], model: str, url: str, now: float
) -> RequestFailure | SelfragError:
    """Return the exception to raise for an error reply; `now` is in seconds since the epoch.

    Messages name the status only: the body may repeat the request, and so a question or a passage.
    """
    if status in (408, 409, 429) or status >= 500:
        busy = TemporarilyUnavailable(f"{model} is busy: status {status}")
        return RequestFailure(busy, retry_after(headers, now), throttled=status == 429)
    if status in (401, 402, 403, 404):
        return Misconfigured(_refusal(status, model, host_of(url)))
    return RequestRejected(f"{model} refused the request: status {status}")


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds after which the service allows a retry, None if it does not say.

    The header is in milliseconds (`retry-after-ms`, which the SDK knows too), in seconds or a date.
    """
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


def _refusal(status: int, model: str, host: str) -> str:
    if status == 401:
        return f"{host} refused the key: status 401"
    if status == 404:
        return f"{host} knows no {model}, or its base URL is wrong: status 404"
    return f"{host} does not let this key use {model}: status {status}"
