"""The routes of documents: list, upload, show and delete."""

import time
from dataclasses import asdict
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Annotated, Any, Literal
from urllib.parse import quote

from aws_lambda_powertools.event_handler import Request, Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Body, Path, Query

from selfrag.api.documents.listing import DocumentEntry, DocumentPage, document_of, page
from selfrag.api.documents.removal import remove
from selfrag.api.documents.text import DocumentText, text_of
from selfrag.api.edge import links
from selfrag.api.edge.exchange import caller, place_of, problems, reply, shows
from selfrag.api.edge.problems import ProblemError
from selfrag.bootstrap import api, index, ingestion, question_settings
from selfrag.domain.answers import BY_RULE
from selfrag.domain.base import Model
from selfrag.domain.documents import collection_of, document_id
from selfrag.domain.errors import InvalidInput, Misconfigured
from selfrag.domain.kinds import ending_of
from selfrag.domain.questions import UploadRequest
from selfrag.domain.verdicts import judged_by
from selfrag.ports.bindings import Action
from selfrag.ports.objects import LINK_SECONDS, UPLOAD_SECONDS

Id = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$", description="The document's id.")]
Collection = Annotated[
    str, Query(max_length=1024, description="One of your collections; all of them if it is left out.")
]
Limit = Annotated[int, Query(ge=1, le=100)]
Awaited = Annotated[str, Query(max_length=1024, description="Its key, as long as its file is awaited.")]
Start = Annotated[int, Query(ge=0, le=1_000_000, description="The position of the first passage, from 0.")]
Around = Annotated[
    str, Query(max_length=64, description="A passage's id: those around it are returned, wherever it stands.")
]
Inline = Annotated[
    bool, Query(description="Whether a browser is to show the file; a PDF alone, others are downloaded.")
]
Cursor = Annotated[str, Query(max_length=8192, description="The cursor of the page before.")]


router = Router()  # type: ignore[no-untyped-call]


class Upload(Model):
    """The address to send the file to: a request of this method with these headers, and the file as its body.

    It takes one file. A second one is refused, with 412 by S3 and with 403 on the laptop.
    """

    method: Literal["PUT"] = "PUT"
    url: str
    headers: dict[str, str]


class UploadTicket(Model):
    """A document to come: at `Location` it is `awaited` until it is known, some seconds after the upload."""

    id: str
    key: str
    upload: Upload
    expires_at: datetime


class Original(Model):
    """The address of a document's file. It needs no key: anyone who has it can load the file until it expires."""

    url: str
    expires_at: datetime


@router.get(
    "/v1/documents",
    operation_id="list_documents",
    summary="The documents of your collections",
    description="By collection and key. A page may hold fewer documents than `limit`; the last one has no cursor.",
    responses={200: shows("A page of documents", DocumentPage), **problems(400, 403, 429, 503)},
)
def list_documents(
    request: Request, collection: Collection = "", limit: Limit = 50, cursor: Cursor = ""
) -> Response[Any]:
    """Return a page of documents."""
    who = caller(request)
    who.allowed([collection] if collection else [])
    collections = [collection] if collection else who.binding.collections
    if not collections:
        raise InvalidInput("collection names no collection: name one of yours.")
    documents = page(ingestion.manifest(), collections, limit, cursor)
    # Without an upload origin, the server is read-only.
    is_open = api.api_settings().uploads and bool(api.uploads().origin())
    writable = "upload" in who.binding.actions and is_open
    notice = BY_RULE if judged_by(question_settings().models["generate"]) == "rule" else None
    return reply(HTTPStatus.OK, {**documents.model_dump(mode="json"), "writable": writable, "notice": notice})


@router.post(
    "/v1/documents",
    operation_id="upload_document",
    summary="An address to upload a document to, or a new version of it",
    description="It is good for one file, for 15 minutes, and no more once the document has changed. "
    "What was uploaded can be searched within a minute or two.",
    responses={
        201: shows("Send the file to this address", UploadTicket, headers=links.LOCATION, links=links.TO_AWAITED),
        **problems(400, 403, 413, 415, 429, 503),
    },
)
def upload_document(request: Request, body: Annotated[UploadRequest, Body()]) -> Response[Any]:
    """Return an address that takes one object for the bucket."""
    caller(request, "upload").allowed([collection_of(body.key)])
    if not api.api_settings().uploads:
        raise InvalidInput("Questions here are answered from a knowledge base: add the document to its data source.")
    expires = _expiry(UPLOAD_SECONDS)
    target = api.uploads().target(body)
    identity = document_id(api.api_settings().documents_bucket, body.key)
    to_come = UploadTicket(id=identity, key=body.key, upload=Upload(**asdict(target)), expires_at=expires)
    # With the key, which shows whose document it will be before anything is stored.
    place = place_of(request, f"/v1/documents/{to_come.id}?key={quote(body.key, safe='')}")
    return reply(HTTPStatus.CREATED, to_come.model_dump(mode="json"), {"Location": place})


