"""Collection groups, and collections in them by CloudFormation: ministack has neither.

collection_groups.json has AWS's own schemas of both types, from cfn-lint 1.58.0; what they refuse is refused here.
"""

import json
import re
from itertools import count
from pathlib import Path
from typing import Any

from ministack.services import opensearchserverless
from ministack.services.cloudformation import provisioners

GROUP, COLLECTION = "AWS::OpenSearchServerless::CollectionGroup", "AWS::OpenSearchServerless::Collection"
SCHEMAS = json.loads(Path(__file__).with_name("collection_groups.json").read_text(encoding="utf-8"))
_MULTIPLE, _MOST_UNITS = 16, 1696
_groups: dict[str, dict[str, Any]] = {}
_numbers = count(1)


def make_collection_groups() -> None:
    """Let stacks hold groups of the generation NEXTGEN, and a collection in each."""
    opensearchserverless._DETAIL_FIELDS += ("collectionGroupName",)
    handlers = {
        GROUP: {"create": _create_group, "update": _update_group, "delete": _delete_group},
        COLLECTION: {"create": _create_collection, "update": _update_collection, "delete": _delete_collection},
    }
    for kind in handlers:
        provisioners._STACK_TAG_PROPERTY[kind] = ("Tags", "list")
    provisioners._RESOURCE_HANDLERS.update(handlers)


def refuse(kind: str, properties: dict[str, Any]) -> None:
    """Raise ValueError, in CloudFormation's words, for properties that the schema of a type does not allow."""
    schema = SCHEMAS[kind]
    for path in schema["readOnlyProperties"]:
        if path.rpartition("/")[2] in properties:
            raise ValueError(f"Encountered readonly properties: {path}")
    _refuse_value(schema, schema, "#", properties)


def _refuse_value(whole: Any, schema: Any, path: str, value: Any) -> None:
    if reference := schema.get("$ref"):
        schema = whole["definitions"][reference.rpartition("/")[2]]
    if isinstance(value, dict):
        if extraneous := sorted(value.keys() - schema["properties"].keys()):
            raise ValueError(f"{path}: extraneous key {extraneous} is not permitted")
        if missing := sorted(set(schema.get("required", [])) - value.keys()):
            raise ValueError(f"{path}: required key {missing} not found")
        for name, part in value.items():
            _refuse_value(whole, schema["properties"][name], f"{path}/{name}", part)
    elif isinstance(value, list):
        for number, part in enumerate(value):
            _refuse_value(whole, schema["items"], f"{path}/{number}", part)
    elif value not in schema.get("enum", [value]):
        raise ValueError(f"{path}: #: {value} is not a valid enum value")
    elif isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        raise ValueError(f"{path}: string [{value}] does not match pattern {schema['pattern']}")
    elif schema["type"] == "number" and float(value) < schema["minimum"]:
        raise ValueError(f"{path}: {value} is not greater or equal to {schema['minimum']}")


def _create_group(logical: str, properties: dict[str, Any], stack: str) -> Any:
    refuse(GROUP, properties)
    _refuse_limits(properties.get("CapacityLimits", {}))
    if (properties.get("Generation"), properties["StandbyReplicas"]) != ("NEXTGEN", "ENABLED"):
        raise ValueError("A group of the generation NEXTGEN has standby replicas, and nothing here makes another.")
    if any(group["Name"] == properties["Name"] for group in _groups.values()):
        raise ValueError(f"Collection group with name {properties['Name']} already exists")
    number = f"group{next(_numbers):015}"
    _groups[number] = properties
    return number, {"Id": number, "Arn": f"arn:aws:aoss:us-east-1:000000000000:collection-group/{number}"}


def _refuse_limits(limits: dict[str, Any]) -> None:
    for name, value in limits.items():
        units = float(value)
        allowed = units in (2, 4, 8) or (_MULTIPLE <= units <= _MOST_UNITS and units % _MULTIPLE == 0)
        if not (allowed or (name.startswith("Min") and units in (0, 1))):
            raise ValueError(f"{name}: {value} is no capacity of a collection group")


def _update_group(number: str, before: dict[str, Any], properties: dict[str, Any], stack: str) -> Any:
    refuse(GROUP, properties)
    _refuse_replacement(GROUP, before, properties)
    _refuse_limits(properties.get("CapacityLimits", {}))
    _groups[number] = properties
    return number, {"Id": number, "Arn": f"arn:aws:aoss:us-east-1:000000000000:collection-group/{number}"}


def _refuse_replacement(kind: str, before: dict[str, Any], properties: dict[str, Any]) -> None:
    changed = {name for name in before.keys() | properties.keys() if before.get(name) != properties.get(name)}
    if replacing := changed & {path.rpartition("/")[2] for path in SCHEMAS[kind]["createOnlyProperties"]}:
        raise ValueError(f"Action denied by stack policy: a change of {sorted(replacing)} would replace the resource")


def _delete_group(number: str, properties: dict[str, Any]) -> None:
    group = _groups.get(number, properties)
    if any(each.get("collectionGroupName") == group["Name"] for each in opensearchserverless._collections.values()):
        raise ValueError("The collection group is not empty")
    _groups.pop(number, None)


def _create_collection(logical: str, properties: dict[str, Any], stack: str) -> Any:
    refuse(COLLECTION, properties)
    if not any(group["Name"] == properties["CollectionGroupName"] for group in _groups.values()):
        raise ValueError(f"Collection group {properties['CollectionGroupName']} is not found")
    tags = [{"key": tag["Key"], "value": tag["Value"]} for tag in properties.get("Tags", [])]
    request = {"name": properties["Name"], "type": properties["Type"], "description": properties["Description"]}
    try:
        reply = opensearchserverless._create_collection({**request, "tags": tags})
    except opensearchserverless._Invalid as refusal:
        raise ValueError(str(refusal)) from refusal
    collection = opensearchserverless._collections[json.loads(reply[2])["createCollectionDetail"]["id"]]
    # A collection of this generation has another host, and no dashboards.
    collection["collectionEndpoint"] = f"https://{collection['id']}.aoss.us-east-1.on.aws"
    collection["collectionGroupName"], collection["dashboardEndpoint"] = properties["CollectionGroupName"], None
    return collection["id"], _attributes(collection)


def _update_collection(number: str, before: dict[str, Any], properties: dict[str, Any], stack: str) -> Any:
    refuse(COLLECTION, properties)
    _refuse_replacement(COLLECTION, before, properties)
    return number, _attributes(opensearchserverless._collections[number])


def _attributes(collection: dict[str, Any]) -> dict[str, str]:
    named = {"Id": "id", "Arn": "arn", "CollectionEndpoint": "collectionEndpoint", "KmsKeyArn": "kmsKeyArn"}
    return {name: collection[field] for name, field in named.items()}


def _delete_collection(number: str, properties: dict[str, Any]) -> None:
    opensearchserverless._delete_collection({"id": number})
