"""Further keys of a deployment, made and bound by an operator's commands, and what each may do."""

import json
import shlex

import boto3
import httpx2

from tests.support.infra.asking import RetryingTransport, api_key, at
from tests.support.infra.emulator import Stack


def a_key_that_may_ask_changes_no_document(stack: Stack) -> None:
    """Try to change documents with a key that may ask, as `bind_command` binds it, and with one that is not bound."""
    with httpx2.Client(timeout=60, transport=RetryingTransport()) as api:
        documents = stack.url("/v1/documents")
        listed = api.get(documents, headers={"x-api-key": api_key(stack)}).json()["documents"]
        ready = next(document for document in listed if document["status"] == "ready")
        bound, unbound = new_key(stack, "documents"), new_key(stack)
        for key in (bound, unbound):
            api.headers["x-api-key"] = key
            refused = [
                api.post(documents, json={"key": ready["key"], "size": 1}),
                api.post(documents, json={"key": "documents/new.md", "size": 1}),
                api.delete(f"{documents}/{ready['id']}"),
            ]
            assert [reply.status_code for reply in refused] == [403] * 3
        assert {reply.json()["detail"] for reply in refused} == {"Your key is bound to no collection."}
        api.headers["x-api-key"] = bound
        shown = api.get(documents).json()
        assert (shown["writable"], shown["documents"]) == (False, listed)


def new_key(stack: Stack, collection: str = "") -> str:
    """Create another key in the deployment's usage plan, and bind it to a collection if one is named."""
    gateway = boto3.client("apigateway", **at(stack))
    made = gateway.create_api_key(name=f"tenant-{collection}", enabled=True)
    [plan] = gateway.get_usage_plans()["items"]
    gateway.create_usage_plan_key(usagePlanId=plan["id"], keyId=made["id"], keyType="API_KEY")
    if collection:
        _bind(stack, made["id"], collection)
    return str(made["value"])


def _bind(stack: Stack, key_id: str, collection: str) -> None:
    """Run the output `bind_command` for another collection."""
    words = shlex.split(
        stack.outputs()["bind_command"].replace("KEY_ID", key_id).replace('"documents"', f'"{collection}"')
    )
    table, item = (words[words.index(option) + 1] for option in ("--table-name", "--item"))
    boto3.client("dynamodb", **at(stack)).put_item(TableName=table, Item=json.loads(item))
