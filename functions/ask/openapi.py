"""The description of the API, made from its routes: `python -m ask.openapi > functions/ask/openapi.json`."""

import json
import sys

from aws_lambda_powertools.event_handler.openapi.models import APIKey, APIKeyIn

from ask.app import make_app

TITLE, VERSION = "selfrag", "1"


def description() -> str:
    """The OpenAPI description as JSON text."""
    text = make_app().get_openapi_json_schema(
        title=TITLE,
        version=VERSION,
        description="Questions answered from a company's documents, with citations and the verdicts of Self-RAG.",
        security_schemes={"api_key": APIKey.model_validate({"name": "x-api-key", "in": APIKeyIn.header})},
        security=[{"api_key": []}],
    )
    return json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(description())
