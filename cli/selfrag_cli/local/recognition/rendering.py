"""Rendering of PDF pages as pictures; `local` runs it in a separate process."""

import base64
import math

import pypdfium2

from selfrag.domain.errors import BadDocument
from selfrag_cli.local.recognition.tesseract import DPI

# Maximum pixels of a page; A4 has 9 million.
MAX_PIXELS = 25_000_000
_POINTS_TO_AN_INCH = 72


def page_count(key: str, content: bytes) -> int:
    """Return the page count of a PDF; raises BadDocument."""
    try:
        return len(pypdfium2.PdfDocument(content))
    except pypdfium2.PdfiumError as error:
        raise BadDocument(f"the pages of {key} cannot be counted") from error


def render(key: str, content: bytes, page: int) -> str:
    """Render a page (from 1) in grey at 300 dots per inch, as base64 PGM; raises BadDocument."""
    try:
        shown = pypdfium2.PdfDocument(content)[page - 1]
        width, height = shown.get_size()
        scale = min(DPI / _POINTS_TO_AN_INCH, math.sqrt(MAX_PIXELS / max(width * height, 1)))
        drawn = shown.render(scale=scale, grayscale=True)
    except (pypdfium2.PdfiumError, IndexError, ValueError) as error:
        raise BadDocument(f"page {page} of {key} cannot be drawn") from error
    pixels, stride = bytes(drawn.buffer), drawn.stride
    lines = b"".join(pixels[stride * line : stride * line + drawn.width] for line in range(drawn.height))
    return base64.b64encode(b"P5 %d %d 255\n" % (drawn.width, drawn.height) + lines).decode()
