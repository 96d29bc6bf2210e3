"""The ingestion machine over the doubles of the collection and the embedder."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import boto3
from botocore.exceptions import ClientError

from selfrag.domain.documents import document_id
from selfrag_cli.local.stack import INGESTION
from tests.support.aws.resources import DOCUMENTS_BUCKET, DOCUMENTS_TABLE
from tests.support.aws.stack import Execution, LocalStack, deployed_handlers, running_stack
from tests.support.doubles.opensearch_double import OpenSearchDouble
from tests.support.doubles.textract_double import TextractDouble
from tests.support.doubles.titan_double import TitanDouble
from tests.support.roles.recorded import NOBODY, as_caller, recording
from tests.support.roles.roles import check_roles

# moto's own credentials.
KEYS = {"FOOBARKEY": "FOOBARSECRET"}
# A document, and its changed text.
KEY = "handbook/leave.md"
FIRST, SECOND = b"# Leave\n\nLeave is 25 days.\n", b"# Leave\n\nLeave is 26 days.\n"


@dataclass(frozen=True)
class Ingestion:
    """A running stack with a bucket, an index and a manifest."""

    stack: LocalStack
    collection: OpenSearchDouble
    titan: TitanDouble
    textract: TextractDouble

    def put(self, key: str, content: bytes, **metadata: str) -> None:
        boto3.client("s3").put_object(Bucket=DOCUMENTS_BUCKET, Key=key, Body=content, Metadata=metadata)

    def delete(self, key: str) -> None:
        boto3.client("s3").delete_object(Bucket=DOCUMENTS_BUCKET, Key=key)

    def ingest(self, key: str) -> Execution:
        return self.stack.ingest(key)

    def done(self, key: str) -> dict[str, Any]:
        """Ingest, and return the execution's output."""
        execution = self.ingest(key)
        assert execution.output is not None, execution.error
        return execution.output

    def texts(self) -> Counter[str]:
        """Return what can be searched now, and how often each text is there."""
        return Counter(
            str(document.source["text"])
            for index in self.collection.indices.values()
            for document in index.documents
            if document.until == float("inf")
        )

    def record(self, key: str) -> dict[str, Any]:
        """Return a document's manifest entry."""
        where = {"id": {"S": document_id(DOCUMENTS_BUCKET, key)}, "part": {"S": "document"}}
        item = boto3.client("dynamodb").get_item(TableName=DOCUMENTS_TABLE, Key=where)["Item"]
        return {name: next(iter(value.values())) for name, value in item.items()}

    def recorded_ids(self) -> list[str]:
        """Return the index's own ids of all passages that the manifest knows."""
        pages = boto3.client("dynamodb").get_paginator("scan").paginate(TableName=DOCUMENTS_TABLE)
        items = [item for page in pages for item in page["Items"]]
        return sorted(known["S"] for item in items if "ids" in item for known in item["ids"]["M"].values())

    def indexed_ids(self) -> list[str]:
        """Return the ids of all passages that the index holds."""
        return sorted(
            document.id
            for index in self.collection.indices.values()
            for document in index.documents
            if document.until == float("inf")
        )


@contextmanager
def ingestion(
    handlers: Mapping[str, Any] | None = None,
    pause: Callable[[float], None] = lambda seconds: None,
    **environment: str,
) -> Iterator[Ingestion]:
    """Yield the machine with the deployed handlers, some of them replaced; nothing waits but `pause`.

    Afterwards the roles decide what functions and machine called.
    """
    with TitanDouble() as titan, TextractDouble(object_of) as textract, OpenSearchDouble(KEYS) as collection:
        settings = {
            "SELFRAG_COLLECTION_ENDPOINT": collection.url,
            "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": titan.url,
            "AWS_ENDPOINT_URL_TEXTRACT": textract.url,
            "SELFRAG_VIEW_SECONDS": "0",
            **environment,
        }
        known = {**deployed_handlers(INGESTION), **(handlers or {})}
        named = {name: as_caller(name, handler) for name, handler in known.items()}
        with (
            running_stack(settings, {}, handlers=named, pause=pause) as stack,
            recording() as calls,
        ):
            yield Ingestion(stack, collection, titan, textract)
        check_roles(calls)


def object_of(bucket: str, name: str) -> bytes | None:
    """An object of the local stack, for a double; who may read it is decided where its caller asks the double."""
    found: list[bytes] = []

    def get(event: dict[str, Any], context: Any) -> None:
        with suppress(ClientError):
            found.append(boto3.client("s3").get_object(Bucket=bucket, Key=name)["Body"].read())

    as_caller(NOBODY, get)({}, None)
    return found[0] if found else None


def holds(running: Ingestion, *sentences: str) -> None:
    """The index holds a passage with each sentence, once, and no other; the manifest knows all of them."""
    texts = running.texts()
    assert sum(texts.values()) == len(sentences)
    assert all(any(sentence in text for text in texts) for sentence in sentences)
    assert running.recorded_ids() == running.indexed_ids()
