"""Methods, query parameters and bodies of each path of the API, read from its description."""

import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

DESCRIPTION = files("selfrag.api") / "openapi.json"
# The page, and the messages of agents, are no part of the description.
_UNDESCRIBED: dict[str, dict[str, Any]] = {"/": {"get": {}}, "/mcp": {"post": {}}}


def methods_of(path: str) -> tuple[str, ...]:
    """Return the methods of a path, HEAD for every GET; none for an unknown path."""
    methods = [method.upper() for method in _operations_of(path)]
    return (*methods, *(["HEAD"] if "GET" in methods else []), "OPTIONS") if methods else ()


def body_of(path: str) -> str:
    """Return the name of the model of a POST's body; "" for a path that takes none."""
    post = _operations_of(path).get("post")
    if post is None or "requestBody" not in post:
        return ""
    reference: str = post["requestBody"]["content"]["application/json"]["schema"]["$ref"]
    return reference.rpartition("/")[2]


def parameters_of(path: str) -> list[str]:
    """Return the names of the query parameters of a path: an address that one method takes, the others take, too."""
    parameters = [each for operation in _operations_of(path).values() for each in operation.get("parameters", [])]
    return [parameter["name"] for parameter in parameters if parameter["in"] == "query"]


def _operations_of(path: str) -> dict[str, Any]:
    # The routes, too, ignore a slash at the end of a path.
    return next((of for pattern, of in _paths() if pattern.fullmatch(path.rstrip("/") or "/")), {})


@cache
def _paths() -> list[tuple[re.Pattern[str], dict[str, Any]]]:
    paths = _UNDESCRIBED | json.loads(DESCRIPTION.read_text(encoding="utf-8"))["paths"]
    return [(re.compile(re.sub(r"{\w+}", "[^/]+", path)), of) for path, of in paths.items()]
