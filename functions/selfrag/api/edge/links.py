"""Links from a reply to other operations, for the description of the API, and the headers that clients heed.

A link's parameters are runtime expressions (OpenAPI 3.1): a client evaluates them on the reply that has the link.
"""

from aws_lambda_powertools.event_handler.openapi.types import OpenAPIResponseHeader

LOCATION: dict[str, OpenAPIResponseHeader] = {
    "Location": {"description": "The path to poll.", "schema": {"type": "string", "format": "uri-reference"}}
}
RETRY_AFTER: dict[str, OpenAPIResponseHeader] = {
    "Retry-After": {"description": "Seconds until the next poll.", "schema": {"type": "integer"}}
}

_QUESTION = {"question_id": "$response.body#/id"}
_DOCUMENT = {"document_id": "$response.body#/id"}

TO_QUESTION: dict[str, dict[str, object]] = {
    "question": {"operationId": "show_question", "parameters": _QUESTION},
    "feedback": {"operationId": "give_feedback", "parameters": _QUESTION},
}
# With the key: the id alone is unknown until the file arrives.
TO_AWAITED: dict[str, dict[str, object]] = {
    "document": {"operationId": "show_document", "parameters": {**_DOCUMENT, "key": "$response.body#/key"}}
}
TO_DELETION: dict[str, dict[str, object]] = {"deletion": {"operationId": "delete_document", "parameters": _DOCUMENT}}
TO_DOCUMENT: dict[str, dict[str, object]] = {"document": {"operationId": "show_document", "parameters": _DOCUMENT}}
