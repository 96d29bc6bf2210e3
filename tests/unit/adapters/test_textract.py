"""Textract's adapter against its double, over real requests: a job for the same pages, results in parts, refusals."""

from collections.abc import Iterator
from io import BytesIO
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from selfrag.adapters.objects import S3Objects
from selfrag.adapters.textract import TextractRecognizer
from selfrag.domain.errors import BadDocument, Misconfigured, RequestRejected, SelfragError, TemporarilyUnavailable
from tests.support.documents.scans import scanned_pdf
from tests.support.doubles.textract_double import TextractDouble

NAME = "a" * 64


class Bucket:
    """A client of S3 with one bucket, in memory."""

    def __init__(self) -> None:
        self.held: dict[str, bytes] = {}

    def put_object(self, Bucket: str, Key: str, Body: bytes) -> None:
        self.held[Key] = Body

    def head_object(self, Bucket: str, Key: str) -> dict[str, Any]:
        return {"ETag": "e", "Body": BytesIO(self._held(Key))}

    get_object = head_object

    def _held(self, key: str) -> bytes:
        if key not in self.held:
            raise ClientError({"Error": {"Code": "404"}, "ResponseMetadata": {"HTTPStatusCode": 404}}, "HeadObject")
        return self.held[key]


@pytest.fixture
def bucket() -> Bucket:
    return Bucket()


@pytest.fixture
def textract(bucket: Bucket) -> Iterator[TextractDouble]:
    with TextractDouble(lambda name, where: bucket.held.get(where)) as double:
        double.knobs.looks = 0
        yield double


@pytest.fixture
def recognizer(textract: TextractDouble, bucket: Bucket) -> TextractRecognizer:
    keys = {"aws_access_key_id": "k", "aws_secret_access_key": "s", "region_name": "eu-west-1"}
    config = Config(retries={"total_max_attempts": 1})
    client = boto3.client("textract", endpoint_url=textract.url, config=config, **keys)
    return TextractRecognizer(client, S3Objects(bucket, "recognized"))


def test_pages_are_ordered_with_text_and_confidence(recognizer: TextractRecognizer, textract: TextractDouble) -> None:
    textract.knobs.part = 2
    recognizer.keep(NAME, scanned_pdf("One.\nTwo.", "Three."))
    pages = recognizer.outcome(NAME, recognizer.begin(NAME))
    assert pages
    assert [(page.page, page.text, page.confidence) for page in pages] == [(1, "One.\nTwo.", 98), (2, "Three.", 98)]


def test_recognized_pages_are_not_sent_again_after_job_expires(
    recognizer: TextractRecognizer, textract: TextractDouble
) -> None:
    recognizer.keep(NAME, scanned_pdf("One."))
    first = recognizer.outcome(NAME, recognizer.begin(NAME))
    # Textract forgets a job, and its token, after that time.
    textract.jobs.clear()
    job = recognizer.begin(NAME)
    assert (job, recognizer.outcome(NAME, job)) == ("", first)
    assert textract.pages == 1


def test_two_that_begin_with_the_same_pages_get_the_same_job(
    recognizer: TextractRecognizer, textract: TextractDouble
) -> None:
    recognizer.keep(NAME, scanned_pdf("One."))
    assert recognizer.begin(NAME) == recognizer.begin(NAME)
    assert textract.pages == 1


def test_a_blank_page_is_no_page_of_the_result(recognizer: TextractRecognizer) -> None:
    recognizer.keep(NAME, scanned_pdf("", "Words."))
    pages = recognizer.outcome(NAME, recognizer.begin(NAME))
    assert pages
    assert [page.page for page in pages] == [2]


def test_running_job_has_no_outcome_and_failed_job_has_a_reason(
    recognizer: TextractRecognizer, textract: TextractDouble
) -> None:
    textract.knobs.looks = 1
    recognizer.keep(NAME, scanned_pdf("One."))
    job = recognizer.begin(NAME)
    assert recognizer.outcome(NAME, job) is None
    textract.knobs.status, textract.knobs.message = "FAILED", "a passage of the document"
    with pytest.raises(BadDocument, match=r"^Amazon Textract gave up on them$"):
        recognizer.outcome(NAME, job)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("AccessDeniedException", Misconfigured),
        ("InvalidS3ObjectException", Misconfigured),
        ("InvalidKMSKeyException", Misconfigured),
        ("ThrottlingException", TemporarilyUnavailable),
        ("ProvisionedThroughputExceededException", TemporarilyUnavailable),
        ("LimitExceededException", TemporarilyUnavailable),
        ("InternalServerError", TemporarilyUnavailable),
        ("BadDocumentException", BadDocument),
        ("DocumentTooLargeException", BadDocument),
        ("UnsupportedDocumentException", BadDocument),
        ("InvalidJobIdException", RequestRejected),
    ],
)
def test_each_refusal_means_what_it_means_to_whoever_must_act(
    code: str, kind: type[SelfragError], recognizer: TextractRecognizer, textract: TextractDouble
) -> None:
    textract.knobs.refusals = [code]
    with pytest.raises(SelfragError) as raised:
        recognizer.outcome(NAME, "job-0")
    assert type(raised.value) is kind


def test_textract_rejects_missing_or_unsupported_documents(
    recognizer: TextractRecognizer,
) -> None:
    with pytest.raises(Misconfigured, match="InvalidS3ObjectException"):
        recognizer.begin(NAME)
    recognizer.keep(NAME, b"words")
    with pytest.raises(BadDocument, match="UnsupportedDocumentException"):
        recognizer.begin(NAME)
