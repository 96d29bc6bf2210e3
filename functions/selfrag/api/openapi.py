"""The OpenAPI description, generated from the routes; `make openapi` writes it."""

import json
import sys
from typing import Any

from aws_lambda_powertools.event_handler.openapi.models import APIKey, APIKeyIn, HTTPBearer

from selfrag.api.app import make_app

TITLE, VERSION = "selfrag", "1"
# Powertools describes its own 422 for each route; here an invalid request gets a problem of status 400.
NEVER_SENT = "422"
ITS_SCHEMAS = ("HTTPValidationError", "ValidationError", "ResponseValidationError")


def description() -> str:
    """Return the OpenAPI description as JSON text."""
    text = make_app().get_openapi_json_schema(
        title=TITLE,
        version=VERSION,
        description="Questions answered from a company's documents, with citations and the verdicts of Self-RAG.",
        security_schemes={
            "api_key": APIKey.model_validate({"name": "x-api-key", "in": APIKeyIn.header}),
            "bearer": HTTPBearer(),
        },
        security=[{"api_key": []}, {"bearer": []}],
    )
    described = json.loads(text)
    for operations in described["paths"].values():
        for operation in operations.values():
            operation["responses"].pop(NEVER_SENT, None)
    for name in ITS_SCHEMAS:
        described["components"]["schemas"].pop(name, None)
    return json.dumps({**plain(described), "info": described["info"]}, indent=2, ensure_ascii=False) + "\n"


def plain(schema: Any) -> Any:
    """Return a schema in the forms that client generators understand.

    Java generators turn a titled `anyOf` with null into a class that they never create. So titles are removed, nullable
    values have two types, and the items of a tuple are also described together.
    """
    if isinstance(schema, list):
        return [plain(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    # A property may be called `title`: its value is a schema.
    described = {name: plain(value) for name, value in schema.items() if name != "title" or not isinstance(value, str)}
    match described.get("anyOf"):
        # An enumeration would have to name null, too.
        case [{"type": str(kind), **rest}, {"type": "null"}] if "enum" not in rest:
            del described["anyOf"]
            described = {"type": [kind, "null"], **rest, **described}
    if "prefixItems" in described:
        described.setdefault("items", described["prefixItems"][0])
    return described


if __name__ == "__main__":
    sys.stdout.write(description())
