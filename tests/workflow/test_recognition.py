"""Text recognition through the ingestion's machine: pages that are pictures become passages, and are paid once."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from selfrag import bootstrap
from selfrag.adapters.textract import TextractRecognizer
from selfrag.bootstrap import ingestion as ingestion_parts
from selfrag_cli.local.stack import INGESTION
from tests.support.aws.stack import deployed_handlers
from tests.support.definition import INGESTION_MACHINE, lambda_tasks
from tests.support.documents.files import pdf
from tests.support.documents.scans import scanned_pdf
from tests.support.ingesting import Ingestion, holds, ingestion

KEY = "handbook/scan.pdf"


@pytest.fixture
def scanning() -> Iterator[Ingestion]:
    with ingestion(SELFRAG_TEXT_RECOGNITION="lines") as running:
        yield running


def looks(running: Ingestion, key: str = KEY) -> int:
    """Return how often the step of recognition runs for a document."""
    execution = running.ingest(key)
    assert execution.output, execution.error
    entered = [event.get("stateEnteredEventDetails", {}).get("name") for event in execution.history]
    return entered.count("RecognizePages")


def test_scanned_document_is_searchable_by_page_with_confidence(scanning: Ingestion) -> None:
    scanning.put(KEY, scanned_pdf("Leave is 25 days.", "Pay day is the 25th.", among="Staff handbook"))
    assert scanning.done(KEY)["status"] == "ready"
    holds(scanning, "Staff handbook", "Leave is 25 days.", "Pay day is the 25th.")
    told = [warning["S"] for warning in scanning.record(KEY)["warnings"]]
    assert told == [f"{KEY}: the text of 2 pages was recognised from pictures, with a confidence of 98%."]
    pages = {each.source["page"] for index in scanning.collection.indices.values() for each in index.documents}
    assert pages == {1, 2, 3}


def test_the_step_looks_again_until_textract_is_done(scanning: Ingestion) -> None:
    scanning.textract.knobs.looks = 4
    scanning.put(KEY, scanned_pdf("Leave is 25 days."))
    assert looks(scanning) == 5
    holds(scanning, "Leave is 25 days.")


def test_a_result_in_many_parts_is_read_whole(scanning: Ingestion) -> None:
    scanning.textract.knobs.part = 3
    scanning.put(KEY, scanned_pdf(*(f"Fact {n} is so.\nAnd it is true." for n in range(8))))
    assert scanning.done(KEY)["status"] == "ready"
    assert len(scanning.texts()) == 8


@contextmanager
def by_the_clock_of_textract() -> Iterator[tuple[Ingestion, list[float]]]:
    """Yield a stack whose recogniser has the double's clock, and the seconds of each run of the step."""
    deployed, seconds = deployed_handlers(INGESTION)["recognize_pages"], list[float]()

    def step(event: dict[str, Any], context: object) -> Any:
        real: Any = ingestion_parts.recognizer()
        began = running.textract.now
        timed = TextractRecognizer(real._client, real._bucket, lambda: running.textract.now)
        with bootstrap.using(recognizer=timed):
            result = deployed(event, context)
        seconds.append(running.textract.now - began)
        return result

    with ingestion({"recognize_pages": step}, SELFRAG_TEXT_RECOGNITION="lines") as running:
        running.textract.knobs.seconds = 0.3
        yield running, seconds


