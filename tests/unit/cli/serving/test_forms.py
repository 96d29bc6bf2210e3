"""A form may put the one object that it was signed for, and nothing else."""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import httpx2
import pytest
import time_machine
from hypothesis import given
from hypothesis import strategies as st

from cli.local.aws.resources import DOCUMENTS_BUCKET
from cli.local.serving.forms import Forms, Refused, read_form
from selfrag.adapters.objects import S3Uploads
from selfrag.domain.questions import UploadRequest
from selfrag.ports.objects import UPLOAD_SECONDS

Fields = dict[str, str]
KEY = "hr/leave days.md"


def signed(forms: Forms, size: int = 7, content_type: str = "text/markdown") -> Fields:
    """The fields of a form that the deployed code asks for, as a server reads them."""
    client = forms.client("http://127.0.0.1:1")
    form = S3Uploads(client, DOCUMENTS_BUCKET).form(UploadRequest(key=KEY, size=size, content_type=content_type))
    assert form.url == f"http://127.0.0.1:1/{DOCUMENTS_BUCKET}"
    return {name.lower(): value for name, value in form.fields.items()}


def code_of(forms: Forms, fields: Fields, size: int = 7) -> str:
    with pytest.raises(Refused) as refused:
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


def encoded(fields: Fields, content: bytes, name: str = "file") -> tuple[str, bytes]:
    # Not a random boundary: it stands in the names of tests, which every worker has to find the same.
    kind = "multipart/form-data; boundary=5b6d313f46aff47da6762e2e6c46865e"
    request = httpx2.Request("POST", "http://x", data=fields, files={name: content}, headers={"content-type": kind})
    return kind, request.read()


@given(st.binary(max_size=200), st.dictionaries(st.sampled_from("abcd"), st.text('\u00e9\r\n-="x', max_size=20)))
def test_any_fields_and_any_bytes_of_a_file_arrive_as_they_are(content: bytes, fields: Fields) -> None:
    assert read_form(*encoded(fields, content)) == (fields, content)


def test_what_comes_after_the_file_is_ignored_and_names_have_no_case() -> None:
    body = b"".join(
        b'--B\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' % part
        for part in ((b"KEY", b"hr/a.md"), (b"File", b"text"), (b"key", b"hr/b.md"))
    )
    assert read_form("multipart/form-data; boundary=B", body + b"--B--\r\n") == ({"key": "hr/a.md"}, b"text")


KIND, WHOLE = encoded({"key": "hr/a.md"}, b"content")


@pytest.mark.parametrize(
    ("kind", "body", "code"),
    [
        ("", WHOLE, "MalformedPOSTRequest"),
        ("application/json", b"{}", "MalformedPOSTRequest"),
        ("multipart/form-data", WHOLE, "MalformedPOSTRequest"),
        ("multipart/form-data; boundary=\u00e9", WHOLE, "MalformedPOSTRequest"),
        (KIND, b"", "MalformedPOSTRequest"),
        (KIND, WHOLE[:-50], "MalformedPOSTRequest"),  # in the headers of the file, in the file, in the last boundary
        (KIND, WHOLE[: WHOLE.index(b"content\r\n") + 3], "MalformedPOSTRequest"),
        (KIND, WHOLE[:-4], "MalformedPOSTRequest"),
        (KIND, WHOLE.replace(b"hr/a.md", b"hr/\xff.md"), "MalformedPOSTRequest"),
        (KIND, WHOLE.replace(b"Content-Disposition", b"Content-Else"), "MalformedPOSTRequest"),
        (*encoded({f"f{n}": "x" for n in range(101)}, b"content"), "MalformedPOSTRequest"),
        (*encoded({"key": "hr/a.md"}, b"content", name="other"), "InvalidArgument"),
    ],
)
def test_what_is_no_form_with_a_file_is_refused(kind: str, body: bytes, code: str) -> None:
    with pytest.raises(Refused) as refused:
        read_form(kind, body)
    assert (refused.value.status, refused.value.code) == (400, code)


@given(st.integers(0, len(WHOLE)), st.binary(max_size=3))
def test_a_damaged_form_is_read_or_refused_and_nothing_else(at: int, put: bytes) -> None:
    with suppress(Refused):
        read_form(KIND, WHOLE[:at] + put + WHOLE[at + len(put) :])
