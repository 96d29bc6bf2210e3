"""Questions to a deployed selfrag over HTTPS."""

import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urljoin

import httpx2

from selfrag.adapters.outbound import checked_url, http_client_for, unreachable_error
from selfrag.domain.errors import InvalidInput, Misconfigured, SelfragError, TemporarilyUnavailable
from selfrag.domain.questions import AskRequest
from selfrag.domain.strategies import is_quick

# API Gateway times out after 29 s.
TIMEOUT_SECONDS = 35
# The polling interval that the API suggests.
LOOK_AGAIN_SECONDS = 5.0
# Time for a response to arrive after its deadline.
MARGIN_SECONDS = 60.0

Pause = Callable[[float], None]


class RetryLater(TemporarilyUnavailable):
    """The deployment is busy and says when to retry."""

    def __init__(self, sentence: str, seconds: float) -> None:
        super().__init__(sentence)
        self.seconds = seconds


def retry_after(error: Exception) -> float:
    """Return the requested wait in seconds, or 0."""
    return error.seconds if isinstance(error, RetryLater) else 0.0


def ask_remote(
    request: AskRequest, endpoint: str, api_key: str, idempotency_key: str = "", pause: Pause = time.sleep
) -> dict[str, object]:
    """Return an endpoint's response to a question; raises selfrag's typed errors with the problem's message.

    Strategies that exceed the time of POST /v1/ask use POST /v1/questions and polling. Repeating an `idempotency_key`
    within a day returns the same answer without further cost.
    """
    quick = is_quick(request.policy.strategy)
    url = endpoint.rstrip("/") + ("/v1/ask" if quick else "/v1/questions")
    payload = request.model_dump(mode="json", exclude_defaults=True)
    fields = {"x-api-key": api_key, "idempotency-key": idempotency_key}
    headers = {name: value for name, value in fields.items() if value}
    if not endpoint.startswith(("http://", "https://")):
        raise InvalidInput(f"{endpoint} is not a URL; the endpoint is what `terraform output endpoint` prints.")
    with http_client_for(checked_url(endpoint, "The endpoint")) as client:
        reply = _send(client, "POST", url, json=payload, headers=headers)
        if quick or reply.status_code != httpx2.codes.ACCEPTED:
            return _answer(reply)
        looked, seconds = urljoin(url, reply.headers.get("location", "")), 0.0
        headers.pop("idempotency-key", None)
        while seconds < request.policy.deadline_seconds + MARGIN_SECONDS:
            response = _answer(_send(client, "GET", looked, headers=headers))
            if response.get("status") != "running":
                if "usage" not in response:
                    name = response.get("id")
                    raise SelfragError(f"Question {name} ended without a response; its trace says how far it came.")
                return response
            pause(LOOK_AGAIN_SECONDS)
            seconds += LOOK_AGAIN_SECONDS
    raise TemporarilyUnavailable(f"The answer is not ready yet; it will be at {looked}.")


def _send(client: httpx2.Client, method: str, url: str, **sent: Any) -> httpx2.Response:
    try:
        return client.request(method, url, timeout=TIMEOUT_SECONDS, **sent)
    except httpx2.TimeoutException as error:
        raise TemporarilyUnavailable(f"{url} did not reply in time.") from error
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise unreachable_error(error, url) from error


def _answer(reply: httpx2.Response) -> dict[str, object]:
    body = _json(reply)
    if reply.status_code == httpx2.codes.ACCEPTED:
        raise TemporarilyUnavailable(f"The answer is not ready yet; it will be at {reply.headers.get('location')}.")
    if reply.status_code != httpx2.codes.OK:
        raise error_of(reply.status_code, body, reply.headers.get("retry-after", ""))
    return body


def _json(reply: httpx2.Response) -> dict[str, object]:
    try:
        body = reply.json()
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise SelfragError(f"What answers there is not selfrag: status {reply.status_code} and no JSON.")
    return body


def error_of(status: int, problem: Mapping[str, object], retry_after: str = "") -> SelfragError:
    """Convert an API problem to an error."""
    detail = problem.get("detail") or problem.get("message") or f"status {status}"
    sentence = " ".join(filter(None, [str(detail), str(problem.get("hint", ""))]))
    if status == httpx2.codes.FORBIDDEN:
        return Misconfigured(sentence)
    # 409: an earlier request with the same idempotency key is still running.
    if status in (409, 429) or status >= 500:
        return RetryLater(sentence, float(retry_after) if retry_after.isdecimal() else 0.0)
    return InvalidInput(sentence)
