"""What the served API has for a bucket: a directory that uploads go into, or one that is not to be changed."""

import hashlib
import uuid
from collections.abc import Callable
from http import HTTPStatus
from urllib.parse import quote
from xml.sax.saxutils import escape

from cli.local.aws.resources import DOCUMENTS_BUCKET
from cli.local.serving.exchange import Incoming, Reply, forbidden
from cli.local.serving.folder import Folder
from cli.local.serving.forms import Forms, Refused, read_form
from selfrag.adapters.objects import S3Uploads
from selfrag.domain.documents import MAX_DOCUMENT_BYTES
from selfrag.domain.errors import InvalidInput, SelfragError
from selfrag.domain.questions import UploadRequest
from selfrag.ports.objects import Form

# A form's fields are small: a policy and what it names.
MAX_FORM_BYTES = MAX_DOCUMENT_BYTES + 64 * 1024

Changed = Callable[[str, bytes | None], None]


class ReadOnly:
    """Refuses uploads and deletions, and leaves all else to the API."""

    def began(self, url: str) -> None:
        """Nothing depends on the URL."""

    def reply(self, incoming: Incoming) -> Reply | None:
        """A problem that says what to do, for a request that would change documents."""
        if incoming.method not in ("POST", "DELETE") or incoming.path.split("/")[1:3] != ["v1", "documents"]:
            return None
        incoming.read(0)
        hint = "Start it with `selfrag serve --docs DIR --writable`."
        return forbidden("This server does not change its documents.", hint)


class DirectoryBucket:
    """A directory as the API's bucket: gives forms for this server, takes what they send, and deletes.

    `changed` is called with the key and the content of what was put, and with None for what was deleted.
    """

    def __init__(self, folder: Folder, changed: Changed) -> None:
        self._folder, self._changed = folder, changed
        self._forms = Forms()

    def began(self, url: str) -> None:
        """Sign forms for the server at this URL."""
        self._client = self._forms.client(url)

    def reply(self, incoming: Incoming) -> Reply | None:
        """S3's reply to an upload, and none to all other requests."""
        if incoming.method != "POST" or incoming.path != f"/{DOCUMENTS_BUCKET}":
            return None
        try:
            return self._upload(incoming)
        except Refused as refused:
            return _xml(refused.status, refused.code, str(refused))
        except InvalidInput as error:
            return _xml(HTTPStatus.BAD_REQUEST, "InvalidArgument", str(error))
        except SelfragError as error:
            return _xml(HTTPStatus.SERVICE_UNAVAILABLE, "ServiceUnavailable", str(error))

    def form(self, request: UploadRequest) -> Form:
        """A form that uploads to this server; raises InvalidInput for what no file can have."""
        self._folder.check(request.key)
        if request.tags or request.date:
            raise InvalidInput("A directory keeps no tags and no date beside its files: let the document say them.")
        return S3Uploads(self._client, DOCUMENTS_BUCKET).form(request)

    def delete(self, key: str) -> None:
        """Delete a file; one that is gone already is no error."""
        self._folder.delete(key)
        self._changed(key, None)

    def _upload(self, incoming: Incoming) -> Reply:
        if "content-length" not in incoming.headers:
            message = "You must provide the Content-Length HTTP header."
            raise Refused(HTTPStatus.LENGTH_REQUIRED, "MissingContentLength", message)
        body = incoming.read(MAX_FORM_BYTES)
        if len(body) > MAX_FORM_BYTES:
            message = "Your proposed upload exceeds the maximum allowed size"
            raise Refused(HTTPStatus.BAD_REQUEST, "EntityTooLarge", message)
        fields, content = read_form(incoming.headers.get("content-type", ""), body)
        self._forms.check(fields, len(content))
        key = fields["key"]
        self._folder.put(key, content)
        self._changed(key, content)
        etag = hashlib.md5(content, usedforsecurity=False).hexdigest()
        return Reply(HTTPStatus.NO_CONTENT, [("ETag", f'"{etag}"'), ("Location", f"/{DOCUMENTS_BUCKET}/{quote(key)}")])


def _xml(status: HTTPStatus, code: str, message: str) -> Reply:
    request_id = uuid.uuid4().hex
    parts = {"Code": code, "Message": message, "RequestId": request_id}
    inner = "".join(f"<{name}>{escape(text)}</{name}>" for name, text in parts.items())
    body = f'<?xml version="1.0" encoding="UTF-8"?>\n<Error>{inner}</Error>'
    return Reply(status, [("Content-Type", "application/xml"), ("x-amz-request-id", request_id)], body.encode())
