"""A file of each kind that is read, through a deployment: loaded, asked about, and cited."""

from typing import Any

import boto3

from tests.support.documents.made_files import MAKERS, SCANNED, facts, made_files, question_about
from tests.support.documents.scans import scanned_pdf
from tests.support.infra.asking import COLLECTION, at, documents_of, eventually, finished, patient_client
from tests.support.infra.emulator import Stack

# A PDF whose pages are pictures, which Textract reads.
SCANNED_KIND = "scanned"


def kinds_of_files() -> list[str]:
    """Return the extensions of the supported files, and an unsupported one."""
    return [*sorted(MAKERS), SCANNED_KIND]


def a_file_is_read_asked_about_and_cited(stack: Stack, kind: str) -> None:
    """Drop a file of a kind into the bucket, wait until it is ready, and ask for the fact that only it holds."""
    if kind == SCANNED_KIND:
        key, content, (city, euros) = SCANNED.key, scanned_pdf(SCANNED.text), (SCANNED.city, SCANNED.euros)
    else:
        key, content, (city, euros) = f"documents/limits{kind}", made_files()[kind], facts()[kind]
    boto3.client("s3", **at(stack)).put_object(Bucket=stack.outputs()["bucket"], Key=key, Body=content)
    assert eventually(lambda: _standing(stack, key), f"{key} was not ingested") == "ready"
    answer = _answer(stack, question_about(city))
    assert (answer["status"], str(euros) in answer["answer"]) == ("answered", True), answer
    assert key in {citation["document"] for citation in answer["citations"]}


def _standing(stack: Stack, key: str) -> str | None:
    """Return a document's status and its reason; None during its ingestion."""
    [found] = [item for item in documents_of(stack, COLLECTION) if item["key"]["S"] == key] or [{}]
    return f"{found['status']['S']} {found.get('reason', {}).get('S', '')}".strip() if "status" in found else None


def _answer(stack: Stack, question: str) -> dict[str, Any]:
    asked = {"question": question, "policy": {"deadline_seconds": 240}}
    with patient_client(stack) as api:
        started = api.post(stack.url("/v1/questions"), json=asked)
        return finished(api, stack.url(started.headers["location"].removeprefix("/live")))
