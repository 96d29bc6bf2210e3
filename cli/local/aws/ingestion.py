"""The ingestion workflow in the local stack, for some objects; the bucket holds each of them only while it is read."""

import json
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

import boto3

from cli.local.aws.definitions import INGESTION
from cli.local.aws.interpreter import LambdaHandler
from cli.local.aws.lighter.programs import kept_programs
from cli.local.aws.manifest import KeepingClient, KeptManifest
from cli.local.aws.resources import DOCUMENTS_BUCKET, DOCUMENTS_TABLE, WORK_BUCKET
from cli.local.aws.stack import INGESTION_ARN, deployed_handlers, running_stack
from ingestion.split_document.logic import BATCH
from selfrag import bootstrap
from selfrag.adapters.manifest import DynamoManifest
from selfrag.domain.documents import document_id
from selfrag.domain.errors import Misconfigured, SelfragError

# Embedding takes one core and the interpreter, which is Python, another; more threads only wait for each other.
AT_ONCE = 3

# The bytes of an object, or None if there is none.
Read = Callable[[str], bytes | None]
# Called with an object's key, the passage that is embedded (counted from 1, 0 for none), and whether it is done.
OnObject = Callable[[str, int, bool], None]


def ingest_objects(
    keys: Sequence[str],
    read: Read,
    kept: KeptManifest,
    environment: Mapping[str, str],
    parts: bootstrap.Parts,
    on_object: OnObject,
) -> None:
    """Run the workflow for each object; what became of it stands in the manifest.

    Raises Misconfigured when a step says so, for it would be the same with every other document.
    """
    run = _Run(keys, read, kept, on_object)
    handlers = {name: run.watched(name, handler) for name, handler in deployed_handlers(INGESTION).items()}
    # Every write can be searched at once here.
    settings = {**environment, "SELFRAG_VIEW_SECONDS": "0"}
    with running_stack(settings, {}, parts=parts, handlers=handlers, pause=run.pause, parse=kept_programs()):
        manifest = DynamoManifest(KeepingClient(boto3.client("dynamodb"), kept), DOCUMENTS_TABLE)
        with bootstrap.using(manifest=manifest):
            run.to_the_end()


@dataclass(frozen=True)
class _News:
    """What a thread tells: that it works on a passage of an object, or has ended with it, perhaps by an error."""

    key: str
    passage: int = 0
    ended: bool = False
    error: Exception | None = None


class _Stopped(SelfragError):
    """The command ends, so no step begins any more."""


class _Run:
    """One execution for each key, some at a time."""

    def __init__(self, keys: Sequence[str], read: Read, kept: KeptManifest, on_object: OnObject) -> None:
        self._keys = {document_id(DOCUMENTS_BUCKET, key): key for key in keys}
        self._read = read
        self._kept = kept
        self._on_object = on_object
        self._news: SimpleQueue[_News] = SimpleQueue()
        self._stopped = threading.Event()

    def watched(self, name: str, handler: LambdaHandler) -> LambdaHandler:
        """A step that tells what it works on, and does not begin when the run is to end."""

        def watched(event: dict[str, Any], context: Any) -> Any:
            if self._stopped.is_set():
                raise _Stopped("the command was ended")
            if name == "embed_passages":
                identity, _, batch = event["passages_key"].partition("/")
                number = int(batch.rpartition("-")[2].removesuffix(".json"))
                self._news.put(_News(self._keys[identity], BATCH * number + 1))
            try:
                return handler(event, context)
            except Misconfigured as error:
                self._news.put(_News("", error=error))
                raise

        return watched

    def pause(self, seconds: float) -> None:
        """Wait before a step is tried again, unless the run is to end."""
        self._stopped.wait(seconds)

    def to_the_end(self) -> None:
        """Start the executions, and tell of them in this thread until all have ended."""
        self._s3, self._states, self._dynamodb = map(boto3.client, ("s3", "stepfunctions", "dynamodb"))
        before = set(threading.enumerate())
        threads = ThreadPoolExecutor(AT_ONCE)
        done = 0
        try:
            for identity, key in self._keys.items():
                threads.submit(self._ingest, identity, key)
            while done < len(self._keys):
                news = self._news.get()
                if news.error:
                    raise news.error
                done += news.ended
                self._on_object(news.key, news.passage, news.ended)
        finally:
            # What runs has to end before the stack does, or its steps would call the real AWS; of an execution that
            # failed, moto leaves the batches that were not the cause at work.
            self._stopped.set()
            threads.shutdown(cancel_futures=True)
            for thread in set(threading.enumerate()) - before:
                thread.join()

    def _ingest(self, identity: str, key: str) -> None:
        self._news.put(_News(key))
        try:
            self._execute(identity, key)
        except Exception as error:
            self._news.put(_News(key, error=error))
        else:
            self._news.put(_News(key, ended=True))

    def _execute(self, identity: str, key: str) -> None:
        for item in self._kept.items(identity):
            self._dynamodb.put_item(TableName=DOCUMENTS_TABLE, Item=item)
        content = self._read(key)
        if content is not None:
            self._s3.put_object(Bucket=DOCUMENTS_BUCKET, Key=key, Body=content)
        # Unlike StartExecution it says when the execution has ended.
        ended = self._states.start_sync_execution(
            stateMachineArn=INGESTION_ARN,
            name=uuid.uuid4().hex,
            input=json.dumps({"bucket": DOCUMENTS_BUCKET, "key": key}),
        )
        if ended["status"] != "SUCCEEDED":
            raise SelfragError(f"{key} was not ingested: {ended.get('cause') or ended.get('error')}")
        self._forget_objects(identity, key)

    def _forget_objects(self, identity: str, key: str) -> None:
        self._s3.delete_object(Bucket=DOCUMENTS_BUCKET, Key=key)
        pages = self._s3.get_paginator("list_objects_v2").paginate(Bucket=WORK_BUCKET, Prefix=f"{identity}/")
        for page in pages:
            names = [{"Key": found["Key"]} for found in page.get("Contents", [])]
            if names:
                self._s3.delete_objects(Bucket=WORK_BUCKET, Delete={"Objects": names})
