"""A file of each kind that is read goes through the deployed bucket, becomes ready, and is asked about and cited."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import boto3
import httpx2
import pytest

from infra.packages.zips import LAYERS
from selfrag.domain.documents import EXTENSIONS
from tests.support.documents.made_files import MAKERS, SCANNED, facts, made_files, question_about
from tests.support.documents.scans import scanned_pdf
from tests.support.enforced.record import Record
from tests.support.infra.asking import (
    COLLECTION,
    api_key,
    at,
    backends,
    decided,
    documents_held,
    documents_of,
    eventually,
    finished,
    host_packages,
    set_keys,
)
from tests.support.infra.emulator import Stack, emulator, record_of

MEGABYTE = 1024 * 1024


def test_there_is_a_made_up_file_of_each_kind_that_is_read() -> None:
    assert MAKERS.keys() == EXTENSIONS


@pytest.mark.longest(260)
@pytest.mark.slow
def test_a_file_of_each_kind_is_read_asked_about_and_cited(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    with backends() as (variables, collection, titan, textract), emulator(tmp_path) as aws:
        packages = host_packages(tmp_path / "packages")
        stack = Stack(aws, tmp_path / "stack", packages, {**variables, "text_recognition": True})
        stack.apply()
        decided(stack, collection, titan, textract, Record(record_of(tmp_path)))
        set_keys(stack)
        keys = {ending: f"documents/limits{ending}" for ending in facts()}
        files = {keys[ending]: content for ending, content in made_files().items()}
        files[SCANNED.key] = scanned_pdf(SCANNED.text)
        began = time.monotonic()
        load(stack, files)
        seconds = time.monotonic() - began
        assert documents_held(collection) == set(files)
        asked = {keys[ending]: fact for ending, fact in facts().items()} | {SCANNED.key: (SCANNED.city, SCANNED.euros)}
        with httpx2.Client(headers={"x-api-key": api_key(stack)}, timeout=60) as api:
            wrong = [told for key, (city, euros) in asked.items() if (told := unlike(stack, api, key, city, euros))]
    assert wrong == []
    sizes = {layer: (packages / f"{layer}.zip").stat().st_size / MEGABYTE for layer in LAYERS}
    record_property("figures", f"{len(files)} kinds of files ready after {seconds:.0f} s, each asked about and cited")
    record_property("figures", ", ".join(f"{layer}.zip {size:.1f} MiB" for layer, size in sizes.items()))


def load(stack: Stack, files: dict[str, bytes]) -> None:
    """Drop files into the bucket, one after another, and wait until each can be searched."""
    s3 = boto3.client("s3", **at(stack))

    def ended(key: str) -> str | None:
        found = {item["key"]["S"]: item for item in documents_of(stack, COLLECTION) if "status" in item}
        return f"{found[key]['status']['S']} {found[key].get('reason', {}).get('S', '')}" if key in found else None

    for key, content in files.items():
        s3.put_object(Bucket=stack.outputs()["bucket"], Key=key, Body=content)
        told = eventually(lambda key=key: ended(key), f"{key} was not ingested")  # type: ignore[misc]
        assert told.strip() == "ready", f"{key}: {told}"


def unlike(stack: Stack, api: httpx2.Client, key: str, city: str, euros: int) -> str:
    """What is wrong with the answer about a city; "" if it has its limit and cites its file."""
    asked = {"question": question_about(city), "policy": {"deadline_seconds": 120}}
    for _ in range(3):  # a cold function on a busy machine may take longer than its step may
        started = api.post(stack.url("/v1/questions"), json=asked)
        answer: dict[str, Any] = finished(api, stack.url(started.headers["location"].removeprefix("/live")))
        if answer["status"] not in ("failed", "partial"):
            break
    cited = {citation["document"] for citation in answer.get("citations", [])}
    right = answer["status"] == "answered" and str(euros) in answer["answer"] and key in cited
    return "" if right else f"{key}: {answer['status']}, {answer.get('answer')!r}, cites {sorted(cited)}"
