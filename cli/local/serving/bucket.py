"""What the served API has for a bucket: a directory that uploads go into, or one that is not to be changed."""

import hashlib
import uuid
from collections.abc import Callable
from http import HTTPStatus
from urllib.parse import quote
from xml.sax.saxutils import escape

from werkzeug.wrappers import Request, Response

from ask.edge.problems import ProblemRaised
from cli.local.environment import DOCUMENTS_BUCKET
from cli.local.serving.folder import Folder
from cli.local.serving.forms import Forms, UploadRefused, read_form
from selfrag.adapters.objects import S3Uploads
from selfrag.domain.errors import InvalidInput, SelfragError
from selfrag.domain.questions import UploadRequest
from selfrag.ports.objects import Form

Changed = Callable[[str, str], None]


class ReadOnlyBucket:
    """Refuses uploads and deletions."""

    def origin(self) -> str:
        """No form is given."""
        return ""

    def form(self, request: UploadRequest) -> Form:
        """Raise ProblemRaised with what to do instead."""
        raise _unchanged()

    def delete(self, key: str) -> None:
        """Raise ProblemRaised with what to do instead."""
        raise _unchanged()

    def upload(self, request: Request) -> Response:
        """Raise ProblemRaised with what to do instead."""
        raise _unchanged()


class DirectoryBucket:
    """A directory as the API's bucket: gives forms for the server at `url`, takes what they send, and deletes.

    `changed` is called with the key and the ETag of what was put, and with none for what was deleted.
    """

    def __init__(self, folder: Folder, changed: Changed, url: str) -> None:
        self._folder, self._changed = folder, changed
        self._forms = Forms()
        self._signed = S3Uploads(self._forms.client(url), DOCUMENTS_BUCKET)

    def origin(self) -> str:
        """The server itself."""
        return self._signed.origin()

    def form(self, request: UploadRequest) -> Form:
        """A form that uploads to this server; raises InvalidInput for what no file can have."""
        self._folder.check(request.key)
        if request.tags or request.date:
            raise InvalidInput("A directory keeps no tags and no date beside its files: let the document say them.")
        return self._signed.form(request)

    def delete(self, key: str) -> None:
        """Delete a file; one that is gone already is no error."""
        self._folder.delete(key)
        self._changed(key, "")

    def upload(self, request: Request) -> Response:
        """S3's response to a form that was sent."""
        try:
            fields, content = read_form(request)
            self._forms.check(fields, len(content))
            key = fields["key"]
            self._folder.put(key, content)
        except UploadRefused as refused:
            return _xml(refused.status, refused.code, str(refused))
        except InvalidInput as error:
            return _xml(HTTPStatus.BAD_REQUEST, "InvalidArgument", str(error))
        except SelfragError as error:
            return _xml(HTTPStatus.SERVICE_UNAVAILABLE, "ServiceUnavailable", str(error))
        etag = f'"{hashlib.md5(content, usedforsecurity=False).hexdigest()}"'
        self._changed(key, etag)
        headers = {"ETag": etag, "Location": f"/{DOCUMENTS_BUCKET}/{quote(key)}"}
        return Response(status=HTTPStatus.NO_CONTENT, headers=headers)


def _unchanged() -> ProblemRaised:
    hint = "Start it with `selfrag serve --docs DIR --writable`."
    return ProblemRaised(HTTPStatus.FORBIDDEN, "This server does not change its documents.", hint)


def _xml(status: HTTPStatus, code: str, message: str) -> Response:
    request_id = uuid.uuid4().hex
    parts = {"Code": code, "Message": message, "RequestId": request_id}
    inner = "".join(f"<{name}>{escape(text)}</{name}>" for name, text in parts.items())
    body = f'<?xml version="1.0" encoding="UTF-8"?>\n<Error>{inner}</Error>'
    return Response(body, status, {"x-amz-request-id": request_id, "Content-Type": "application/xml"})
