"""Checks of a request's body, before any route sees it."""

import base64
import binascii
import json
from http import HTTPStatus

from selfrag.api.edge.gateway_event import GatewayEvent
from selfrag.api.edge.methods import body_of, methods_of
from selfrag.api.edge.problems import ProblemError
from selfrag.domain.feedback import FeedbackRequest
from selfrag.domain.questions import AskRequest, UploadRequest
from selfrag.domain.validation import Request

MAX_BODY_BYTES = 64 * 1024


_MODELS: dict[str, type[Request]] = {model.__name__: model for model in (AskRequest, FeedbackRequest, UploadRequest)}


def model_of(path: str) -> type[Request]:
    """Return the model that the body of a POST to this path must match, by its route; `Request` without one."""
    name = body_of(path)
    return _MODELS[name] if name else Request


def checked(event: GatewayEvent) -> GatewayEvent:
    """Return the event with its body as JSON text; raises ProblemError for a body that no route can read."""
    # The router refuses the method of a path that takes no POST, whatever the body.
    if event["httpMethod"] != "POST" or "POST" not in methods_of(event["path"]):
        return event
    hint = f"Send a JSON object such as {model_of(event['path']).EXAMPLE}."
    content_type = _header(event, "content-type").partition(";")[0].strip().lower()
    if content_type not in ("", "application/json"):
        raise ProblemError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "The body must be JSON.", hint)
    raw = _bytes(event, hint)
    refuse_large(len(raw))
    try:
        text = raw.decode("utf-8")
        json.loads(text)
    except (ValueError, RecursionError):
        raise ProblemError(HTTPStatus.BAD_REQUEST, "The body is not valid JSON in UTF-8.", hint) from None
    # Powertools would parse the type again, and fails on one such as ";".
    headers = {name: value for name, value in (event.get("headers") or {}).items() if name.lower() != "content-type"}
    return {**event, "headers": headers, "body": text, "isBase64Encoded": False}


def refuse_large(size: int) -> None:
    """Raise ProblemError for a body of more bytes than any route takes."""
    if size > MAX_BODY_BYTES:
        detail = f"The body has {size:,} bytes; {MAX_BODY_BYTES:,} are the limit."
        hint = "Ask a shorter question; a file goes where POST /v1/documents says."
        raise ProblemError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail, hint)


def _bytes(event: GatewayEvent, hint: str) -> bytes:
    body = event.get("body") or ""
    if not event.get("isBase64Encoded"):
        return str(body).encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(body, validate=True)
    except binascii.Error:
        raise ProblemError(HTTPStatus.BAD_REQUEST, "The body is not valid base64.", hint) from None


def _header(event: GatewayEvent, name: str) -> str:
    headers = event.get("headers") or {}
    return next((str(value) for key, value in headers.items() if key.lower() == name), "")
