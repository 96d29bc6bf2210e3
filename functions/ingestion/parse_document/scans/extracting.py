"""The pages of a PDF that show something and hold no text, as a PDF of their own; `finding` runs it apart.

It reads a line of JSON and the PDF, and writes a line of JSON and the other PDF.
"""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any

from ingestion.parse_document.scans.apart import NOTHING_TO_TELL, limit_this_process
from selfrag.domain.documents import has_words

# Letters that were drawn as lines are more than so many, the rules of an empty form fewer.
MANY_LINES = 200
# No further into what a page draws by way of another drawing: one may hold itself.
_DEPTH = 4


def extracted(content: bytes, pages: Sequence[int] | None, most: int) -> tuple[list[int], int, bytes]:
    """Which of these pages (all for None, counted from 1) are to be recognised, of how many, and the first as a PDF.

    No more than `most` are in the PDF. Raises pypdfium2's errors.
    """
    import pypdfium2

    document = pypdfium2.PdfDocument(content)
    every = range(1, len(document) + 1)
    found = [page for page in (every if pages is None else pages) if page in every and _shows(document[page - 1])]
    made, out = pypdfium2.PdfDocument.new(), BytesIO()
    if found:
        made.import_pages(document, [page - 1 for page in found[:most]])
        made.save(out)
    return found, len(document), out.getvalue()


def _shows(page: Any) -> bool:
    if has_words(page.get_textpage().get_text_bounded()):
        return False
    drawn = 0
    for kind in _kinds(page):
        if kind == "image":
            return True
        drawn += kind == "path"
    return drawn > MANY_LINES


def _kinds(page: Any) -> Iterator[str]:
    from pypdfium2 import raw

    names = {raw.FPDF_PAGEOBJ_IMAGE: "image", raw.FPDF_PAGEOBJ_PATH: "path"}
    yield from (names.get(drawn.type, "") for drawn in page.get_objects(max_depth=_DEPTH))


def _main() -> None:
    asked = json.loads(sys.stdin.buffer.readline())
    content = sys.stdin.buffer.read()
    import pypdfium2  # one that is missing fails here, and not as a file that cannot be read

    try:
        found, number, pages = extracted(content, asked["pages"], asked["most"])
    except (pypdfium2.PdfiumError, MemoryError, ValueError, OSError):
        os._exit(NOTHING_TO_TELL)  # an orderly exit needs memory too
    sys.stdout.buffer.write(json.dumps({"pages": found, "of": number}).encode() + b"\n" + pages)


if __name__ == "__main__":
    limit_this_process()
    _main()
