"""Extraction of pages without text to a new PDF; `detection` runs it in a worker."""

import base64
from collections.abc import Sequence
from io import BytesIO
from typing import Any

import pypdfium2
from pypdfium2 import raw

from selfrag.domain.documents import has_words
from selfrag.reader.archive import bad_document

# Letters drawn as lines exceed this count; the lines of an empty form do not.
MANY_LINES = 200
# Nesting limit of drawings: one may contain itself.
_DEPTH = 4


def extract(key: str, content: bytes, pages: Sequence[int] | None, most: int) -> dict[str, Any]:
    """Return which of these pages (None for all) need recognition, and the first `most` as a base64 `pdf`.

    `of` is the page count. Raises BadDocument.
    """
    with bad_document(key, "has pages that cannot be looked at"):
        document = pypdfium2.PdfDocument(content)
        every = range(1, len(document) + 1)
        candidates = every if pages is None else [page for page in pages if page in every]
        wordless = [page for page in candidates if _shows(document[page - 1])]
        copy, out = pypdfium2.PdfDocument.new(), BytesIO()
        if wordless[:most]:
            copy.import_pages(document, [page - 1 for page in wordless[:most]])
            copy.save(out)
        return {"pages": wordless, "of": len(document), "pdf": base64.b64encode(out.getvalue()).decode()}


def _shows(page: Any) -> bool:
    if has_words(page.get_textpage().get_text_bounded()):
        return False
    drawn = 0
    for shape in page.get_objects(max_depth=_DEPTH):
        if shape.type == raw.FPDF_PAGEOBJ_IMAGE:
            return True
        drawn += shape.type == raw.FPDF_PAGEOBJ_PATH
    return drawn > MANY_LINES
