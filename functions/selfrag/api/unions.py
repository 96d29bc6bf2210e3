"""The description of the API for gateways that make tools of it and know no `anyOf`, as Amazon Bedrock AgentCore's."""

from collections.abc import Mapping, Sequence
from typing import Any

Schema = Mapping[str, Any]


def without_unions(description: Schema, url: str) -> dict[str, Any]:
    """Return the description of the API at a URL, whose schemas have one form each, which accepts all of a union.

    It has what such a gateway reads: JSON and no problems, and neither links nor how callers are authenticated, which
    the gateway is told elsewhere.
    """
    schemas = description["components"]["schemas"]
    paths = {
        path: {method: _operation(operation, schemas) for method, operation in operations.items()}
        for path, operations in description["paths"].items()
    }
    return {
        "openapi": description["openapi"],
        "info": description["info"],
        "servers": [{"url": url}],
        "paths": paths,
        "components": {"schemas": _plain(schemas, schemas)},
    }


def _operation(operation: Schema, schemas: Schema) -> dict[str, Any]:
    replies = {
        status: {name: value for name, value in reply.items() if name in ("description", "content")}
        for status, reply in operation["responses"].items()
        if status < "400"
    }
    described = {name: value for name, value in operation.items() if name != "security"}
    return dict(_plain({**described, "responses": replies}, schemas))


def _plain(node: Any, schemas: Schema) -> Any:
    if isinstance(node, list):
        return [_plain(part, schemas) for part in node]
    if not isinstance(node, Mapping):
        return node
    if "anyOf" in node:
        rest = {name: value for name, value in node.items() if name != "anyOf"}
        node = {**_united(node["anyOf"], schemas), **rest}
    return {name: _plain(value, schemas) for name, value in node.items()}


def _united(kinds: Sequence[Schema], schemas: Schema) -> Schema:
    """Return one schema that accepts what any of these accepts, and maybe more."""
    if all(kind == kinds[0] for kind in kinds):
        return kinds[0]
    every = [alternative for kind in kinds for alternative in _alternatives(kind, schemas)]
    several = [kind for kind in every if kind != {"type": "null"}]
    common = {name: value for name, value in several[0].items() if all(kind.get(name) == value for kind in several)}
    types = list(dict.fromkeys(name for kind in every for name in _listed(kind["type"])))
    united: dict[str, Any] = {**common, "type": types if len(types) > 1 else types[0]}
    if all("enum" in kind or "const" in kind for kind in several):
        united["enum"] = [value for kind in several for value in kind.get("enum", [kind.get("const")])]
        united["enum"] += [None] if "null" in types else []
    if objects := [kind for kind in several if "properties" in kind]:
        values: dict[str, list[Schema]] = {}
        for name, value in (item for kind in objects for item in kind["properties"].items()):
            values.setdefault(name, []).append(value)
        united["properties"] = {name: _united(of_name, schemas) for name, of_name in values.items()}
        united["required"] = [name for name in values if all(name in kind.get("required", []) for kind in objects)]
    return united


def _alternatives(kind: Schema, schemas: Schema) -> list[Schema]:
    if "anyOf" in kind:
        return [alternative for each in kind["anyOf"] for alternative in _alternatives(each, schemas)]
    return [schemas[kind["$ref"].rpartition("/")[2]] if "$ref" in kind else kind]


def _listed(types: str | list[str]) -> list[str]:
    return types if isinstance(types, list) else [types]