@router.get(
    "/v1/documents/<document_id>",
    operation_id="show_document",
    summary="One document",
    responses={
        200: shows("The document", DocumentEntry, links=links.TO_DELETION),
        **problems(400, 403, 404, 429, 503),
    },
)
def show_document(request: Request, document_id: Id, key: Awaited = "") -> Response[Any]:
    """Return one document."""
    return reply(HTTPStatus.OK, _authorized_document(request, document_id, key).model_dump(mode="json"))


@router.get(
    "/v1/documents/<document_id>/original",
    operation_id="link_original",
    summary="A link to the file of a document",
    description="The link is good for a minute. It downloads the file as it was uploaded, or shows a PDF (`inline`).",
    responses={200: shows("The link", Original), **problems(400, 403, 404, 429, 503)},
)
def link_original(request: Request, document_id: Id, inline: Inline = False) -> Response[Any]:
    """Return a link to the object, unless it is deleted."""
    document = _authorized_document(request, document_id)
    expires = _expiry(LINK_SECONDS)
    shown = inline and ending_of(document.key) == ".pdf"
    url = "" if document.status == "removing" else api.uploads().link(document.key, shown)
    if not url:
        raise _no_such_document()
    return reply(HTTPStatus.OK, Original(url=url, expires_at=expires).model_dump(mode="json"))


@router.get(
    "/v1/documents/<document_id>/text",
    operation_id="show_text",
    summary="The extracted text of a document",
    description="A hundred of its passages, in order, as they are searched and cited. `start` leads to further ones.",
    responses={200: shows("The text", DocumentText), **problems(400, 403, 404, 429, 503)},
)
def show_text(request: Request, document_id: Id, start: Start = 0, around: Around = "") -> Response[Any]:
    """Return passages of a document from the index, unless it is deleted."""
    if _authorized_document(request, document_id).status == "removing":
        raise _no_such_document()
    try:
        passages = index()
    except Misconfigured:  # a collection that only the steps reach
        hint = "GET /v1/documents/{document_id}/original leads to the file."
        raise ProblemError(HTTPStatus.NOT_FOUND, "This service shows no text of documents.", hint) from None
    return reply(HTTPStatus.OK, text_of(document_id, ingestion.manifest(), passages, start, around).model_dump())


@router.delete(
    "/v1/documents/<document_id>",
    operation_id="delete_document",
    summary="Delete a document",
    description=(
        "The file is deleted at once; its passages are gone from the searches within a minute or two, and until then "
        "the document is `removing`."
    ),
    responses={
        202: shows("The document, which is `removing`", DocumentEntry, links=links.TO_DOCUMENT),
        **problems(400, 403, 404, 429, 503),
    },
)
def delete_document(request: Request, document_id: Id) -> Response[Any]:
    """Delete the object; the bucket's event starts the removal of its passages."""
    document = remove(_authorized_document(request, document_id, action="upload"), ingestion.manifest(), api.uploads())
    return reply(HTTPStatus.ACCEPTED, document.model_dump(mode="json"))


def _authorized_document(request: Request, identity: str, key: str = "", action: Action | None = None) -> DocumentEntry:
    who = caller(request, action)
    record = ingestion.manifest().read(identity)
    document = document_of(record) if record else None
    if document is None and key and document_id(api.api_settings().documents_bucket, key) == identity:
        collection = collection_of(key)
        document = DocumentEntry(
            id=identity, key=key, collection=collection, status="awaited", reason="", updated_at=None
        )
    if document is None or not who.reaches([document.collection]):
        raise _no_such_document()
    return document


def _no_such_document() -> ProblemError:
    hint = "GET /v1/documents lists yours; an uploaded one is known after some seconds."
    return ProblemError(HTTPStatus.NOT_FOUND, "There is no such document.", hint)


def _expiry(seconds: int) -> datetime:
    return datetime.fromtimestamp(int(time.time()) + seconds, UTC)
