"""Text recognition by Amazon Textract, of PDFs in a bucket of its own region.

Only the asynchronous operations are used: they take a PDF of up to 3,000 pages, the others one page. A job starts once
for the same pages, however often the step runs: Textract returns the same job for the same token for seven days, and
the bucket keeps its text for longer.
"""

import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Any

from selfrag.adapters.faults import aws_faults
from selfrag.adapters.objects import S3Objects
from selfrag.domain.errors import BadDocument, RequestRejected, TemporarilyUnavailable
from selfrag.ports.recognizer import Recognized

SERVICE = "Amazon Textract"
_DONE = {"SUCCEEDED", "PARTIAL_SUCCESS"}
_CODE = re.compile(r"[A-Z_]{3,40}")
# A result is read for this long in one run of the step. A test holds it below the step's timeout.
SECONDS_OF_A_RUN = 60.0
# A line of a page: the page's number, the text and the confidence.
Line = tuple[int, str, float]


class TextractRecognizer:
    """A Recognizer over Textract and a bucket: `NAME.pdf` has the pages, `NAME.json` their text.

    A result comes in parts of up to a thousand blocks, which take minutes for some hundred pages: `NAME-lines.json` has
    the lines that were read so far, and where the next run goes on.
    """

    def __init__(self, client: Any, kept: S3Objects, clock: Callable[[], float] = time.monotonic) -> None:
        self._client, self._kept, self._clock = client, kept, clock

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
        """Return the text of the pages, in their order; None while Textract works, or there is more of it to read."""
        if not job:
            return [Recognized(**page) for page in self._kept.get_json(f"{name}.json")]
        lines, token = self._read_before(name, job)
        before, end = token, self._clock() + SECONDS_OF_A_RUN
        while True:
            try:
                reply = self._reply(job, token)
            except TemporarilyUnavailable:
                # What came before it is kept; without any, the state machine retries.
                if token == before:
                    raise
                break
            except RequestRejected:
                # A token that Textract no longer knows: read the result from its beginning.
                if not token:
                    raise
                lines, token = [], ""
                break
            if reply["JobStatus"] == "IN_PROGRESS":
                return None
            if reply["JobStatus"] not in _DONE:
                said = reply.get("StatusMessage", "")
                raise BadDocument(f"{SERVICE} gave up on them{f' ({said})' if _CODE.fullmatch(said) else ''}")
            lines += _lines(reply.get("Blocks", []))
            token = reply.get("NextToken", "")
            if not token:
                pages = _pages(lines)
                self._kept.put_json(f"{name}.json", [asdict(page) for page in pages])
                return pages
            if self._clock() > end:
                break
        self._kept.put_json(f"{name}-lines.json", {"job": job, "token": token, "lines": lines})
        return None

    def _read_before(self, name: str, job: str) -> tuple[list[Line], str]:
        """Return the lines that were read of this job, and the token of the next part."""
        where = f"{name}-lines.json"
        known = self._kept.get_json(where) if self._kept.has_json(where) else {}
        if known.get("job") != job:
            return [], ""
        return [(page, text, sure) for page, text, sure in known["lines"]], known["token"]

    def _reply(self, job: str, token: str) -> Any:
        more = {"NextToken": token} if token else {}
        with aws_faults(SERVICE):
            return self._client.get_document_text_detection(JobId=job, **more)


def _lines(blocks: Iterable[Any]) -> list[Line]:
    # A picture of one page has no numbers.
    return [
        (int(block.get("Page", 1)), block["Text"], float(block["Confidence"]))
        for block in blocks
        if block["BlockType"] == "LINE"
    ]


def _pages(lines: Iterable[Line]) -> list[Recognized]:
    by_page: dict[int, list[tuple[str, float]]] = {}
    for page, text, sure in lines:
        by_page.setdefault(page, []).append((text, sure))
    return [Recognized(page, "\n".join(text for text, _ in of), _weighed(of)) for page, of in sorted(by_page.items())]


def _weighed(lines: Sequence[tuple[str, float]]) -> float:
    """Return the confidence of a page: a long line weighs more."""
    letters = sum(len(text) for text, _ in lines)
    return round(sum(len(text) * sure for text, sure in lines) / letters, 1) if letters else 0.0
