"""Objects in S3: documents, work in progress, and the forms by which documents are uploaded."""

import json
from typing import Any
from urllib.parse import quote, urlsplit

from botocore.exceptions import ClientError

from selfrag.adapters.faults import aws_faults, code_of
from selfrag.domain.errors import TemporarilyUnavailable
from selfrag.domain.questions import UploadRequest
from selfrag.ports.objects import LINK_SECONDS, UPLOAD_SECONDS, Form, Object, attachment

_GONE = {"NoSuchKey", "404", "NotFound"}


class S3Objects:
    """The buckets of a deployment; `bucket` is the one for work in progress, or for recognised text."""

    def __init__(self, client: Any, bucket: str) -> None:
        self._client, self.bucket = client, bucket

    def head(self, bucket: str, key: str) -> str | None:
        """Return an object's present version (its ETag in a bucket without versions), or None if it is gone."""
        found = self._found("head_object", bucket, key)
        return None if found is None else str(found.get("VersionId") or found["ETag"])

    def get(self, bucket: str, key: str, most: int) -> Object | None:
        """Return an object with at most this many bytes, or None if it is gone."""
        found = self._found("get_object", bucket, key)
        if found is None:
            return None
        with aws_faults("the bucket"):
            return Object(bytes(found["Body"].read(most)), found.get("Metadata") or {})

    def put_json(self, key: str, value: Any) -> None:
        """Store work in progress."""
        self.put(key, json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))

    def put(self, key: str, content: bytes) -> None:
        """Store bytes."""
        with aws_faults("the work bucket"):
            self._client.put_object(Bucket=self.bucket, Key=key, Body=content)

    def has_json(self, key: str) -> bool:
        """Return whether work in progress is there."""
        return self.head(self.bucket, key) is not None

    def get_json(self, key: str) -> Any:
        """Return work in progress; raises TemporarilyUnavailable if it is gone, since it can be made again."""
        found = self.get(self.bucket, key, -1)
        if found is None:
            raise TemporarilyUnavailable("work in progress is gone; the document has to be read again")
        return json.loads(found.content)

    def _found(self, operation: str, bucket: str, key: str) -> Any:
        with aws_faults("the bucket"):
            try:
                return getattr(self._client, operation)(Bucket=bucket, Key=key)
            except ClientError as error:
                if code_of(error) in _GONE:
                    return None
                raise


class S3Uploads:
    """The bucket that documents are dropped into, for the API."""

    def __init__(self, client: Any, bucket: str) -> None:
        self._client, self._bucket = client, bucket

    def origin(self) -> str:
        """Return the origin that forms are sent to; boto3 decides it by region and style of addressing."""
        with aws_faults("the bucket of documents"):
            sent_to = urlsplit(self._client.generate_presigned_post(self._bucket, "any")["url"])
        return f"{sent_to.scheme}://{sent_to.netloc}"

    def form(self, request: UploadRequest) -> Form:
        """Return a form that uploads this one object, of this size and type, for 15 minutes."""
        fields = {name: value for name, value in _headers(request).items() if value}
        conditions = [["content-length-range", request.size, request.size], *({k: v} for k, v in fields.items())]
        with aws_faults("the bucket of documents"):
            signed = self._client.generate_presigned_post(
                self._bucket, request.key, Fields=fields, Conditions=conditions, ExpiresIn=UPLOAD_SECONDS
            )
        return Form(signed["url"], signed["fields"])

    def link(self, key: str) -> str:
        """Return an address that downloads this one object, for a minute; a browser does not show it as a page."""
        wanted = {"Bucket": self._bucket, "Key": key, "ResponseContentDisposition": attachment(key)}
        with aws_faults("the bucket of documents"):
            address: str = self._client.generate_presigned_url("get_object", Params=wanted, ExpiresIn=LINK_SECONDS)
        return address

    def delete(self, key: str) -> None:
        """Delete an object; one that is gone already is no error."""
        with aws_faults("the bucket of documents"):
            self._client.delete_object(Bucket=self._bucket, Key=key)


def _headers(request: UploadRequest) -> dict[str, str]:
    # Metadata may hold ASCII only.
    return {
        "Content-Type": request.content_type,
        "x-amz-meta-tags": quote(", ".join(request.tags), safe=", "),
        "x-amz-meta-date": request.date or "",
    }
