"""The description without unions: gateways make tools of it, and it refuses nothing that the API takes or sends."""

import json
import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from selfrag.api.app import make_app, make_handler
from selfrag.api.edge.methods import DESCRIPTION
from selfrag.api.logic import unfinished
from selfrag.domain.answers import AnswerResponse
from selfrag.domain.feedback import FeedbackRequest
from selfrag.domain.questions import AskRequest, UploadRequest
from tests.support.responses import response_body
from tests.unit.api.test_ask import CONTEXT, event

UNIONS = {"anyOf", "oneOf", "allOf", "discriminator"}


@pytest.fixture(scope="module")
def described() -> dict[str, Any]:
    request = event("GET", "/v1/openapi.json")
    request |= {"headers": {"Host": "api.example.com", "X-Forwarded-Proto": "https"}}
    request |= {"queryStringParameters": {"unions": "false"}, "multiValueQueryStringParameters": {"unions": ["false"]}}
    request["requestContext"] = {**request["requestContext"], "path": "/live/v1/openapi.json"}
    reply = make_handler(make_app())(request, CONTEXT)
    assert reply["statusCode"] == 200, reply["body"]
    return dict(json.loads(reply["body"]))


def keys(node: Any) -> set[str]:
    """Return the names of all fields of a document."""
    parts = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return (set(node) if isinstance(node, dict) else set()).union(*map(keys, parts))


def refusals(described: dict[str, Any], schema: dict[str, Any], value: Any) -> list[str]:
    """Return what a schema of the description refuses of a value."""
    validator = Draft202012Validator({**schema, "components": described["components"]})
    return [error.message for error in validator.iter_errors(value)]


def test_no_schema_is_a_union_and_all_is_openapi_of_one_server_that_speaks_json(described: dict[str, Any]) -> None:
    assert keys(described) & {*UNIONS, "links", "security", "securitySchemes"} == set()
    for schema in described["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
    assert described["openapi"].startswith("3.1")
    assert described["servers"] == [{"url": "https://api.example.com/live"}]
    replies = [
        reply for of in described["paths"].values() for each in of.values() for reply in each["responses"].values()
    ]
    assert {kind for reply in replies for kind in reply.get("content", {})} == {"application/json"}
    references = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(described)))
    assert references <= described["components"]["schemas"].keys()


def test_every_operation_is_a_tool_whose_names_a_model_takes(described: dict[str, Any]) -> None:
    full = json.loads(DESCRIPTION.read_text(encoding="utf-8"))["paths"]
    operations = {(path, method): of for path, methods in described["paths"].items() for method, of in methods.items()}
    assert operations.keys() == {(path, method) for path, methods in full.items() for method in methods}
    names = [of["operationId"] for of in operations.values()]
    assert len(set(names)) == len(names)
    properties = [
        name for schema in described["components"]["schemas"].values() for name in schema.get("properties", {})
    ]
    parameters = [each for of in operations.values() for each in of.get("parameters", [])]
    for name in [*names, *properties, *(parameter["name"] for parameter in parameters)]:
        assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name), name
    assert {each["schema"]["type"] for each in parameters} <= {"string", "integer", "boolean"}


@pytest.mark.parametrize("model", [AskRequest, FeedbackRequest, UploadRequest])
def test_what_the_api_takes_is_described(described: dict[str, Any], model: Any) -> None:
    schema = {"$ref": f"#/components/schemas/{model.__name__}"}
    assert refusals(described, schema, json.loads(model.EXAMPLE)) == []
    assert refusals(described, schema, model.model_validate_json(model.EXAMPLE).model_dump(mode="json")) == []
    assert refusals(described, schema, {"nothing": 1}) != []


def test_what_the_api_sends_of_a_question_is_described_finished_or_not(described: dict[str, Any]) -> None:
    [schema] = described["paths"]["/v1/questions/{question_id}"]["get"]["responses"]["200"]["content"].values()
    running = unfinished("q", "running", (), "Why?").model_dump(mode="json")
    answer = AnswerResponse.model_validate(response_body("answered", "It is."), extra="ignore").model_dump(mode="json")
    for response in (answer, running, {**running, "draft": None, "path": None}):
        assert refusals(described, schema["schema"], response) == []
    assert refusals(described, schema["schema"], {**running, "status": "sleeping"}) != []
