"""PDFs whose pages are pictures: the grey values of each spell a text, which the double of Textract reads off them."""

from io import BytesIO

import pypdfium2
from pypdfium2 import raw

from tests.support.documents.files import assembled, stream


def scanned_pdf(*pages: str, among: str = "") -> bytes:
    """Return a PDF with a picture on each page that spells a text; with `among`, a page of text before them."""
    kids = [f"{3 + 3 * place} 0 R" for place in range(len(pages))]
    after = 3 + 3 * len(pages)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{' '.join([f'{after} 0 R'] * bool(among) + kids)}] "
        f"/Count {len(kids) + bool(among)} >>".encode(),
    ]
    for place, text in enumerate(pages):
        first = 3 + 3 * place
        objects += [_page(first + 1, f"/XObject << /I {first + 2} 0 R >>"), stream(b"q 500 0 0 700 40 60 cm /I Do Q")]
        objects.append(_picture(text))
    if among:
        shown = f"BT /F 12 Tf 72 770 Td ({among}) Tj ET".encode()
        font = "/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>"
        objects += [_page(after + 1, font), stream(shown)]
    return assembled(objects, "/Root 1 0 R")


def blank_pdf(pages: int) -> bytes:
    """Return a PDF with empty pages."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{' '.join(f'{3 + page} 0 R' for page in range(pages))}] /Count {pages} >>".encode(),
        *[b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>"] * pages,
    ]
    return assembled(objects, "/Root 1 0 R")


def spelled(pdf: bytes) -> list[str]:
    """Return the text in the pictures on each page of a PDF."""
    document = pypdfium2.PdfDocument(BytesIO(pdf))
    return ["".join(_spells(drawn) for drawn in page.get_objects([raw.FPDF_PAGEOBJ_IMAGE])) for page in document]


def _spells(drawn: pypdfium2.PdfImage) -> str:
    try:
        return bytes(drawn.get_data(decode_simple=True)).decode("ascii").rstrip("\0")
    except UnicodeDecodeError:  # a picture of words
        return "A picture of words."


def _page(content: int, resources: str) -> bytes:
    head = (
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {content} 0 R /Resources << {resources} >> >>"
    )
    return head.encode()


def _picture(text: str) -> bytes:
    pixels = text.encode() or b"\0"
    size = f"/Width {len(pixels)} /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8"
    return stream(pixels, f"/Type /XObject /Subtype /Image {size}")
