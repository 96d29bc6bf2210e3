"""A deployed selfrag, asked over HTTPS."""

from typing import Any

import httpx2

from selfrag.adapters.outbound import http_client_for, unreachable
from selfrag.domain.errors import InvalidInput, Misconfigured, SelfragError, TemporarilyUnavailable
from selfrag.domain.questions import AskRequest

# API Gateway itself gives up after 29 s.
TIMEOUT_SECONDS = 35


def ask_remote(request: AskRequest, endpoint: str, api_key: str, idempotency_key: str = "") -> dict[str, Any]:
    """The response of POST /v1/ask at an endpoint; raises selfrag's typed errors with the problem's own words.

    What is asked again with the same `idempotency_key` within a day is the same question, answered and paid once.
    """
    if not endpoint.startswith(("http://", "https://")):
        raise InvalidInput(f"{endpoint} is not a URL; the endpoint is what `terraform output endpoint` prints.")
    given = {"x-api-key": api_key, "idempotency-key": idempotency_key}
    headers = {name: value for name, value in given.items() if value}
    with http_client_for(endpoint) as client:
        try:
            reply = client.post(
                endpoint.rstrip("/") + "/v1/ask",
                json=request.model_dump(mode="json", exclude_defaults=True),
                headers=headers,
                timeout=TIMEOUT_SECONDS,
            )
        except httpx2.TimeoutException as error:
            raise TemporarilyUnavailable(f"{endpoint} did not reply in time.") from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise unreachable(error, endpoint) from error
    body = _json(reply)
    if reply.status_code == httpx2.codes.ACCEPTED:
        raise TemporarilyUnavailable(f"The answer is not ready yet; it will be at {reply.headers.get('location')}.")
    if reply.status_code != httpx2.codes.OK:
        raise _told(reply.status_code, body)
    return body


def _json(reply: httpx2.Response) -> dict[str, Any]:
    try:
        body = reply.json()
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise SelfragError(f"What answers there is not selfrag: status {reply.status_code} and no JSON.")
    return body


def _told(status: int, problem: dict[str, Any]) -> SelfragError:
    detail = problem.get("detail") or problem.get("message") or f"status {status}"
    sentence = " ".join(filter(None, [str(detail), str(problem.get("hint", ""))]))
    if status == httpx2.codes.FORBIDDEN:
        return Misconfigured(sentence)
    # 409: the question that came with the same idempotency key before is still at work.
    return TemporarilyUnavailable(sentence) if status in (409, 429) or status >= 500 else InvalidInput(sentence)
