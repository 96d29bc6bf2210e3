"""Where a reply leads, for the description of the API: links to other operations, and the headers that a client heeds.

A link's parameters are runtime expressions, as OpenAPI 3.1 calls them: they are read in the reply that has the link.
"""

from typing import Any

LOCATION: dict[str, Any] = {
    "Location": {"description": "Where to look.", "schema": {"type": "string", "format": "uri-reference"}}
}
RETRY_AFTER: dict[str, Any] = {
    "Retry-After": {"description": "Seconds until the next look.", "schema": {"type": "integer"}}
}

_QUESTION = {"question_id": "$response.body#/id"}
_DOCUMENT = {"document_id": "$response.body#/id"}

TO_QUESTION: dict[str, Any] = {
    "question": {"operationId": "show_question", "parameters": _QUESTION},
    "feedback": {"operationId": "give_feedback", "parameters": _QUESTION},
}
# With the key: before its file has come, the id alone is not known.
TO_AWAITED: dict[str, Any] = {
    "document": {"operationId": "show_document", "parameters": {**_DOCUMENT, "key": "$response.body#/key"}}
}
TO_DELETION: dict[str, Any] = {"deletion": {"operationId": "delete_document", "parameters": _DOCUMENT}}
TO_DOCUMENT: dict[str, Any] = {"document": {"operationId": "show_document", "parameters": _DOCUMENT}}
