"""A form may put the one object that it was signed for, and nothing else."""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

import httpx2
import pytest
import time_machine
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.wrappers import Request

from cli.local.serving.forms import MAX_FORM_BYTES, Forms, UploadRefused, read_form
from selfrag.adapters.objects import S3Uploads
from selfrag.domain.questions import UploadRequest
from selfrag.ports.objects import UPLOAD_SECONDS
from tests.support.emulated_aws.resources import DOCUMENTS_BUCKET

Fields = dict[str, str]
KEY = "hr/leave days.md"


def signed(forms: Forms, size: int = 7, content_type: str = "text/markdown") -> Fields:
    """The fields of a form that the deployed code asks for, as a server reads them."""
    client = forms.client("http://127.0.0.1:1")
    form = S3Uploads(client, DOCUMENTS_BUCKET).form(UploadRequest(key=KEY, size=size, content_type=content_type))
    assert form.url == f"http://127.0.0.1:1/{DOCUMENTS_BUCKET}"
    return {name.lower(): value for name, value in form.fields.items()}


def code_of(forms: Forms, fields: Fields, size: int = 7) -> str:
    with pytest.raises(UploadRefused) as refused:
        forms.check(fields, size)
    return f"{refused.value.status} {refused.value.code}"


def widened(policy: str) -> str:
    """A policy that allows more than was signed."""
    known = json.loads(b64decode(policy))
    known["conditions"] = [one for one in known["conditions"] if one != {"key": KEY}]
    return b64encode(json.dumps(known).encode()).decode()


def test_the_form_is_good_for_its_fields_and_size_until_it_expires() -> None:
    forms = Forms()
    with time_machine.travel(datetime(2026, 11, 21, tzinfo=UTC), tick=False) as clock:
        fields = signed(forms)
        forms.check(fields, 7)
        forms.check({**fields, "x-ignore-this": "1"}, 7)
        clock.shift(timedelta(seconds=UPLOAD_SECONDS - 1))
        forms.check(fields, 7)
        clock.shift(timedelta(seconds=1))
        assert code_of(forms, fields) == "403 AccessDenied"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda fields: {**fields, "key": "hr/other.md"}, "403 AccessDenied"),
        (lambda fields: {**fields, "content-type": "text/html"}, "403 AccessDenied"),
        (lambda fields: {name: fields[name] for name in fields if name != "key"}, "403 AccessDenied"),
        (lambda fields: {name: fields[name] for name in fields if name != "policy"}, "403 AccessDenied"),
        (lambda fields: {**fields, "acl": "public-read"}, "403 AccessDenied"),
        (lambda fields: {**fields, "policy": widened(fields["policy"])}, "403 SignatureDoesNotMatch"),
        (lambda fields: {**fields, "x-amz-signature": "0" * 64}, "403 SignatureDoesNotMatch"),
        (lambda fields: {**fields, "x-amz-signature": "\u00e9"}, "403 SignatureDoesNotMatch"),
        (lambda fields: {**fields, "x-amz-date": "20300101T000000Z"}, "403 SignatureDoesNotMatch"),
        (lambda fields: signed(Forms()), "403 SignatureDoesNotMatch"),
    ],
)
def test_a_form_that_was_changed_is_refused(change: Callable[[Fields], Fields], code: str) -> None:
    forms = Forms()
    assert code_of(forms, change(signed(forms))) == code


def test_another_size_is_refused() -> None:
    forms = Forms()
    assert code_of(forms, signed(forms), 6) == "400 EntityTooSmall"
    assert code_of(forms, signed(forms), 8) == "400 EntityTooLarge"


def sent(body: bytes, content_type: str, **environment: Any) -> Request:
    """A request as the server hands it on."""
    environ = {"REQUEST_METHOD": "POST", "CONTENT_TYPE": content_type, "CONTENT_LENGTH": str(len(body))}
    return Request({**environ, "wsgi.input": BytesIO(body), **environment})


def form(fields: Fields, content: bytes, name: str = "file") -> tuple[bytes, str]:
    request = httpx2.Request("POST", "http://x", data=fields, files={name: content})
    return request.read(), request.headers["content-type"]


@given(st.binary(max_size=200), st.dictionaries(st.sampled_from("Abcd"), st.text('\u00e9\r\n-="x', max_size=20)))
def test_any_fields_and_any_bytes_of_a_file_arrive_as_they_are(content: bytes, fields: Fields) -> None:
    lowered = {name.lower(): value for name, value in fields.items()}
    assert read_form(sent(*form(fields, content))) == (lowered, content)


WHOLE, KIND = form({"key": "hr/a.md"}, b"content")


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (sent(b"{}", "application/json"), "400 MalformedPOSTRequest"),
        (sent(WHOLE, "multipart/form-data"), "400 MalformedPOSTRequest"),
        (sent(WHOLE[:-4], KIND), "400 MalformedPOSTRequest"),
        (sent(*form({"key": "hr/a.md"}, b"content", name="other")), "400 MalformedPOSTRequest"),
        (sent(WHOLE, KIND, CONTENT_LENGTH=str(MAX_FORM_BYTES + 1)), "400 EntityTooLarge"),
        (sent(WHOLE, KIND, HTTP_TRANSFER_ENCODING="chunked"), "411 MissingContentLength"),
    ],
    ids=["json", "boundary", "cut", "name", "large", "chunked"],
)
def test_what_is_no_form_with_a_file_is_refused(request_: Request, code: str) -> None:
    with pytest.raises(UploadRefused) as refused:
        read_form(request_)
    assert f"{refused.value.status} {refused.value.code}" == code
