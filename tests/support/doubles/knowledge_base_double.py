"""A loopback server that stands in for Retrieve of Bedrock's knowledge bases, held against botocore's own shapes.

It finds chunks by the words that they share with a query, and applies filters as the API reference describes them:
ranges compare numbers alone, `listContains` looks into lists alone, an attribute that is missing matches nothing.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from botocore.loaders import create_loader
from botocore.model import ServiceModel, Shape
from botocore.validate import ParamValidator
from werkzeug.wrappers import Request, Response

from tests.support.loopback import Loopback

Json = dict[str, Any]
ID = "KB01234567"
SOURCE = "x-amz-bedrock-kb-source-uri"
_PATH = re.compile(r"/knowledgebases/([^/]+)/retrieve")
_SIGNED = re.compile(r"Credential=[^ ]*/bedrock/aws4_request")
_WORDS = re.compile(r"\w+")
_RETRIEVE = ServiceModel(
    create_loader().load_service_model("bedrock-agent-runtime", "service-2"), "bedrock-agent-runtime"
).operation_model("Retrieve")
_STATUSES = {
    "ValidationException": 400, "AccessDeniedException": 403, "ResourceNotFoundException": 404,
    "ConflictException": 409, "ThrottlingException": 429, "ServiceQuotaExceededException": 400,
    "InternalServerException": 500, "DependencyFailedException": 424, "BadGatewayException": 502,
}  # fmt: skip
_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "equals": lambda stored, value: bool(stored == value),
    "in": lambda stored, value: stored in value,
    "startsWith": lambda stored, value: isinstance(stored, str) and stored.startswith(value),
    "listContains": lambda stored, value: isinstance(stored, list) and value in stored,
    "greaterThanOrEquals": lambda stored, value: _number(stored) and stored >= value,
    "lessThanOrEquals": lambda stored, value: _number(stored) and stored <= value,
}


def chunk(text: str, source: str = "s3://docs/leave.md", **metadata: Any) -> Json:
    """Return a result of a document in S3, as Retrieve has it."""
    return {
        "content": {"type": "TEXT", "text": text},
        "location": {"type": "S3", "s3Location": {"uri": source}},
        "metadata": {SOURCE: source, **metadata},
    }


class KnowledgeBaseDouble(Loopback):
    """A context manager: inside it, the knowledge base ID answers at `url` with the best of its `chunks`.

    A reply holds `page_size` results, the next ones follow by a token. `error` is the code by which all is refused,
    `users` who may see something at all (None is everybody), and `changes` are fields that every reply has.
    """

    def __init__(self, *chunks: Json, page_size: int = 1000) -> None:
        super().__init__(self._respond)
        self.chunks, self.page_size = list(chunks), page_size
        self.error = ""
        self.users: Sequence[str] | None = None
        self.changes: Json = {}
        self.requests: list[Json] = []

    @property
    def filters(self) -> list[Json | None]:
        """Return the filter of each search, without the further pages of one."""
        searches = [body["retrievalConfiguration"]["vectorSearchConfiguration"] for body in self.requests]
        return [s.get("filter") for s, body in zip(searches, self.requests, strict=True) if "nextToken" not in body]

    def _respond(self, request: Request) -> Response:
        path = _PATH.fullmatch(request.path)
        if request.method != "POST" or path is None or not _SIGNED.search(request.headers.get("authorization", "")):
            return _refused("AccessDeniedException", "not signed, or another operation")
        body = {"knowledgeBaseId": unquote(path[1]), **json.loads(request.get_data())}
        self.requests.append(body)
        try:
            check(body, _RETRIEVE.input_shape)
            if self.error:
                return _refused(self.error, "asked for by the test")
            if body["knowledgeBaseId"].rpartition("/")[2] != ID:
                return _refused("ResourceNotFoundException", "Knowledge Base with id does not exist")
            reply = self._reply(body)
        except ValueError as error:
            return _refused("ValidationException", str(error))
        check(reply, _RETRIEVE.output_shape)
        return Response(json.dumps(reply), content_type="application/json")

    def _reply(self, body: Json) -> Json:
        search = body["retrievalConfiguration"]["vectorSearchConfiguration"]
        words = _words(body["retrievalQuery"]["text"])
        may_see = self.users is None or body.get("userContext", {}).get("userId") in self.users
        hits = [c for c in self.chunks if may_see and matches(search.get("filter"), c.get("metadata", {}))]
        scored = [{"score": len(words & _words(json.dumps(c["content"]))) / len(words), **c} for c in hits]
        best = sorted(scored, key=lambda hit: -hit["score"])[: search.get("numberOfResults", 5)]
        start = int(body.get("nextToken", "0"))
        more = {"nextToken": str(start + self.page_size)} if len(best) > start + self.page_size else {}
        return {"retrievalResults": best[start : start + self.page_size], **more, **self.changes}


def matches(condition: Json | None, metadata: Mapping[str, Any]) -> bool:
    """Return whether metadata fulfil a filter; raises ValueError for one that the service would refuse."""
    if condition is None:
        return True
    ((operator, operand),) = condition.items()
    if operator in ("andAll", "orAll"):
        results = [matches(part, metadata) for part in operand]
        return all(results) if operator == "andAll" else any(results)
    value = operand["value"]
    if operator.endswith("Equals") and not _number(value):
        raise ValueError(f"{operator} takes a number")
    if (operator == "in") != isinstance(value, list):
        raise ValueError(f"{operator} takes another value")
    return operand["key"] in metadata and _OPERATORS[operator](metadata[operand["key"]], value)


def check(value: Any, shape: Shape | None) -> None:
    """Raise ValueError for a value that is not of the shape: types, limits, patterns, and one member of a union."""
    assert shape is not None
    report = ParamValidator().validate(value, shape)
    if report.has_errors():
        raise ValueError(report.generate_report())
    _check_more(value, shape)


def _check_more(value: Any, shape: Any) -> None:
    limits = shape.metadata
    size = len(value) if hasattr(value, "__len__") else value
    if "max" in limits and size > limits["max"]:
        raise ValueError(f"{shape.name} has at most {limits['max']}")
    if "pattern" in limits and shape.type_name == "string" and not _fits(limits["pattern"], value):
        raise ValueError(f"{shape.name} must satisfy {limits['pattern']}")
    if "enum" in limits and value not in limits["enum"]:
        raise ValueError(f"{shape.name} is one of {limits['enum']}")
    if shape.type_name == "structure" and not getattr(shape, "is_document_type", False):
        if getattr(shape, "is_tagged_union", False) and len(value) != 1:
            raise ValueError(f"{shape.name} has exactly one member")
        for name, part in value.items():
            if name not in shape.members:
                raise ValueError(f"{shape.name} has no {name}")
            _check_more(part, shape.members[name])
    if shape.type_name == "list":
        for part in value:
            _check_more(part, shape.member)
    if shape.type_name == "map":
        for name, part in value.items():
            _check_more(name, shape.key)
            _check_more(part, shape.value)


def _fits(pattern: str, value: str) -> bool:
    # Python's re has no \P{C}.
    return re.search(pattern.replace(r"\P{C}", r"[^\x00-\x1f\x7f-\x9f]"), value) is not None


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _words(text: str) -> set[str]:
    return set(_WORDS.findall(text.lower()))


def _refused(code: str, message: str) -> Response:
    return Response(json.dumps({"message": message}), _STATUSES[code], {"x-amzn-errortype": code})
