"""What a caller may ask for: the question, the policy, and the errors in words."""

import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from selfrag.errors import InvalidInput

MAX_QUESTION_CHARACTERS = 2000


def _readable(text: str) -> str:
    if "\x00" in text:
        raise ValueError("it holds a NUL character; remove it")
    if any("\ud800" <= c <= "\udfff" for c in text):
        raise ValueError("it is not valid Unicode (a lone surrogate or invalid UTF-8); send it as UTF-8")
    if not any(unicodedata.category(c)[0] in "LNSP" for c in text):
        raise ValueError("it is empty; write a question")
    if len(text) > MAX_QUESTION_CHARACTERS:
        raise ValueError(f"it has {len(text)} characters; {MAX_QUESTION_CHARACTERS} is the limit")
    return text.strip()


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Weights(_Strict):
    """How much IsRel, IsSup and IsUse count when answers are compared (arXiv 2310.11511, section 4.3)."""

    rel: float = Field(default=1.0, ge=0.0, le=10.0)
    sup: float = Field(default=1.0, ge=0.0, le=10.0)
    use: float = Field(default=0.5, ge=0.0, le=10.0)


class Policy(_Strict):
    """How a question is to be answered; every field has a default and a cap.

    `preset` and `speculate` take one value each until the steps for more exist.
    """

    preset: Literal["self_rag"] = "self_rag"
    top_k: int = Field(default=4, ge=1, le=10)
    relevance_threshold: float = Field(default=0.5, ge=0.0, le=1.0)
    min_utility: int = Field(default=3, ge=1, le=5)
    max_rewrites: int = Field(default=2, ge=0, le=4)
    max_regenerations: int = Field(default=1, ge=0, le=3)
    web_search: bool = True
    speculate: Literal[False] = False
    deadline_seconds: float = Field(default=25.0, ge=3.0, le=240.0)
    weights: Weights = Weights()


class AskRequest(_Strict):
    """A question as it comes in: over HTTP, or from the command line."""

    question: Annotated[str, AfterValidator(_readable)]
    policy: Policy = Policy()
    previous: str = Field(default="", max_length=80, pattern=r"^[A-Za-z0-9_-]*$")

    def execution_input(self, collections: list[str]) -> dict[str, Any]:
        """What the workflow gets: the request, and the collections that the caller may ask."""
        return {**self.model_dump(mode="json"), "collections": collections}


def read_request(question: str, policy: str = "", previous: str = "") -> AskRequest:
    """Check a request whose policy is JSON text; raises InvalidInput with one sentence."""
    try:
        fields: Any = json.loads(policy) if policy.strip() else {}
    except ValueError as error:
        raise InvalidInput(f"The policy is not valid JSON: {error}.") from error
    if not isinstance(fields, dict):
        raise InvalidInput('The policy must be a JSON object such as {"top_k": 6}.')
    try:
        return AskRequest.model_validate({"question": question, "policy": fields, "previous": previous})
    except ValidationError as error:
        raise InvalidInput(explain(error)) from error


def explain(error: ValidationError) -> str:
    """Say in one sentence what is wrong with a request, without repeating what the caller sent."""
    return explain_errors(error.errors(include_url=False, include_input=False))


def explain_errors(errors: Sequence[Mapping[str, Any]]) -> str:
    """The same for pydantic's list of errors; the first is told."""
    first = errors[0]
    # What pydantic adds for a body or a header is no part of the field's name.
    where = ".".join(str(part) for part in first["loc"] if part not in ("body", "header", "path"))
    if first["type"] == "json_invalid":
        return "The body is not valid JSON."
    if not where:
        return 'The body must be a JSON object such as {"question": "How many days of leave do I have?"}.'
    if first["type"] == "missing":
        return f"{where} is missing."
    if where == "question":
        return f"The question was not accepted: {first['msg'].removeprefix('Value error, ')}."
    if first["type"] == "extra_forbidden":
        return f"{_shortened(where)} does not exist; the fields are {', '.join(_fields_beside(where))}."
    return f"{where} was not accepted: {first['msg'][:1].lower()}{first['msg'][1:]}."


def _fields_beside(where: str) -> Iterable[str]:
    if where.startswith("policy.weights."):
        return Weights.model_fields
    return Policy.model_fields if where.startswith("policy.") else AskRequest.model_fields


def _shortened(where: str) -> str:
    """A field's name as the caller wrote it, made safe to repeat."""
    printable = "".join(c if c.isprintable() else "?" for c in where)
    return printable if len(printable) <= 60 else f"{printable[:60]}..."
