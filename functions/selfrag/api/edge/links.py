"""Links from a reply to other operations, for the description of the API, and the headers that clients heed.

A link's parameters are runtime expressions (OpenAPI 3.1): a client evaluates them on the reply that has the link.
"""

from typing import Any

LOCATION: dict[str, Any] = {
    "Location": {"description": "The path to poll.", "schema": {"type": "string", "format": "uri-reference"}}
}
RETRY_AFTER: dict[str, Any] = {
    "Retry-After": {"description": "Seconds until the next poll.", "schema": {"type": "integer"}}
}

_QUESTION = {"question_id": "$response.body#/id"}
_DOCUMENT = {"document_id": "$response.body#/id"}

TO_QUESTION: dict[str, Any] = {
    "question": {"operationId": "show_question", "parameters": _QUESTION},
    "feedback": {"operationId": "give_feedback", "parameters": _QUESTION},
}
# With the key: the id alone is unknown until the file arrives.
TO_AWAITED: dict[str, Any] = {
    "document": {"operationId": "show_document", "parameters": {**_DOCUMENT, "key": "$response.body#/key"}}
}
TO_DELETION: dict[str, Any] = {"deletion": {"operationId": "delete_document", "parameters": _DOCUMENT}}
TO_DOCUMENT: dict[str, Any] = {"document": {"operationId": "show_document", "parameters": _DOCUMENT}}
