"""PDFs whose pages are laid out by hand: words at their places, in sizes and fonts, and drawn lines."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, radians, sin

from tests.support.documents.files import assembled, stream

REGULAR, BOLD, FIXED = "F1", "F2", "F3"
_FONTS = {REGULAR: "Helvetica", BOLD: "Helvetica-Bold", FIXED: "Courier"}


@dataclass(frozen=True)
class Text:
    """Words that begin at a place; a size of 10 is running text, a grey of 0 black; degrees are counterclockwise."""

    x: float
    y: float
    words: str
    size: float = 10
    font: str = REGULAR
    degrees: float = 0
    grey: float = 0


@dataclass(frozen=True)
class Line:
    """A drawn line from one place to another."""

    x: float
    y: float
    to_x: float
    to_y: float


Page = Sequence[Text | Line]


def laid(
    *pages: Page,
    labels: str = "",
    turned: str = "",
    annotations: Sequence[str] = (),
    catalog: str = "",
    form: str = "",
    extra: Sequence[bytes] = (),
) -> bytes:
    """Return a PDF of these pages; `labels` is an array of /Nums, `turned` an instruction for the whole page.

    `annotations` are the entries of those of each page, {} in them the number of the first; `catalog` and `form` are
    entries, `extra` further objects behind the annotations.
    """
    first = 6 + 2 * len(pages)
    placed = [annotation.replace("{}", str(first)) for annotation in annotations]
    fields = " ".join(f"{first + number} 0 R" for number, entries in enumerate(placed) if "/T " in entries)
    kids = " ".join(f"{6 + 2 * number} 0 R" for number in range(len(pages)))
    fonts = " ".join(f"/{name} {3 + number} 0 R" for number, name in enumerate(_FONTS))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R "
        + (f"/PageLabels << /Nums [{labels}] >>" if labels else "").encode()
        + (f"/AcroForm << /Fields [{fields}] {form} >>" if fields or form else "").encode()
        + f"{catalog} >>".encode(),
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        *(
            f"<< /Type /Font /Subtype /Type1 /BaseFont /{font} /Encoding /WinAnsiEncoding >>".encode()
            for font in _FONTS.values()
        ),
    ]
    noted = " ".join(f"{first + number} 0 R" for number in range(len(placed)))
    for number, page in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {7 + 2 * number} 0 R "
            f"/Resources << /Font << {fonts} >> >> /Annots [{noted}] >>".encode()
        )
        objects.append(stream((turned + "\n" + "\n".join(map(_drawn, page))).encode("cp1252")))
    objects += [f"<< /Type /Annot {entries} >>".encode("cp1252") for entries in placed]
    return assembled([*objects, *extra], "/Root 1 0 R")


def text_field(name: str, value: str, *box: float, entries: str = "") -> str:
    """Return the entries of a form's text field without an appearance: left, bottom, right and top."""
    sides = " ".join(map(str, box))
    return f"/Subtype /Widget /FT /Tx /T ({name}) /V ({value}) /Rect [{sides}] {entries}"


def lines(x: float, y: float, *texts: str, size: float = 10, font: str = REGULAR, leading: float = 1.2) -> list[Text]:
    """Lines below each other."""
    return [Text(x, y - number * leading * size, text, size, font) for number, text in enumerate(texts)]


def grid(x: float, y: float, columns: Sequence[float], rows: int, height: float = 20) -> list[Line]:
    """Return the lines around the cells of a table, the first row's top at `y`; `columns` are widths."""
    edges = [x + sum(columns[:number]) for number in range(len(columns) + 1)]
    flat = [Line(edges[0], y - number * height, edges[-1], y - number * height) for number in range(rows + 1)]
    return [*flat, *(Line(edge, y, edge, y - rows * height) for edge in edges)]


def _drawn(one: Text | Line) -> str:
    if isinstance(one, Line):
        return f"{one.x} {one.y} m {one.to_x} {one.to_y} l S"
    words = one.words.translate(str.maketrans({"(": r"\(", ")": r"\)", "\\": r"\\"}))
    across, up = cos(radians(one.degrees)), sin(radians(one.degrees))
    place = f"{across:.4f} {up:.4f} {-up:.4f} {across:.4f} {one.x} {one.y}"
    return f"BT {one.grey} g /{one.font} {one.size} Tf {place} Tm ({words}) Tj ET"
