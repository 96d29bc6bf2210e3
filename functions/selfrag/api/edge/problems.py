"""RFC 9457 problem details of every error, with a hint that says what to do."""

import json
import traceback
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

from aws_lambda_powertools.event_handler import Response
from pydantic import BaseModel, Field

from selfrag.domain.errors import (
    DeadlineExceeded,
    InvalidInput,
    Misconfigured,
    RequestRejected,
    SelfragError,
    TemporarilyUnavailable,
    Unreadable,
)
from selfrag.runtime.observability import logger

CONTENT_TYPE = "application/problem+json"
RETRY_AFTER = {"Retry-After": "5"}
COMPATIBLE_PATHS = ("/v1/models", "/v1/chat/completions", "/v1/responses")

# RFC 9110's names. Python 3.13 renamed 413, and an error's type must not depend on the Python that answers.
TITLES = {HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "Content Too Large"}

# The status of each error of selfrag.
STATUSES: dict[type[SelfragError], HTTPStatus] = {
    InvalidInput: HTTPStatus.BAD_REQUEST,
    RequestRejected: HTTPStatus.BAD_REQUEST,
    DeadlineExceeded: HTTPStatus.SERVICE_UNAVAILABLE,
    TemporarilyUnavailable: HTTPStatus.SERVICE_UNAVAILABLE,
    Misconfigured: HTTPStatus.INTERNAL_SERVER_ERROR,
    Unreadable: HTTPStatus.INTERNAL_SERVER_ERROR,
}


# The types of OpenAI's errors; those of other statuses are about the request, or faults of the server.
_ERROR_TYPES = {
    HTTPStatus.UNAUTHORIZED: "authentication_error",
    HTTPStatus.FORBIDDEN: "permission_error",
    HTTPStatus.TOO_MANY_REQUESTS: "rate_limit_error",
}


class Problem(BaseModel):
    """A problem in the fields of RFC 9457, and what to do about it."""

    type: str = Field(description="urn:selfrag:problem: and the kind of the error.")
    title: str
    status: int
    detail: str
    request_id: str
    hint: str


class ProblemError(Exception):
    """A problem response, with additional headers."""

    def __init__(self, status: HTTPStatus, detail: str, hint: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.detail, self.hint = status, detail, hint
        self.headers = dict(headers or {})


def title_of(status: int) -> str:
    """Return the name of a status, the same under every Python."""
    return TITLES.get(HTTPStatus(status), HTTPStatus(status).phrase)


def as_problem(error: Exception) -> ProblemError:
    """Return the problem of an error; that of an unexpected error gives no details."""
    if isinstance(error, ProblemError):
        return error
    if isinstance(error, Misconfigured | Unreadable):
        # Its message names settings, secrets or stored items: for the operator's log, not for the caller.
        detail = "The deployment is not configured as it should be, or cannot read what it has stored."
        return ProblemError(STATUSES[type(error)], detail, "Ask the operator to look at the logs of the API.")
    if isinstance(error, SelfragError) and type(error) in STATUSES:
        status = STATUSES[type(error)]
        headers = RETRY_AFTER if status == HTTPStatus.SERVICE_UNAVAILABLE else None
        return ProblemError(status, str(error), error.hint, headers)
    return ProblemError(
        HTTPStatus.INTERNAL_SERVER_ERROR,
        "The request could not be carried out because of a fault of the service.",
        "Try again; if it stays, tell the operator the request_id.",
    )


def log_problem(error: Exception) -> ProblemError:
    """Return the problem of an error; only the log names one that is the service's fault."""
    problem = as_problem(error)
    if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        # Class and place, not the message, which may repeat the request.
        frames = traceback.extract_tb(error.__traceback__)
        place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
        logger.error("failed", extra={"error": type(error).__name__, "at": place})
    return problem


def no_such_question() -> ProblemError:
    """Return the problem for callers who may not read an answer, the same whether or not there is one."""
    return ProblemError(
        HTTPStatus.NOT_FOUND,
        "There is no such question.",
        "Answers are kept for 30 days, and shown to those who may ask what their asker could.",
    )


def is_compatible(path: str) -> bool:
    """Return whether a path is of OpenAI's API, whose clients need errors in its form."""
    return path.rstrip("/") in COMPATIBLE_PATHS


def to_error(problem: Mapping[str, Any]) -> dict[str, Any]:
    """Return a problem as an error of OpenAI's API."""
    kind = _ERROR_TYPES.get(problem["status"], "server_error" if problem["status"] >= 500 else "invalid_request_error")
    message, code = f"{problem['detail']} {problem['hint']}", problem["type"].rpartition(":")[2]
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def respond(problem: ProblemError, request_id: str, path: str = "") -> Response[str]:
    """Return the HTTP response of a problem, in the form that clients of this path read."""
    title = title_of(problem.status)
    body = Problem(
        type=f"urn:selfrag:problem:{title.lower().replace(' ', '-')}",
        title=title,
        status=problem.status.value,
        detail=problem.detail,
        request_id=request_id,
        hint=problem.hint,
    ).model_dump()
    kind, body = ("application/json", to_error(body)) if is_compatible(path) else (CONTENT_TYPE, body)
    return Response(problem.status.value, kind, json.dumps(body), headers=problem.headers)


def to_reply(problem: ProblemError, request_id: str, path: str) -> dict[str, Any]:
    """Return the reply of a Lambda behind API Gateway that is a problem."""
    refused = respond(problem, request_id, path)
    headers = {"Content-Type": str(refused.content_type), "X-Request-Id": request_id, **problem.headers}
    values = {name: [value] for name, value in headers.items()}
    return {"statusCode": refused.status_code, "body": refused.body, "multiValueHeaders": values}
