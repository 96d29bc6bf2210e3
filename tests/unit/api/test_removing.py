"""A deleted document is `removing` until the deletion is through, in whatever order the bucket tells of it."""

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from selfrag.api.documents.listing import DocumentEntry, document_of
from selfrag.api.documents.removal import remove
from selfrag.bootstrap import ingestion
from selfrag.domain.documents import document_id
from selfrag.domain.errors import TemporarilyUnavailable
from selfrag.ingestion.claim_document.logic import ClaimDocumentTask as Look
from selfrag.ingestion.claim_document.logic import claim
from selfrag.ingestion.record_document.logic import RecordDocumentTask as Found
from selfrag.ingestion.record_document.logic import record
from selfrag.ports.manifest import Manifest
from tests.support.aws.resources import DOCUMENTS_BUCKET
from tests.support.aws.stack import running_stack

_NUMBERS = count()


class World:
    """A bucket with versions of one object, the manifest, and executions that read and write on demand."""

    def __init__(self, manifest: Manifest) -> None:
        self.manifest = manifest
        self.key = f"hr/{next(_NUMBERS)}.md"
        self.identity = document_id(DOCUMENTS_BUCKET, self.key)
        self.version: str | None = None
        self.refuses = False
        self.events = 0
        self.begun: list[Callable[[], bool]] = []

    def head(self, bucket: str, key: str) -> str | None:
        return self.version

    def delete(self, key: str) -> None:
        if self.refuses:
            raise TemporarilyUnavailable("The bucket cannot be reached.")
        self.version = None
        self.events += 1

    def upload(self) -> None:
        self.version = f"v{next(_NUMBERS)}"
        self.events += 1

    def shown(self) -> DocumentEntry | None:
        known = self.manifest.read(self.identity)
        return document_of(known) if known else None

    def status(self) -> str | None:
        document = self.shown()
        return document.status if document else None

    def ask_to_delete(self) -> None:
        document = self.shown()
        if document:
            told = remove(document, self.manifest, self)  # type: ignore[arg-type]
            assert told.status == "removing"

    def look(self) -> None:
        """An execution begins, for the oldest event if there is one, and looks at the bucket."""
        self.events = max(0, self.events - 1)
        self._claim(f"execution {next(_NUMBERS)}")

    def write(self) -> None:
        """Write the result of the execution that started first."""
        if self.begun:
            self.begun.pop(0)()

    def settle(self) -> None:
        while self.events or self.begun:
            if self.events:
                self.look()
            self.write()

    def _claim(self, execution: str) -> None:
        task = Look(bucket=DOCUMENTS_BUCKET, key=self.key, execution=execution)
        found = claim(task, self, self.manifest, "1")  # type: ignore[arg-type]
        if found.action not in ("read", "remove"):
            return
        values: dict[str, Any] = {"status": "removed"} if found.action == "remove" else {"status": "ready"}
        values |= {"document_id": self.identity, "key": self.key, "collection": "hr", "execution": execution}

        def write() -> bool:
            again = record(Found(**values, version=found.version), self.manifest).again
            if again:
                self._claim(execution)
            return again

        self.begun.append(write)


@pytest.fixture(scope="module")
def manifest() -> Iterator[Manifest]:
    with running_stack({}, {}, handlers={"none": lambda event, context: None}):
        yield ingestion.manifest()


@pytest.fixture
def world(manifest: Manifest) -> World:
    """Return a document that is ready."""
    made = World(manifest)
    made.upload()
    made.settle()
    assert made.status() == "ready"
    return made


def test_a_deleted_document_is_removing_until_its_passages_are_gone(world: World) -> None:
    world.ask_to_delete()
    assert world.status() == "removing"
    world.look()
    assert world.status() == "removing"
    world.ask_to_delete()
    world.write()
    world.settle()
    assert world.status() is None


def test_document_deleted_during_ingestion_never_becomes_ready(world: World) -> None:
    world.upload()
    world.look()
    world.ask_to_delete()
    world.write()
    assert world.status() == "removing"
    world.settle()
    assert world.status() is None


def test_reupload_during_a_deletion_is_ready_after_ingestion(world: World) -> None:
    world.ask_to_delete()
    world.upload()
    assert world.status() == "removing"
    world.settle()
    assert world.status() == "ready"


def test_a_deletion_that_the_bucket_refuses_leaves_the_document_as_it_was(world: World) -> None:
    world.refuses = True
    with pytest.raises(TemporarilyUnavailable):
        world.ask_to_delete()
    assert (world.status(), world.version is None) == ("ready", False)
    world.refuses = False
    world.ask_to_delete()
    world.refuses = True
    with pytest.raises(TemporarilyUnavailable):
        world.ask_to_delete()
    assert world.status() == "removing"


def test_deletion_that_leaves_passages_is_failed_with_reason(world: World) -> None:
    world.ask_to_delete()
    found = claim(Look(bucket=DOCUMENTS_BUCKET, key=world.key, execution="e"), world, world.manifest, "1")  # type: ignore[arg-type]
    assert found.action == "remove"
    told = "RemovePassages gave no result (TemporarilyUnavailable)."
    values = {"document_id": world.identity, "key": world.key, "collection": "hr", "execution": "e"}
    record(Found.model_validate({**values, "status": "failed", "reason": told}), world.manifest)
    document = world.shown()
    assert document is not None
    assert (document.status, document.reason) == ("failed", told)


def test_deleting_unknown_document_creates_no_record(world: World) -> None:
    world.manifest.begin_deletion("0" * 32, 1)
    assert world.manifest.read("0" * 32) is None


steps = st.lists(st.sampled_from(["upload", "delete", "refused", "look", "write"]), max_size=12)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps)
def test_final_status_matches_the_bucket_in_any_order_of_events(manifest: Manifest, taken: list[str]) -> None:
    world = World(manifest)
    for step in taken:
        if step == "upload":
            world.upload()
        elif step == "look":
            world.look()
        elif step == "write":
            world.write()
        else:
            world.refuses = step == "refused"
            before, there = world.status(), world.version
            try:
                world.ask_to_delete()
            except TemporarilyUnavailable:
                assert (world.status(), world.version) == (before, there)
            else:
                assert world.status() == ("removing" if before else None)
    world.settle()
    assert world.status() == ("ready" if world.version else None)
