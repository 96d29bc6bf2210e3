"""Validation errors as sentences, for requests and stored values."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from pydantic import BaseModel, ValidationError

from selfrag.domain.base import Model


class Request(Model):
    """A caller's request; `EXAMPLE` is a valid one as JSON."""

    EXAMPLE: ClassVar[str] = "{}"


def explain(error: ValidationError, request: type[Request]) -> str:
    """Explain the first fault of a request in one sentence, without repeating its values."""
    return explain_errors(error.errors(include_url=False, include_input=False), request)


def explain_errors(errors: Sequence[Mapping[str, Any]], request: type[Request]) -> str:
    """Explain the first of pydantic's errors about a `request`."""
    first = errors[0]
    # pydantic's prefix for a body or header is not part of the field's name; alone, `query` is a field.
    origin = first["loc"][0] if first["loc"] else ""
    is_prefix = origin == "body" or (origin in ("header", "path", "query") and len(first["loc"]) > 1)
    parts = [str(part) for part in first["loc"][is_prefix:]]
    where = ".".join(parts)
    if first["type"] == "json_invalid":
        return "The body is not valid JSON."
    message = first["msg"].removeprefix("Value error, ")
    if not where:
        is_rule = first["type"] == "value_error"
        return f"{message}." if is_rule else f"The body must be a JSON object such as {request.EXAMPLE}."
    if first["type"] == "missing":
        return f"{where} is missing."
    if first["type"] == "extra_forbidden":
        printable = "".join(c if c.isprintable() else "?" for c in where)
        shown = printable if len(printable) <= 60 else f"{printable[:60]}..."
        return f"{shown} does not exist; the fields are {', '.join(_fields_beside(parts, request))}."
    if where == "question":
        return f"The question was not accepted: {message}."
    return f"{where} was not accepted: {message[:1].lower()}{message[1:]}."


def wrong_fields(error: ValidationError) -> str:
    """Return the names of the wrong fields, never their values."""
    return ", ".join(sorted({".".join(map(str, detail["loc"])) for detail in error.errors(include_input=False)}))


def _fields_beside(parts: Sequence[str], model: type[BaseModel]) -> Iterable[str]:
    for part in parts[:-1]:
        inner = model.model_fields[part].annotation
        if not isinstance(inner, type) or not issubclass(inner, BaseModel):
            break
        model = inner
    return model.model_fields
