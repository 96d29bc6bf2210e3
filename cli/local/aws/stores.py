"""What the stores of the local stack hold of one document: nothing before it is ingested, and nothing after."""

from collections.abc import Iterator
from contextlib import contextmanager

import boto3

from cli.local.aws.manifest import KeptManifest
from cli.local.aws.resources import DOCUMENTS_BUCKET, DOCUMENTS_TABLE, WORK_BUCKET


class Stores:
    """The buckets and the table of documents; what the table holds is on disk, too, when the workflow has written it.

    They lie in the memory of this process, which would grow with every document.
    """

    def __init__(self, kept: KeptManifest) -> None:
        self._kept = kept
        self._s3, self._dynamodb = boto3.client("s3"), boto3.client("dynamodb")

    @contextmanager
    def holding(self, identity: str, key: str, content: bytes | None) -> Iterator[None]:
        """Hold an object, unless its content is None, with what the manifest knows of it, during the block."""
        for item in self._kept.items(identity):
            self._dynamodb.put_item(TableName=DOCUMENTS_TABLE, Item=item)
        if content is not None:
            self._s3.put_object(Bucket=DOCUMENTS_BUCKET, Key=key, Body=content)
        yield
        self._s3.delete_object(Bucket=DOCUMENTS_BUCKET, Key=key)
        pages = self._s3.get_paginator("list_objects_v2").paginate(Bucket=WORK_BUCKET, Prefix=f"{identity}/")
        for page in pages:
            names = [{"Key": found["Key"]} for found in page.get("Contents", [])]
            if names:
                self._s3.delete_objects(Bucket=WORK_BUCKET, Delete={"Objects": names})
        for item in self._kept.items(identity):
            place = {name: item[name] for name in ("id", "part")}
            self._dynamodb.delete_item(TableName=DOCUMENTS_TABLE, Key=place)
