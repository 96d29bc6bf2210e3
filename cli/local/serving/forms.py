"""The forms that an upload is sent with: signed by boto3, read by werkzeug, and checked as S3 checks them."""

import base64
import hmac
import json
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

import boto3
from botocore.auth import S3SigV4PostAuth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.wrappers import Request

from cli.local.environment import DOCUMENTS_BUCKET
from selfrag.domain.documents import MAX_DOCUMENT_BYTES
from selfrag.domain.errors import RequestRejected

REGION = "us-east-1"
# A form's fields are small: a policy and what it names.
MAX_FORM_BYTES = MAX_DOCUMENT_BYTES + 64 * 1024
_SIGNED_WITH = ("policy", "x-amz-date", "x-amz-signature")
# What a policy cannot hold a condition for, beside fields that S3 is told to ignore.
_WITHOUT_CONDITION = {"policy", "x-amz-signature"}


class UploadRefused(RequestRejected):
    """An upload is refused: a status and S3's name for the reason."""

    def __init__(self, status: HTTPStatus, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code = status, code


class Forms:
    """Signs forms for uploads to a server, with a key that lives as long as this object, and knows them again."""

    def __init__(self) -> None:
        self._credentials = Credentials("selfrag", secrets.token_urlsafe(30))

    def client(self, url: str) -> Any:
        """A client of S3 whose forms send to this server."""
        return boto3.client(
            "s3",
            region_name=REGION,
            endpoint_url=url,
            aws_access_key_id=self._credentials.access_key,
            aws_secret_access_key=self._credentials.secret_key,
            config=Config(signature_version="s3v4", s3={"addressing_style": "path"}),
        )

    def check(self, fields: Mapping[str, str], size: int) -> None:
        """Raise UploadRefused unless the form was signed here for just these fields and bytes, and is still good."""
        if any(name not in fields for name in _SIGNED_WITH):
            raise _denied("The form is not signed: send every field of it")
        signature = self._signature(fields["policy"], fields["x-amz-date"])
        if not hmac.compare_digest(signature.encode(), fields["x-amz-signature"].encode()):
            message = "The request signature we calculated does not match the signature you provided."
            raise UploadRefused(HTTPStatus.FORBIDDEN, "SignatureDoesNotMatch", message)
        policy = json.loads(base64.b64decode(fields["policy"]))
        if datetime.fromisoformat(policy["expiration"]) <= datetime.now(UTC):
            raise _denied("Invalid according to Policy: Policy expired.")
        given, met = {**fields, "bucket": DOCUMENTS_BUCKET}, set(_WITHOUT_CONDITION)
        for condition in policy["conditions"]:
            if isinstance(condition, dict):
                met |= {name.lower() for name, value in condition.items() if _meets(given, name.lower(), value)}
            else:
                _check_size(condition, size)
        if extra := [name for name in fields if name not in met and not name.startswith("x-ignore-")]:
            raise _denied(f"Invalid according to Policy: Extra input fields: {', '.join(extra)}")

    def _signature(self, policy: str, timestamp: str) -> str:
        request = AWSRequest()
        request.context["timestamp"] = timestamp
        return str(S3SigV4PostAuth(self._credentials, "s3", REGION).signature(policy, request))


def read_form(request: Request) -> tuple[dict[str, str], bytes]:
    """The fields, their names in lower case, and the file; raises UploadRefused if it is no form, or too large."""
    if request.content_length is None:
        message = "You must provide the Content-Length HTTP header."
        raise UploadRefused(HTTPStatus.LENGTH_REQUIRED, "MissingContentLength", message)
    request.max_content_length = MAX_FORM_BYTES
    try:
        fields, file = request.form, request.files.get("file")
    except RequestEntityTooLarge:
        raise _too_large() from None
    if file is None:
        message = "The body of your POST request is not well-formed multipart/form-data with one file."
        raise UploadRefused(HTTPStatus.BAD_REQUEST, "MalformedPOSTRequest", message)
    return {name.lower(): value for name, value in fields.items()}, file.read()


def _meets(given: Mapping[str, str], name: str, value: str) -> bool:
    if given.get(name) != value:
        condition = json.dumps(["eq", f"${name}", value], ensure_ascii=False)
        raise _denied(f"Invalid according to Policy: Policy Condition failed: {condition}")
    return True


def _check_size(condition: list[Any], size: int) -> None:
    kind, least, most = condition
    if kind != "content-length-range":
        raise _denied(f"Invalid according to Policy: Policy Condition failed: {json.dumps(condition)}")
    if size < least:
        message = "Your proposed upload is smaller than the minimum allowed size"
        raise UploadRefused(HTTPStatus.BAD_REQUEST, "EntityTooSmall", message)
    if size > most:
        raise _too_large()


def _denied(message: str) -> UploadRefused:
    return UploadRefused(HTTPStatus.FORBIDDEN, "AccessDenied", message)


def _too_large() -> UploadRefused:
    message = "Your proposed upload exceeds the maximum allowed size"
    return UploadRefused(HTTPStatus.BAD_REQUEST, "EntityTooLarge", message)
