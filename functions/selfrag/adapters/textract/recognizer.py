"""Jobs of Amazon Textract, for PDFs in a bucket of its own region.

Only the asynchronous operations are used: they take a PDF of up to 3,000 pages, the others one page. A job starts once
for the same pages, however often the step runs: Textract returns the same job for the same token for seven days, and
the bucket keeps its text for longer.
"""

import hashlib
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from selfrag.adapters.faults import aws_faults
from selfrag.adapters.objects import S3Objects
from selfrag.adapters.textract.pages import Pages
from selfrag.domain.errors import BadDocument, RequestRejected, TemporarilyUnavailable
from selfrag.ports.recognizer import Element, RecognizedPage

SERVICE = "Amazon Textract"
_DONE = {"SUCCEEDED", "PARTIAL_SUCCESS"}
_CODE = re.compile(r"[A-Z_]{3,40}")
# A result is read for this long in one run of the step. A test holds it below the step's timeout.
SECONDS_OF_A_RUN = 60.0
# What an analysis is asked for, by the setting; `lines` are detected without one.
_FEATURES = {"lines": [], "layout": ["LAYOUT"], "tables": ["LAYOUT", "TABLES"]}


class TextractRecognizer:
    """A Recognizer over Textract and a bucket: `NAME.pdf` has the pages, `RESULT.json` their text.

    A result comes in parts of up to a thousand blocks, which take minutes for some hundred pages: `RESULT-read.json`
    has the pages that were read so far, the blocks of those that are not whole, and where the next run goes on.
    `wanted` is lines, layout or tables: each is a result, and a job, of its own.
    """

    def __init__(
        self, client: Any, kept: S3Objects, wanted: str = "lines", clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._client, self._kept, self._wanted, self._clock = client, kept, wanted, clock
        self._features = _FEATURES[wanted]

    def keep(self, name: str, pages: bytes) -> None:
        """Store a PDF of the pages to recognise."""
        self._kept.put(f"{name}.pdf", pages)

    def begin(self, name: str) -> str:
        """Start a job, or return the one that was started with these pages; "" for known pages."""
        if self._kept.has_json(f"{self._result(name)}.json"):
            return ""
        with aws_faults(SERVICE):
            begun = self._operation("start")(
                DocumentLocation={"S3Object": {"Bucket": self._kept.bucket, "Name": f"{name}.pdf"}},
                ClientRequestToken=self._result(name),
                **({"FeatureTypes": self._features} if self._features else {}),
            )
        return str(begun["JobId"])

    def outcome(self, name: str, job: str) -> Sequence[RecognizedPage] | None:
        """Return the text of the pages, in their order; None while Textract works, or there is more of it to read."""
        result = self._result(name)
        if not job:
            return [_page(page) for page in self._kept.get_json(f"{result}.json")]
        pages, parts, token = self._read_before(result, job)
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
                pages, parts, token = [], Pages(), ""
                break
            if reply["JobStatus"] == "IN_PROGRESS":
                return None
            if reply["JobStatus"] not in _DONE:
                said = reply.get("StatusMessage", "")
                raise BadDocument(f"{SERVICE} gave up on them{f' ({said})' if _CODE.fullmatch(said) else ''}")
            pages += parts.add(reply.get("Blocks", []))
            token = reply.get("NextToken", "")
            if not token:
                pages = sorted([*pages, *parts.rest()], key=lambda page: page.page)
                self._kept.put_json(f"{result}.json", list(map(_stored, pages)))
                return pages
            if self._clock() > end:
                break
        read = {"job": job, "token": token, "pages": list(map(_stored, pages)), "open": parts.held()}
        self._kept.put_json(f"{result}-read.json", read)
        return None

    def _result(self, name: str) -> str:
        """Return the name of what is wanted of these pages, as long as a token of Textract may be."""
        wanted = f"{self._wanted} {name}".encode()
        return hashlib.sha256(wanted).hexdigest() if self._features else name

    def _read_before(self, result: str, job: str) -> tuple[list[RecognizedPage], Pages, str]:
        """Return the pages and blocks that were read of this job, and the token of the next part."""
        where = f"{result}-read.json"
        known = self._kept.get_json(where) if self._kept.has_json(where) else {}
        if known.get("job") != job:
            return [], Pages(), ""
        return list(map(_page, known["pages"])), Pages(known["open"]), known["token"]

    def _reply(self, job: str, token: str) -> Any:
        more = {"NextToken": token} if token else {}
        with aws_faults(SERVICE):
            return self._operation("get")(JobId=job, **more)

    def _operation(self, verb: str) -> Any:
        return getattr(self._client, f"{verb}_document_{'analysis' if self._features else 'text_detection'}")


def _stored(page: RecognizedPage) -> dict[str, Any]:
    return asdict(page)


def _page(stored: Mapping[str, Any]) -> RecognizedPage:
    elements = tuple(Element(**each) for each in stored["elements"])
    return RecognizedPage(**{**stored, "elements": elements})
