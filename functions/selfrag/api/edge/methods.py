"""Methods of each path of the API, read from its description."""

import json
import re
from functools import cache
from importlib.resources import files

DESCRIPTION = files("selfrag.api") / "openapi.json"
# The page is no part of the description.
_PAGE: dict[str, dict[str, object]] = {"/": {"get": {}}}


def methods_of(path: str) -> tuple[str, ...]:
    """Return the methods of a path, HEAD for every GET; none for an unknown path."""
    # The routes, too, ignore a slash at the end of a path.
    return next((methods for pattern, methods in _methods() if pattern.fullmatch(path.rstrip("/") or "/")), ())


@cache
def _methods() -> list[tuple[re.Pattern[str], tuple[str, ...]]]:
    paths = _PAGE | json.loads(DESCRIPTION.read_text(encoding="utf-8"))["paths"]
    return [(re.compile(re.sub(r"{\w+}", "[^/]+", path)), _with_others(of)) for path, of in paths.items()]


def _with_others(described: dict[str, object]) -> tuple[str, ...]:
    methods = [method.upper() for method in described]
    return (*methods, *(["HEAD"] if "GET" in methods else []), "OPTIONS")