@pytest.mark.parametrize("parts", [225, pytest.param(1500, marks=pytest.mark.long)])
def test_multipart_result_is_read_in_several_runs_and_paid_once(parts: int, record_property: Any) -> None:
    with by_the_clock_of_textract() as (running, seconds):
        # So many words come after the lines.
        running.textract.knobs.part, running.textract.knobs.words = 10, 5 * parts - 10
        running.put(KEY, scanned_pdf("Leave is 25 days.", "Pay day is the 25th."))
        execution = running.ingest(KEY)
        assert execution.output, execution.error
        assert execution.output["status"] == "ready"
        assert max(len(json.dumps(event)) for event in execution.history) < 10_000, "no state holds what was read"
        holds(running, "Leave is 25 days.", "Pay day is the 25th.")
        assert (running.textract.pages, len(running.textract.jobs)) == (2, 1)
        read = running.textract.parts
    figures = f"{read} parts at 0.3 s: {len(seconds)} runs of at most {max(seconds):.1f} s"
    record_property("figures", figures)
    assert abs(read - parts) <= 8, "no part is read twice"
    (state,) = (each for each in lambda_tasks(INGESTION_MACHINE) if each.name == "RecognizePages")
    assert max(seconds) <= state.body["TimeoutSeconds"] / 2 + 1, figures


@pytest.mark.parametrize("code", ["ProvisionedThroughputExceededException", "InvalidParameterException"])
def test_a_result_whose_reading_is_interrupted_is_read_whole(code: str) -> None:
    with by_the_clock_of_textract() as (running, _):
        running.textract.knobs.part, running.textract.knobs.words = 10, 500
        running.textract.knobs.refuse_after = {70: code}
        running.put(KEY, scanned_pdf("Leave is 25 days.", "Pay day is the 25th."))
        assert running.done(KEY)["status"] == "ready"
        holds(running, "Leave is 25 days.", "Pay day is the 25th.")
        assert running.textract.pages == 2
        # Textract may know a token no longer: then the result is read from its beginning.
        assert (running.textract.parts > 150) == (code == "InvalidParameterException")


def test_the_same_pages_are_paid_once_whatever_the_file_is_called(scanning: Ingestion) -> None:
    for key in (KEY, "handbook/copy.pdf"):
        scanning.put(key, scanned_pdf("Leave is 25 days."))
        assert scanning.done(key)["status"] == "ready"
    scanning.delete(KEY)
    scanning.done(KEY)
    scanning.put(KEY, scanned_pdf("Leave is 25 days."))
    assert looks(scanning) == 1, "what is known is not waited for"
    assert (scanning.textract.pages, len(scanning.textract.jobs)) == (1, 1)


def test_interrupted_run_resumes_its_recognition_job() -> None:
    step, calls = deployed_handlers(INGESTION)["recognize_pages"], []

    def broken(event: dict[str, str], context: object) -> object:
        calls.append(event["job"])
        if len(calls) == 1:
            step(event, context)
            raise RuntimeError("the reply of the step is lost")
        return step(event, context)

    with ingestion({"recognize_pages": broken}, SELFRAG_TEXT_RECOGNITION="lines") as running:
        running.put(KEY, scanned_pdf("Leave is 25 days."))
        assert running.done(KEY)["reason"] == "RecognizePages gave no result (RuntimeError)."
        assert running.done(KEY)["status"] == "ready"
        assert len(running.textract.jobs) == 1


@pytest.mark.long
def test_a_recognition_without_an_end_is_left_to_another_run(scanning: Ingestion) -> None:
    scanning.textract.knobs.looks = 10**6
    scanning.put(KEY, scanned_pdf("Leave is 25 days."))
    done = scanning.done(KEY)
    assert (done["status"], "did not end within half an hour" in done["reason"]) == ("failed", True)
    scanning.textract.knobs.looks = 0
    assert scanning.done(KEY)["status"] == "ready"
    assert scanning.textract.pages == 1


def test_disabled_recognition_never_calls_textract_and_explains_how_to_enable() -> None:
    with ingestion() as running:
        running.put(KEY, scanned_pdf("Leave is 25 days."))
        done = running.done(KEY)
        assert done["status"] == "failed"
        assert '`text_recognition = "lines"`' in done["reason"]
        running.put(KEY, pdf("Leave is 26 days."))
        assert running.done(KEY)["status"] == "ready"
        assert running.textract.jobs == {}
