"""Jobs of Amazon Textract, for PDFs in a bucket of its region.

Only asynchronous operations are used: they accept PDFs of up to 3,000 pages instead of one. The same pages start one
job, however often the step runs: Textract returns the same job for a token for seven days, and the bucket keeps its
text longer.
"""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from typing_extensions import override

from selfrag.adapters.faults import aws_faults
from selfrag.adapters.objects import S3Objects
from selfrag.domain.errors import BadDocument, RequestRejected, TemporarilyUnavailable
from selfrag.ports.recognizer import RecognizedPage, Recognizer

SERVICE = "Amazon Textract"
_DONE = {"SUCCEEDED", "PARTIAL_SUCCESS"}
_CODE = re.compile(r"[A-Z_]{3,40}")
# A result is read for this long in one run of the step. A test holds it below the step's timeout.
SECONDS_OF_A_RUN = 60.0
# The lines of each page with their confidence; as keys of JSON, page numbers are text.
Lines = dict[str, list[tuple[str, float]]]


class TextractRecognizer(Recognizer):
    """A Recognizer over Textract and a bucket: `NAME.pdf` has the pages, `NAME.json` their text.

    Results come in parts of up to a thousand blocks, which take minutes for hundreds of pages: `NAME-read.json` holds
    the lines so far and the position for the next run.
    """

    def __init__(self, client: Any, bucket: S3Objects, clock: Callable[[], float] = time.monotonic) -> None:
        self._client, self._bucket, self._clock = client, bucket, clock

    @override
    def keep(self, name: str, pages: bytes) -> None:
        self._bucket.put(f"{name}.pdf", pages)

    def begin(self, name: str) -> str:
        """Start a job, or return the one that was started with these pages; "" for known pages."""
        if self._bucket.has_json(f"{name}.json"):
            return ""
        with aws_faults(SERVICE):
            begun = self._client.start_document_text_detection(
                DocumentLocation={"S3Object": {"Bucket": self._bucket.bucket, "Name": f"{name}.pdf"}},
                ClientRequestToken=name,
            )
        return str(begun["JobId"])

    def outcome(self, name: str, job: str) -> Sequence[RecognizedPage] | None:
        """Return the text of the pages, in their order; None while Textract works, or there is more of it to read."""
        if not job:
            return [RecognizedPage(**page) for page in self._bucket.get_json(f"{name}.json")]
        # The lines that were read of this job before, and the token of the next part.
        progress = self._bucket.get_json(f"{name}-read.json") if self._bucket.has_json(f"{name}-read.json") else {}
        lines, token = (progress["lines"], progress["token"]) if progress.get("job") == job else ({}, "")
        before, end = token, self._clock() + SECONDS_OF_A_RUN
        while True:
            try:
                more = {"NextToken": token} if token else {}
                with aws_faults(SERVICE):
                    reply = self._client.get_document_text_detection(JobId=job, **more)
            except TemporarilyUnavailable:
                # The lines so far are stored; without any, the state machine retries.
                if token == before:
                    raise
                break
            except RequestRejected:
                # A token that Textract no longer knows: read the result from its beginning.
                if not token:
                    raise
                lines, token = {}, ""
                break
            if reply["JobStatus"] == "IN_PROGRESS":
                return None
            if reply["JobStatus"] not in _DONE:
                message = reply.get("StatusMessage", "")
                raise BadDocument(f"{SERVICE} gave up on them{f' ({message})' if _CODE.fullmatch(message) else ''}")
            for block in reply.get("Blocks", []):
                if block["BlockType"] == "LINE":
                    # A picture of one page has no numbers.
                    lines.setdefault(str(block.get("Page", 1)), []).append((block["Text"], block["Confidence"]))
            token = reply.get("NextToken", "")
            if not token:
                pages = [_page(number, lines[number]) for number in sorted(lines, key=int)]
                self._bucket.put_json(f"{name}.json", list(map(asdict, pages)))
                return pages
            if self._clock() > end:
                break
        self._bucket.put_json(f"{name}-read.json", {"job": job, "token": token, "lines": lines})
        return None


def _page(number: str, lines: Sequence[tuple[str, float]]) -> RecognizedPage:
    """Return the text of a page with its confidence, in which a long line weighs more."""
    letters = sum(len(text) for text, _ in lines)
    confidence = round(sum(len(text) * sure for text, sure in lines) / letters, 1) if letters else 0.0
    return RecognizedPage(int(number), "\n".join(text for text, _ in lines), confidence)
