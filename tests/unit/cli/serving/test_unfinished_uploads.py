"""Uploads that do not end hold no memory, however many there are."""

import asyncio
import contextlib
import tracemalloc
from http import HTTPStatus
from pathlib import Path
from typing import Any

from selfrag.domain.questions import UploadRequest
from selfrag_cli.local.serving.bucket import DirectoryBucket, Folder
from selfrag_cli.local.serving.gateway import ServedApi

SIZE, UPLOADS = 4_000_000, 20
PART = b"x" * (SIZE // 100)


def test_twenty_unfinished_uploads_of_four_megabytes_take_less_memory_than_one(tmp_path: Path) -> None:
    bucket = DirectoryBucket(Folder(tmp_path, "c"), "http://127.0.0.1", lambda key, etag: None)

    def unused(*of: Any) -> Any:
        raise AssertionError("no request reaches the API")

    api = ServedApi(unused, unused, bucket, ())

    async def upload(number: int, all_at_work: asyncio.Event) -> None:
        target = bucket.target(UploadRequest(key=f"c/{number}.txt", size=SIZE))
        sent = [PART] * 99  # the last part does not come

        async def receive() -> dict[str, Any]:
            if sent:
                return {"type": "http.request", "body": sent.pop(), "more_body": True}
            waiting.append(number)
            if len(waiting) == UPLOADS:
                all_at_work.set()
            await asyncio.Event().wait()
            raise AssertionError

        async def send(message: dict[str, Any]) -> None:
            assert message.get("status") != HTTPStatus.NO_CONTENT

        headers = [(b"host", b"127.0.0.1"), (b"content-length", str(SIZE).encode())]
        path = target.url.removeprefix("http://127.0.0.1")
        scope = {"type": "http", "method": "PUT", "path": path, "raw_path": path.encode(), "headers": headers}
        await api({**scope, "query_string": b"", "http_version": "1.1"}, receive, send)

    waiting: list[int] = []

    async def all_of_them() -> int:
        all_at_work = asyncio.Event()
        tracemalloc.start()
        tasks = [asyncio.create_task(upload(number, all_at_work)) for number in range(UPLOADS)]
        await asyncio.wait_for(all_at_work.wait(), 30)
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        for task in tasks:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        return held

    assert asyncio.run(all_of_them()) < SIZE
