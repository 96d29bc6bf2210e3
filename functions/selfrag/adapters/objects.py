"""Objects in S3: documents, work in progress, and the addresses that documents are uploaded to."""

import json
from typing import Any
from urllib.parse import quote, urlsplit

from botocore.exceptions import ClientError
from typing_extensions import override

from selfrag.adapters.faults import aws_faults, code_of
from selfrag.domain.errors import TemporarilyUnavailable
from selfrag.domain.questions import UploadRequest
from selfrag.ports.objects import LINK_SECONDS, UPLOAD_SECONDS, Object, Objects, Uploads, UploadTarget
from selfrag.text.file_names import disposition

_GONE = {"NoSuchKey", "404", "NotFound"}


class S3Objects(Objects):
    """The buckets of a deployment; `bucket` is the one for work in progress, or for recognised text."""

    def __init__(self, client: Any, bucket: str) -> None:
        self._client, self.bucket = client, bucket

    def head(self, bucket: str, key: str) -> str | None:
        """Return an object's current version (its ETag in an unversioned bucket), or None if it does not exist."""
        reply = self._reply("head_object", bucket, key)
        return None if reply is None else str(reply.get("VersionId") or reply["ETag"])

    @override
    def get(self, bucket: str, key: str, most: int) -> Object | None:
        reply = self._reply("get_object", bucket, key)
        if reply is None:
            return None
        with aws_faults("the bucket"):
            return Object(bytes(reply["Body"].read(most)), reply.get("Metadata") or {})

    @override
    def put_json(self, key: str, value: Any) -> None:
        self.put(key, json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))

    def put(self, key: str, content: bytes) -> None:
        """Store bytes."""
        with aws_faults("the work bucket"):
            self._client.put_object(Bucket=self.bucket, Key=key, Body=content)

    @override
    def has_json(self, key: str) -> bool:
        return self.head(self.bucket, key) is not None

    @override
    def get_json(self, key: str) -> Any:
        stored = self.get(self.bucket, key, -1)
        if stored is None:
            raise TemporarilyUnavailable("work in progress is gone; the document has to be read again")
        return json.loads(stored.content)

    def _reply(self, operation: str, bucket: str, key: str) -> Any:
        with aws_faults("the bucket"):
            try:
                return getattr(self._client, operation)(Bucket=bucket, Key=key)
            except ClientError as error:
                if code_of(error) in _GONE:
                    return None
                raise


class S3Uploads(Uploads):
    """The bucket that documents are dropped into, for the API."""

    def __init__(self, client: Any, bucket: str) -> None:
        self._client, self._bucket = client, bucket

    def origin(self) -> str:
        """Return the origin that files are sent to; boto3 decides it by region and style of addressing."""
        with aws_faults("the bucket of documents"):
            to_any = {"Bucket": self._bucket, "Key": "any"}
            sent_to = urlsplit(self._client.generate_presigned_url("put_object", Params=to_any))
        return f"{sent_to.scheme}://{sent_to.netloc}"

    def target(self, request: UploadRequest) -> UploadTarget:
        """Return a presigned address for one object of this size and type, for 15 minutes.

        It requires that the key is unchanged, so it works once.
        """
        location = {"Bucket": self._bucket, "Key": request.key}
        headers = {**_headers(request), **self._require_unchanged(location)}
        with aws_faults("the bucket of documents"):
            # The length is signed, too; who sends the file adds its header.
            url: str = self._client.generate_presigned_url(
                "put_object",
                Params={**location, "ContentLength": request.size, **_parameters(headers)},
                ExpiresIn=UPLOAD_SECONDS,
            )
        return UploadTarget(url, headers)

    def _require_unchanged(self, location: dict[str, str]) -> dict[str, str]:
        """Return the condition that an object has not changed since now."""
        with aws_faults("the bucket of documents"):
            try:
                return {"If-Match": self._client.head_object(**location)["ETag"]}
            except ClientError as error:
                if code_of(error) in _GONE:
                    return {"If-None-Match": "*"}
                raise

    def link(self, key: str, inline: bool = False) -> str:
        """Return an address of this one object, for a minute; a browser does not show it as a page."""
        parameters = {"Bucket": self._bucket, "Key": key, "ResponseContentDisposition": disposition(key, inline)}
        if inline:
            parameters["ResponseContentType"] = "application/pdf"
        with aws_faults("the bucket of documents"):
            address: str = self._client.generate_presigned_url("get_object", Params=parameters, ExpiresIn=LINK_SECONDS)
        return address

    @override
    def delete(self, key: str) -> None:
        with aws_faults("the bucket of documents"):
            self._client.delete_object(Bucket=self._bucket, Key=key)


def _headers(request: UploadRequest) -> dict[str, str]:
    # Metadata may hold ASCII only.
    headers = {
        "Content-Type": request.content_type,
        "x-amz-meta-tags": quote(", ".join(request.tags), safe=", "),
        "x-amz-meta-date": request.date or "",
    }
    return {name: value for name, value in headers.items() if value}


def _parameters(headers: dict[str, str]) -> dict[str, object]:
    """Return headers as boto3 names them."""
    prefix = "x-amz-meta-"
    metadata = {name.removeprefix(prefix): value for name, value in headers.items() if name.startswith(prefix)}
    others = {name.replace("-", ""): value for name, value in headers.items() if not name.startswith(prefix)}
    return {**others, "Metadata": metadata}
