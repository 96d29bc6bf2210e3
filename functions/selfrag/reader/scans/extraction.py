"""Extraction of pages without text to a new PDF; `detection` runs it in a worker."""

import base64
from collections.abc import Sequence
from io import BytesIO
from typing import Any, TypedDict

import pypdfium2
from pypdfium2 import raw

from selfrag.domain.documents import has_words
from selfrag.domain.errors import BadDocument

# Letters drawn as lines exceed this count; the lines of an empty form do not.
MANY_LINES = 200
# Nesting limit of drawings: one may contain itself.
_DEPTH = 4


class PageExtract(TypedDict):
    """Pages to recognise, the page count (`of`), and the first pages as a base64 PDF."""

    pages: list[int]
    of: int
    pdf: str


def extract(key: str, content: bytes, pages: Sequence[int] | None, most: int) -> PageExtract:
    """Return which of these pages (None for all) need recognition, and the first `most` as a PDF.

    Raises BadDocument.
    """
    try:
        document = pypdfium2.PdfDocument(content)
        every = range(1, len(document) + 1)
        candidates = every if pages is None else [page for page in pages if page in every]
        wordless = [page for page in candidates if _shows(document[page - 1])]
        return {"pages": wordless, "of": len(document), "pdf": _extract_pages(document, wordless[:most])}
    except (pypdfium2.PdfiumError, ValueError, OSError) as error:
        raise BadDocument(f"{key} has pages that cannot be looked at.") from error


def _extract_pages(document: pypdfium2.PdfDocument, pages: Sequence[int]) -> str:
    copy, out = pypdfium2.PdfDocument.new(), BytesIO()
    if pages:
        copy.import_pages(document, [page - 1 for page in pages])
        copy.save(out)
    return base64.b64encode(out.getvalue()).decode()


def _shows(page: Any) -> bool:
    if has_words(page.get_textpage().get_text_bounded()):
        return False
    drawn = 0
    for shape in page.get_objects(max_depth=_DEPTH):
        if shape.type == raw.FPDF_PAGEOBJ_IMAGE:
            return True
        drawn += shape.type == raw.FPDF_PAGEOBJ_PATH
    return drawn > MANY_LINES
