"""Collection groups, and collections in them by CloudFormation: ministack has neither.

collection_groups.json has AWS's own schemas of both types, from cfn-lint 1.58.0.
"""

import json
from itertools import count
from pathlib import Path
from typing import Any

from ministack.services import opensearchserverless
from ministack.services.cloudformation import provisioners

GROUP, COLLECTION = "AWS::OpenSearchServerless::CollectionGroup", "AWS::OpenSearchServerless::Collection"
SCHEMAS = json.loads(Path(__file__).with_name("collection_groups.json").read_text(encoding="utf-8"))
_groups: dict[str, dict[str, Any]] = {}
_numbers = count(1)


def make_collection_groups() -> None:
    """Let stacks hold groups of the generation NEXTGEN, and a collection in each."""
    opensearchserverless._DETAIL_FIELDS += ("collectionGroupName",)
    for kind, create, delete in (
        (GROUP, _create_group, _delete_group),
        (COLLECTION, _create_collection, _delete_collection),
    ):
        provisioners._STACK_TAG_PROPERTY[kind] = ("Tags", "list")
        provisioners._RESOURCE_HANDLERS[kind] = {"create": create, "update": _updating(kind), "delete": delete}


def _refuse(kind: str, properties: dict[str, Any]) -> None:
    schema = SCHEMAS[kind]
    read_only = {path.rpartition("/")[2] for path in schema["readOnlyProperties"]}
    if extraneous := sorted(properties.keys() - (schema["properties"].keys() - read_only)):
        raise ValueError(f"#: extraneous key {extraneous} is not permitted")
    if missing := sorted(set(schema["required"]) - properties.keys()):
        raise ValueError(f"#: required key {missing} not found")


def _create_group(logical: str, properties: dict[str, Any], stack: str) -> Any:
    _refuse(GROUP, properties)
    if (properties.get("Generation"), properties["StandbyReplicas"]) != ("NEXTGEN", "ENABLED"):
        raise ValueError("A group of the generation NEXTGEN has standby replicas, and nothing here makes another.")
    if any(group["Name"] == properties["Name"] for group in _groups.values()):
        raise ValueError(f"Collection group with name {properties['Name']} already exists")
    number = f"group{next(_numbers):015}"
    _groups[number] = properties
    return number, _attributes(GROUP, number)


def _delete_group(number: str, properties: dict[str, Any]) -> None:
    group = _groups.get(number, properties)
    if any(each.get("collectionGroupName") == group["Name"] for each in opensearchserverless._collections.values()):
        raise ValueError("The collection group is not empty")
    _groups.pop(number, None)


def _create_collection(logical: str, properties: dict[str, Any], stack: str) -> Any:
    _refuse(COLLECTION, properties)
    if not any(group["Name"] == properties["CollectionGroupName"] for group in _groups.values()):
        raise ValueError(f"Collection group {properties['CollectionGroupName']} is not found")
    request: dict[str, Any] = {name.lower(): properties[name] for name in ("Name", "Type", "Description")}
    request["tags"] = [{"key": tag["Key"], "value": tag["Value"]} for tag in properties.get("Tags", [])]
    try:
        reply = opensearchserverless._create_collection(request)
    except opensearchserverless._Invalid as refusal:
        raise ValueError(str(refusal)) from refusal
    number = json.loads(reply[2])["createCollectionDetail"]["id"]
    # A collection of this generation has another host, and no dashboards.
    endpoint, group = f"https://{number}.aoss.us-east-1.on.aws", properties["CollectionGroupName"]
    changed = {"collectionEndpoint": endpoint, "collectionGroupName": group, "dashboardEndpoint": None}
    opensearchserverless._collections[number].update(changed)
    return number, _attributes(COLLECTION, number)


def _delete_collection(number: str, properties: dict[str, Any]) -> None:
    opensearchserverless._delete_collection({"id": number})


def _updating(kind: str) -> Any:
    def update(number: str, before: dict[str, Any], properties: dict[str, Any], stack: str) -> Any:
        _refuse(kind, properties)
        changed = {name for name in before.keys() | properties.keys() if before.get(name) != properties.get(name)}
        if replacing := changed & {path.rpartition("/")[2] for path in SCHEMAS[kind]["createOnlyProperties"]}:
            raise ValueError(f"Action denied by stack policy: a change of {sorted(replacing)} would replace it")
        return number, _attributes(kind, number)

    return update


def _attributes(kind: str, number: str) -> dict[str, str]:
    if kind == GROUP:
        return {"Id": number, "Arn": f"arn:aws:aoss:us-east-1:000000000000:collection-group/{number}"}
    collection = opensearchserverless._collections[number]
    named = {"Id": "id", "Arn": "arn", "CollectionEndpoint": "collectionEndpoint", "KmsKeyArn": "kmsKeyArn"}
    return {name: collection[field] for name, field in named.items()}
