"""The page that the function serves: its Content-Security-Policy for buckets of all regions."""

from typing import Any
from urllib.parse import urlsplit

import boto3
import pytest
from moto import mock_aws

from selfrag import bootstrap
from selfrag.adapters.clients import make_client
from selfrag.adapters.objects import S3Uploads
from selfrag.api.handler import handler
from selfrag.api.page import bundle
from selfrag.domain.questions import UploadRequest
from selfrag.ports.objects import Uploads
from tests.unit.api.test_ask import CONTEXT, event


@pytest.mark.parametrize("region", ["us-east-1", "eu-central-1", "ap-northeast-1"])
def test_page_may_connect_only_to_the_upload_host(region: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.setenv(name, region)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "key")
    uploads = S3Uploads(make_client("uploads"), "selfrag-documents-1")
    with mock_aws():
        # A bucket of that name may be there or not: S3 is asked about the object alone.
        boto3.client("s3", region_name="us-east-1").create_bucket(Bucket="selfrag-documents-1")
        address = urlsplit(uploads.target(UploadRequest(key="c/a.md", size=1)).url)
    [policy] = page(uploads)["multiValueHeaders"]["Content-Security-Policy"]
    [connect] = [rule for rule in policy.split("; ") if rule.startswith("connect-src")]
    assert connect == f"connect-src 'self' {address.scheme}://{address.netloc}"
    assert connect.endswith(".amazonaws.com")


def test_a_page_without_a_bucket_asks_its_own_api_alone() -> None:
    assert "connect-src 'self';" in bundle.policy()


@pytest.mark.parametrize(("path", "status"), [("/v1/health", 200), ("/v1/openapi.json", 200), ("/v1/ask", 405)])
def test_head_gets_the_headers_of_get(path: str, status: int) -> None:
    got, head = (handler(event(method, path), CONTEXT) for method in ("GET", "HEAD"))
    assert head == got
    assert head["statusCode"] == status


def page(uploads: Uploads) -> dict[str, Any]:
    with bootstrap.using(uploads=uploads):
        replied = handler(event("GET", "/"), CONTEXT)
    assert replied["statusCode"] == 200
    return replied
