"""Reindexing as its definition says it: which documents count as done, which are waited for, which are listed.

Its run is in tests/infra/test_apply.py: the interpreter of the laptop cannot start one machine from another.
"""

import json
import re
from typing import Any

import pytest

from selfrag.adapters.manifest import LEASE_SECONDS
from selfrag_cli.local.runner.jsonata import evaluate
from selfrag_cli.local.stack import placeholders
from tests.support.command import ROOT
from tests.support.definition import INGESTION_MACHINE, REINDEX, REINDEX_MACHINE
from tests.support.templates import template

DOCUMENTS = REINDEX_MACHINE["States"]["IngestDocuments"]
STATES = DOCUMENTS["ItemProcessor"]["States"]
OBJECT = {"bucket": "b", "key": 'people/a "b" {c}\\.md'}


def after(state: str, given: Any, result: Any = None) -> Any:
    """Return the input of the next state."""
    return template(STATES[state]["Output"], {"states": {"input": given, "result": result}})


def routed(**ended: Any) -> tuple[str, Any]:
    """Return the next state after an ingestion with this end, and its input."""
    output = {"key": OBJECT["key"], "action": "read", "status": "ready", "reason": "", "unfinished": False, **ended}
    given = after("IngestDocument", {**OBJECT, "waits": output.pop("waits", 0)}, {"Output": output})
    for choice in STATES["RouteIngested"]["Choices"]:
        bindings = {"states": {"input": given}}
        if evaluate(choice["Condition"][2:-2], bindings):
            return choice["Next"], template(choice.get("Output", given), bindings)
    return STATES["RouteIngested"]["Default"], given


def test_reindexing_passes_ingestion_same_object_for_any_key() -> None:
    context = {"Map": {"Item": {"Value": {"Key": OBJECT["key"], "Size": 1}}}}
    given = template({**DOCUMENTS["ItemSelector"], "bucket": "b"}, {"states": {"context": context}})
    started = template(STATES["IngestDocument"]["Arguments"], {"states": {"input": given}})["Input"]
    assert started == OBJECT
    read = template(INGESTION_MACHINE["States"]["ReadEvent"]["Assign"], {"states": {"input": started}})
    assert (read["bucket"], read["key"]) == (OBJECT["bucket"], OBJECT["key"])


@pytest.mark.parametrize("given", [{}, {"prefix": ""}])
def test_without_a_prefix_all_of_the_bucket_is_looked_at(given: dict[str, str]) -> None:
    assert template(REINDEX_MACHINE["States"]["ReadPrefix"]["Output"], {"states": {"input": given}}) == {"prefix": ""}


@pytest.mark.parametrize("action", ["read", "nothing", "remove"])
def test_a_document_that_is_done_is_not_waited_for(action: str) -> None:
    assert routed(action=action)[0] == "Ingested"


def test_document_exceeding_one_hour_is_continued_at_once() -> None:
    assert routed(status="failed", unfinished=True)[0] == "IngestDocument"


def test_output_without_unfinished_field_counts_as_finished() -> None:
    output = {"key": OBJECT["key"], "action": "read", "status": "ready", "reason": ""}
    assert after("IngestDocument", {**OBJECT, "waits": 0}, {"Output": output})["unfinished"] is False


def test_document_recorded_as_failed_counts_as_failed_with_reason() -> None:
    target, given = routed(status="failed", reason="a.pdf is damaged.")
    assert (target, given) == ("NotIngested", {"error": "DocumentFailed", "cause": "a.pdf is damaged."})
    assert template(STATES["NotIngested"]["Cause"], {"states": {"input": given}}) == "a.pdf is damaged."


def test_stopped_execution_blocks_its_document_until_the_claim_expires() -> None:
    waits, target, given = 0, *routed(action="busy")
    while target == "WaitForOther":
        given = after("WaitForOther", given)
        waits += 1
        assert given == {**OBJECT, "waits": waits}
        target, given = routed(action="busy", waits=waits)
    assert (target, given["error"]) == ("NotIngested", "DocumentBusy")
    assert waits * STATES["WaitForOther"]["Seconds"] > LEASE_SECONDS


def test_an_execution_of_the_ingestion_may_take_all_of_its_time() -> None:
    assert STATES["IngestDocument"]["TimeoutSeconds"] > INGESTION_MACHINE["TimeoutSeconds"]


def test_broken_document_harms_no_other_and_redrive_resumes_missing_ones() -> None:
    assert DOCUMENTS["ToleratedFailurePercentage"] == 100
    assert "Catch" not in DOCUMENTS
    assert DOCUMENTS["ItemProcessor"]["ProcessorConfig"] == {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"}


def test_every_document_that_did_not_succeed_is_counted_as_failed() -> None:
    counts = {"Total": 10, "Succeeded": 6, "Failed": 1, "TimedOut": 1, "Aborted": 2}
    bindings = {
        "states": {
            "input": {"prefix": "p", "map_run": "m", "results": "s3://results/manifest.json"},
            "result": {"ItemCounts": counts},
        }
    }
    output = template(REINDEX_MACHINE["States"]["CountDocuments"]["Output"], bindings)
    assert (output["succeeded"], output["failed"], output["results"]) == (6, 4, "s3://results/manifest.json")


def test_distributed_map_items_read_no_outer_variable() -> None:
    assert not re.findall(r"\$(?!states\b|exists\b)\w+", json.dumps(STATES))


def test_terraform_fills_in_all_placeholders_of_the_definition() -> None:
    filled = (ROOT / "infra" / "machines.tf").read_text(encoding="utf-8")
    named = placeholders(REINDEX)
    assert named == {"documents_bucket", "work_bucket", "ingestion_machine", "reindex_concurrency"}
    assert all(re.search(rf"^ +{name} += ", filled, re.M) for name in named)
