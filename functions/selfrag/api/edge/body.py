"""Checks of a request's query and body, before any route sees them."""

import base64
import binascii
import json
from http import HTTPStatus

from selfrag.api.edge.gateway_event import GatewayEvent
from selfrag.api.edge.methods import body_of, methods_of, parameters_of
from selfrag.api.edge.problems import ProblemError, is_compatible
from selfrag.api.openai.requests import CompatibleRequest
from selfrag.domain.feedback import FeedbackRequest
from selfrag.domain.questions import AskRequest, UploadRequest
from selfrag.domain.validation import Request

MAX_BODY_BYTES = 64 * 1024
# Clients of OpenAI's API send the whole conversation with each question.
MAX_CONVERSATION_BYTES = 1024 * 1024
_MODELS: dict[str, type[Request]] = {
    model.__name__: model for model in (AskRequest, CompatibleRequest, FeedbackRequest, UploadRequest)
}


def model_of(path: str) -> type[Request]:
    """Return the model that the body of a POST to this path must match, by its route; `Request` without one."""
    name = body_of(path)
    return _MODELS[name] if name else Request


def check_body(event: GatewayEvent) -> GatewayEvent:
    """Return the event with its body as JSON text.

    Raises ProblemError for a query parameter that the route does not have, and for a body that no route can read.
    """
    _refuse_unknown(event)
    # The router refuses the method of a path that takes no POST, whatever the body.
    if event["httpMethod"] != "POST" or "POST" not in methods_of(event["path"]):
        return event
    hint = f"Send a JSON object such as {model_of(event['path']).EXAMPLE}."
    sent = event.get("headers") or {}
    content_type = next((str(value) for name, value in sent.items() if name.lower() == "content-type"), "")
    content_type = content_type.partition(";")[0].strip().lower()
    if content_type not in ("", "application/json"):
        raise ProblemError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "The body must be JSON.", hint)
    raw = _bytes(event, hint)
    refuse_large(len(raw), event["path"])
    try:
        text = raw.decode("utf-8")
        json.loads(text)
    except (ValueError, RecursionError):
        raise ProblemError(HTTPStatus.BAD_REQUEST, "The body is not valid JSON in UTF-8.", hint) from None
    # Powertools would parse the type again, and fails on one such as ";".
    headers = {name: value for name, value in sent.items() if name.lower() != "content-type"}
    return {**event, "headers": headers, "body": text, "isBase64Encoded": False}


def _refuse_unknown(event: GatewayEvent) -> None:
    path, method = event["path"], event["httpMethod"]
    if not path.startswith("/v1/") or method not in methods_of(path) or method == "OPTIONS":
        return
    names = parameters_of(path)
    unknown = [name for name in event.get("queryStringParameters") or {} if name not in names]
    if unknown:
        takes = f"it takes {', '.join(names)}" if names else "it takes none"
        detail = f"{', '.join(unknown)} is no query parameter of this path: {takes}."
        raise ProblemError(HTTPStatus.BAD_REQUEST, detail, "Correct its name, or leave it out.")


def max_body_bytes(path: str) -> int:
    """Return the most bytes that a body to this path may have."""
    return MAX_CONVERSATION_BYTES if is_compatible(path) else MAX_BODY_BYTES


def refuse_large(size: int, path: str) -> None:
    """Raise ProblemError for a body of more bytes than its route takes."""
    limit = max_body_bytes(path)
    if size > limit:
        detail = f"The body has {size:,} bytes; {limit:,} are the limit."
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
