"""The published description of OpenAI's API, which replies and events are held against."""

import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

DESCRIPTION = Path(__file__).parent / "openai-2.3.0.json"
_REPLIES = {
    "/v1/models": "ListModelsResponse",
    "/v1/chat/completions": "CreateChatCompletionResponse",
    "/v1/responses": "Response",
}


@cache
def _schemas() -> dict[str, Any]:
    return dict(json.loads(DESCRIPTION.read_text())["components"]["schemas"])


@cache
def _validator(name: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": f"#/components/schemas/{name}", "components": {"schemas": _schemas()}})


@cache
def _events() -> dict[str, str]:
    """Return the names of the schemas of events by the events' types."""
    kinds = {
        name: schema.get("properties", {}).get("type") for name, schema in _schemas().items() if name.endswith("Event")
    }
    return {kind["enum"][0]: name for name, kind in kinds.items()}


def assert_conforms(path: str, part: Any, *, whole: bool = False) -> None:
    """Fail unless a reply or a part of a stream is as the description says; an error is one of any path."""
    if "error" in part and "id" not in part:
        name = "ErrorResponse"
    elif whole or path == "/v1/models":
        name = _REPLIES[path]
    else:
        name = _events()[part["type"]] if "type" in part else "CreateChatCompletionStreamResponse"
    errors = [f"{error.json_path}: {error.message[:200]}" for error in _validator(name).iter_errors(part)]
    assert errors == [], name


def parts_of(stream: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield the data of a stream's events."""
    for piece in stream:
        for line in piece.splitlines():
            if line.startswith("data: {"):
                yield json.loads(line.removeprefix("data: "))
