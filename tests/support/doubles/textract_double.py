"""A loopback server that replaces Amazon Textract: the asynchronous operations, and their errors.

It reads a document of a bucket, keeps a job for a token, and returns results in parts. A page's text is the text in its
pictures.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from pypdfium2 import PdfiumError
from werkzeug.wrappers import Request, Response

from tests.support.documents.scans import spelled
from tests.support.loopback import Loopback

MAX_PAGES, MAX_BYTES = 3000, 500 * 1024 * 1024
_SIGNED = re.compile(r"Credential=[^ ]*/textract/aws4_request")
_TOKEN = re.compile(r"[a-zA-Z0-9-_]{1,64}")
_PICTURES = (b"\x89PNG", b"\xff\xd8", b"II*\0", b"MM\0*")


@dataclass
class Knobs:
    """A test's settings: polls until a job ends, its status, coming refusals, blocks per part, concurrent jobs."""

    looks: int = 1
    status: str = "SUCCEEDED"
    message: str = ""
    refusals: list[str] = field(default_factory=list)
    part: int = 1000
    at_once: int = 100
    confidence: float = 98.0
    # Pages that it cannot read, from 1.
    unread: set[int] = field(default_factory=set)
    # Words more on each page, which make a result of more parts; the seconds of a reply, by the double's own clock; the
    # code of the refusal after so many parts.
    words: int = 0
    seconds: float = 0.0
    refuse_after: dict[int, str] = field(default_factory=dict)


@dataclass
class _Job:
    where: Any
    pages: list[str]
    looks: int = 0
    blocks: list[dict[str, Any]] = field(default_factory=list)


class TextractDouble(Loopback):
    """A context manager: inside it, Textract answers at `url`; `pages` counts those that would be paid.

    `read` returns the bytes of a bucket's object, None if it is missing.
    """

    def __init__(self, read: Callable[[str, str], bytes | None]) -> None:
        super().__init__(self._respond)
        self.knobs, self.pages, self.jobs = Knobs(), 0, dict[str, _Job]()
        self.now, self.parts = 0.0, 0
        self.read, self._tokens = read, dict[str, str]()

    def _respond(self, request: Request) -> Response:
        operation = request.headers.get("x-amz-target", "").removeprefix("Textract.")
        if not _SIGNED.search(request.headers.get("authorization", "")):
            return _refused("AccessDeniedException")
        if self.knobs.refusals:
            return _refused(self.knobs.refusals.pop(0))
        asked = json.loads(request.get_data())
        return {"StartDocumentTextDetection": self._start, "GetDocumentTextDetection": self._get}[operation](asked)

    def _start(self, asked: dict[str, Any]) -> Response:
        token, where = asked.get("ClientRequestToken", ""), asked["DocumentLocation"]["S3Object"]
        if not _TOKEN.fullmatch(token):
            return _refused("ValidationException")
        if known := self._tokens.get(token):
            same = self.jobs[known].where == where
            return _answer({"JobId": known}) if same else _refused("IdempotentParameterMismatchException")
        if sum(job.looks <= self.knobs.looks for job in self.jobs.values()) >= self.knobs.at_once:
            return _refused("LimitExceededException")
        content = self.read(where["Bucket"], where["Name"])
        if content is None:
            return _refused("InvalidS3ObjectException")
        try:
            pages = _pages(content)
        except PdfiumError:
            return _refused("UnsupportedDocumentException")
        if len(content) > MAX_BYTES or len(pages) > MAX_PAGES:
            return _refused("DocumentTooLargeException")
        self.pages += len(pages)
        job = self._tokens[token] = f"job-{len(self.jobs)}"
        self.jobs[job] = _Job(where, pages)
        return _answer({"JobId": job})

    def _get(self, asked: dict[str, Any]) -> Response:
        self.now += self.knobs.seconds
        if code := self.knobs.refuse_after.pop(self.parts, ""):
            return _refused(code)
        job = self.jobs.get(asked["JobId"])
        if job is None:
            return _refused("InvalidJobIdException")
        job.looks += 1
        if job.looks <= self.knobs.looks:
            return _answer({"JobStatus": "IN_PROGRESS"})
        told = {"JobStatus": self.knobs.status, "StatusMessage": self.knobs.message}
        if self.knobs.status == "FAILED":
            return _answer(told)
        job.blocks = job.blocks or self._blocks(job)
        blocks, size = job.blocks, min(asked.get("MaxResults", 1000), self.knobs.part)
        starts = {str(start): (start, end) for start, end in pairwise([*range(0, len(blocks), size), len(blocks)])}
        if asked.get("NextToken", "0") not in starts:
            return _refused("InvalidParameterException")
        start, end = starts[asked.get("NextToken", "0")]
        self.parts += 1
        more = {} if end == len(blocks) else {"NextToken": str(end)}
        return _answer({**told, **more, "DocumentMetadata": {"Pages": len(job.pages)}, "Blocks": blocks[start:end]})

    def _blocks(self, job: _Job) -> list[dict[str, Any]]:
        """Return the page, its lines and its words, page after page, as Textract names them."""
        blocks: list[dict[str, Any]] = []
        for number, text in enumerate(job.pages, 1):
            if number in self.knobs.unread:
                continue
            lines, words = list[dict[str, Any]](), list[dict[str, Any]]()
            for line in filter(str.strip, text.splitlines()):
                said = line.split() + ["more"] * (self.knobs.words if not lines else 0)
                ids = [f"{number}-w{len(words) + place}" for place in range(len(said))]
                words += [
                    {"BlockType": "WORD", "Id": word_id, "Text": word} for word_id, word in zip(ids, said, strict=True)
                ]
                lines.append(_naming("LINE", f"{number}-l{len(lines)}", ids) | {"Text": line})
            page = _naming("PAGE", f"{number}", [line["Id"] for line in lines])
            marks = {"Page": number, "Confidence": self.knobs.confidence}
            blocks += [block | marks for block in (page, *lines, *words)]
        return blocks


def _naming(kind: str, block_id: str, children: list[str]) -> dict[str, Any]:
    named = [{"Type": "CHILD", "Ids": children}] if children else []
    return {"BlockType": kind, "Id": block_id, "Relationships": named}


def _pages(content: bytes) -> list[str]:
    if content.startswith(_PICTURES):
        return [""]
    return spelled(content)


def _answer(reply: dict[str, Any]) -> Response:
    return Response(json.dumps(reply), content_type="application/x-amz-json-1.1")


def _refused(code: str) -> Response:
    status = {"InternalServerError": 500}.get(code, 400)
    return Response(json.dumps({"__type": code, "message": code}), status, content_type="application/x-amz-json-1.1")
