"""Text recognition by Amazon Textract, of PDFs in a bucket of its own region.

Only the asynchronous operations are used: they take a PDF of up to 3,000 pages, the others one page. A job starts once
for the same pages, however often the step runs: Textract returns the same job for the same token for seven days, and
the bucket keeps its text for longer.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from selfrag.adapters.faults import aws_faults
from selfrag.adapters.objects import S3Objects
from selfrag.domain.errors import BadDocument
from selfrag.ports.recognizer import Recognized

SERVICE = "Amazon Textract"
_DONE = {"SUCCEEDED", "PARTIAL_SUCCESS"}
_CODE = re.compile(r"[A-Z_]{3,40}")


class TextractRecognizer:
    """A Recognizer over Textract and a bucket: `NAME.pdf` has the pages, `NAME.json` their text."""

    def __init__(self, client: Any, kept: S3Objects) -> None:
        self._client, self._kept = client, kept

    def keep(self, name: str, pages: bytes) -> None:
        """Store a PDF of the pages to recognise."""
        self._kept.put(f"{name}.pdf", pages)

    def begin(self, name: str) -> str:
        """Start a job, or return the one that was started with these pages; "" for known pages."""
        if self._kept.has_json(f"{name}.json"):
            return ""
        with aws_faults(SERVICE):
            begun = self._client.start_document_text_detection(
                DocumentLocation={"S3Object": {"Bucket": self._kept.bucket, "Name": f"{name}.pdf"}},
                ClientRequestToken=name,
            )
        return str(begun["JobId"])

    def outcome(self, name: str, job: str) -> Sequence[Recognized] | None:
        """Return the text of the pages, in their order; None while Textract works."""
        if not job:
            return [Recognized(**page) for page in self._kept.get_json(f"{name}.json")]
        first = self._reply(job)
        status = first["JobStatus"]
        if status == "IN_PROGRESS":
            return None
        if status not in _DONE:
            said = first.get("StatusMessage", "")
            raise BadDocument(f"{SERVICE} gave up on them{f' ({said})' if _CODE.fullmatch(said) else ''}")
        pages = _pages(self._blocks(job, first))
        self._kept.put_json(f"{name}.json", [asdict(page) for page in pages])
        return pages

    def _blocks(self, job: str, reply: Any) -> Iterator[Any]:
        """Yield the blocks of all parts of a result: one part has at most a thousand."""
        yield from reply.get("Blocks", [])
        while token := reply.get("NextToken"):
            reply = self._reply(job, NextToken=token)
            yield from reply.get("Blocks", [])

    def _reply(self, job: str, **more: str) -> Any:
        with aws_faults(SERVICE):
            return self._client.get_document_text_detection(JobId=job, **more)


def _pages(blocks: Iterator[Any]) -> list[Recognized]:
    lines: dict[int, list[tuple[str, float]]] = {}
    for block in blocks:
        if block["BlockType"] == "LINE":
            # A picture of one page has no numbers.
            lines.setdefault(int(block.get("Page", 1)), []).append((block["Text"], float(block["Confidence"])))
    return [Recognized(page, "\n".join(text for text, _ in of), _weighed(of)) for page, of in sorted(lines.items())]


def _weighed(lines: Sequence[tuple[str, float]]) -> float:
    """Return the confidence of a page: a long line weighs more."""
    letters = sum(len(text) for text, _ in lines)
    return round(sum(len(text) * sure for text, sure in lines) / letters, 1) if letters else 0.0
