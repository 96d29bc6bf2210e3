"""Ingestion that is killed, not alone, or refused by a service: nothing is lost, and nothing written twice."""

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from datetime import timedelta
from functools import partial
from itertools import count
from types import SimpleNamespace
from typing import Any, cast

import pytest
import time_machine
from botocore.exceptions import NoCredentialsError

from selfrag import bootstrap
from selfrag.adapters.manifest import LEASE_SECONDS, DynamoManifest
from selfrag.bootstrap.ingestion import manifest, objects
from selfrag.ports.index import Index
from selfrag_cli.local.stack import INGESTION
from tests.support.aws.stack import deployed_handlers
from tests.support.ingesting import FIRST, KEY, SECOND, Ingestion, holds, ingestion

LONG = "".join(
    f"## Rule {n}\n\nRule number {n} allows {n * 7} things. {'Nothing else is said here. ' * 10}\n\n"
    for n in range(1000)
)


def test_executions_at_once_for_one_object_end_in_one_state(running: Ingestion) -> None:
    running.put(KEY, FIRST)
    with ThreadPoolExecutor(6) as pool:
        ended = list(pool.map(lambda _: running.done(KEY), range(6)))
    assert {output["action"] for output in ended} <= {"read", "busy", "nothing"}
    holds(running, "25 days")


def test_object_changed_during_ingestion_is_checked_again() -> None:
    embed = deployed_handlers(INGESTION)["embed_passages"]
    at_work, changed = threading.Event(), threading.Event()

    def slow(event: dict[str, Any], context: Any) -> Any:
        at_work.set()
        changed.wait(20)
        return embed(event, context)

    with ingestion({"embed_passages": slow}) as running, ThreadPoolExecutor(1) as pool:
        running.put(KEY, FIRST)
        first = pool.submit(running.done, KEY)
        at_work.wait(20)
        running.put(KEY, SECOND)
        assert running.done(KEY)["action"] == "busy"
        changed.set()
        assert first.result()["status"] == "ready"
        holds(running, "26 days")


def test_a_claim_of_an_execution_that_died_ends(running: Ingestion) -> None:
    with long_ago():
        manifest().claim(running.done(KEY)["document_id"], KEY, "handbook", "dead")
    running.put(KEY, FIRST)
    running.done(KEY)
    holds(running, "25 days")


def long_ago() -> AbstractContextManager[Any]:
    """Return a clock in the past, so that claims made then have expired an hour ago."""
    return time_machine.travel(-timedelta(seconds=LEASE_SECONDS + 3600))


class Crash(Exception):
    """A killed process: the call before it happened, and nothing after."""


class Killed:
    """A part of the steps whose process is killed at one call of a method, before the change or after it."""

    def __init__(self, part: Any, method: str, *, after: bool, at: int = 1) -> None:
        self._part, self._method, self._after, self._at = part, method, after, at
        self._numbers, self.happened = count(1), False

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._part, name)
        return partial(self._change, call) if name == self._method else call

    def _change(self, call: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        if next(self._numbers) != self._at:
            return call(*arguments, **named)
        if self._after:
            call(*arguments, **named)
        self.happened = True
        raise Crash


# Every place at which something outside is changed, before and after the change.
CHANGES = [
    (objects, "put_json"),
    (manifest, "claim"),
    (manifest, "put"),
    (manifest, "forget"),
    (manifest, "release"),
    (bootstrap.index, "add"),
    (bootstrap.index, "delete"),
]


@pytest.mark.long
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(("part", "method"), CHANGES)
def test_process_killed_at_any_change_loses_and_duplicates_nothing(
    running: Ingestion, part: Any, method: str, after: bool
) -> None:
    running.put(KEY, FIRST)
    running.done(KEY)
    running.put(KEY, SECOND)
    killed = Killed(part(), method, after=after)
    with bootstrap.using(**{part.__name__: killed}), long_ago():
        running.ingest(KEY)
    assert killed.happened
    running.done(KEY)
    holds(running, "26 days")
    assert running.record(KEY)["status"] == "ready"


@pytest.mark.long
def test_thousand_passages_survive_failing_items_and_crash_exactly_once(
    running: Ingestion, record_property: Callable[[str, str], None]
) -> None:
    running.collection.knobs.item_failure_rate = 0.1
    running.put("handbook/long.md", LONG.encode())
    # The passages of the 20th batch are written, and never recorded.
    with bootstrap.using(index=cast(Index, Killed(bootstrap.index(), "add", after=True, at=20))):
        first = running.done("handbook/long.md")
    assert first["status"] == "failed"
    assert "IndexPassages" in first["reason"]
    second = running.done("handbook/long.md")
    assert (second["status"], second["passages"]) == ("ready", 1000)
    texts = running.texts()
    assert Counter(texts.values()) == {1: 1000}
    assert running.recorded_ids() == running.indexed_ids()
    embedded = len(running.titan.texts)
    figures = f"1,000 passages, 10% of items failing, killed once: 0 lost, 0 twice; {embedded} embeddings in both runs"
    record_property("figures", figures)


def test_a_write_without_a_reply_is_looked_for_and_not_repeated(running: Ingestion) -> None:
    running.collection.knobs.lose_next_reply = True
    running.put(KEY, FIRST)
    assert running.done(KEY)["status"] == "ready"
    holds(running, "25 days")


def test_a_busy_index_is_waited_for(running: Ingestion) -> None:
    running.put(KEY, FIRST)
    running.collection.knobs.statuses.extend([503, 429, 503])
    assert running.done(KEY)["status"] == "ready"
    holds(running, "25 days")


def test_unusable_manifest_fails_execution_and_next_one_completes(running: Ingestion) -> None:
    running.put(KEY, FIRST)

    def refuse(**request: Any) -> None:
        raise NoCredentialsError()

    client: Any = SimpleNamespace(update_item=refuse)
    with bootstrap.using(manifest=DynamoManifest(client, "table")):
        assert running.ingest(KEY).output is None
    running.done(KEY)
    holds(running, "25 days")
