"""The description of the API for gateways that make tools of it and know no `anyOf`, as Amazon Bedrock AgentCore's."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

Schema = Mapping[str, Any]
# Fields that such a gateway does not read: links, problems and events, which are no plain JSON, and how callers are
# authenticated, which it is told elsewhere.
_UNREAD = re.compile(r"anyOf|links|security|securitySchemes|[45][0-9]{2}|text/event-stream")


def without_unions(description: Schema, url: str) -> dict[str, Any]:
    """Return the description of the API at a URL, whose schemas have one form each, which accepts all of a union."""
    return {**_plain(description, description["components"]["schemas"]), "servers": [{"url": url}]}


def _plain(node: Any, schemas: Schema) -> Any:
    if isinstance(node, list):
        return [_plain(part, schemas) for part in node]
    if not isinstance(node, Mapping):
        return node
    node = {**_united(node["anyOf"], schemas), **node} if "anyOf" in node else node
    return {name: _plain(value, schemas) for name, value in node.items() if not _UNREAD.fullmatch(name)}


def _united(kinds: Sequence[Schema], schemas: Schema) -> Schema:
    """Return one schema that accepts what any of these accepts, and maybe more."""
    if all(kind == kinds[0] for kind in kinds):
        return kinds[0]
    alternatives = [alternative for kind in kinds for alternative in _alternatives(kind, schemas)]
    forms = [kind for kind in alternatives if kind != {"type": "null"}]
    common = {name: value for name, value in forms[0].items() if all(kind.get(name) == value for kind in forms)}
    type_lists = [kind["type"] if isinstance(kind["type"], list) else [kind["type"]] for kind in alternatives]
    types = list(dict.fromkeys(name for names in type_lists for name in names))
    single: dict[str, Any] = {**common, "type": types if len(types) > 1 else types[0]}
    if all("enum" in kind or "const" in kind for kind in forms):
        values = [value for kind in forms for value in kind.get("enum", [kind.get("const")])]
        single["enum"] = list(dict.fromkeys([*values, *([None] if "null" in types else [])]))
    if objects := [kind for kind in forms if "properties" in kind]:
        properties: dict[str, list[Schema]] = {}
        for name, schema in (item for kind in objects for item in kind["properties"].items()):
            properties.setdefault(name, []).append(schema)
        single["properties"] = {name: _united(of_name, schemas) for name, of_name in properties.items()}
        single["required"] = [name for name in properties if all(name in kind.get("required", []) for kind in objects)]
    return single


def _alternatives(kind: Schema, schemas: Schema) -> list[Schema]:
    if "anyOf" in kind:
        return [alternative for each in kind["anyOf"] for alternative in _alternatives(each, schemas)]
    return [schemas[kind["$ref"].rpartition("/")[2]] if "$ref" in kind else kind]
