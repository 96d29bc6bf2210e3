"""What the served API has for a bucket: a directory that uploads go into, or one that is not to be changed."""

import hashlib
import uuid
from collections.abc import Callable
from http import HTTPStatus
from typing import Any
from urllib.parse import quote
from xml.sax.saxutils import escape

from werkzeug.wrappers import Request, Response

from ask.edge.problems import ProblemRaised
from cli.aws.resources import DOCUMENTS_BUCKET
from cli.serving.folder import Folder
from cli.serving.forms import Forms, Refused, read_form
from selfrag.errors import InvalidInput, SelfragError

Changed = Callable[[str, str], None]


class ReadOnlyBucket:
    """Refuses uploads and deletions."""

    def generate_presigned_post(self, bucket: str, key: str, **conditions: Any) -> dict[str, Any]:
        """Raise ProblemRaised with what to do instead."""
        raise _unchanged()

    def delete_object(self, Bucket: str, Key: str) -> None:
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
        self._client = self._forms.client(url)

    def generate_presigned_post(self, bucket: str, key: str, **conditions: Any) -> dict[str, Any]:
        """As S3's client does; raises InvalidInput for what no file can have."""
        self._folder.check(key)
        if any(name.startswith("x-amz-meta-") for name in conditions.get("Fields", {})):
            raise InvalidInput("A directory keeps no tags and no date beside its files: let the document say them.")
        form: dict[str, Any] = self._client.generate_presigned_post(bucket, key, **conditions)
        return form

    def delete_object(self, Bucket: str, Key: str) -> None:
        """As S3's client does."""
        self._folder.delete(Key)
        self._changed(Key, "")

    def upload(self, request: Request) -> Response:
        """S3's response to a form that was sent."""
        try:
            fields, content = read_form(request)
            self._forms.check(fields, len(content))
            key = fields["key"]
            self._folder.put(key, content)
        except Refused as refused:
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
