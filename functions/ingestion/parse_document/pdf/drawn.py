"""The drawings of a page, as PDFium tells them: straight lines, and whether there is a picture."""

import ctypes
from collections.abc import Iterator

import pypdfium2.raw as pdfium

from ingestion.parse_document.pdf.shapes import Box, Rule

MAX_OBJECTS = 20_000  # of a page: a map has more, and no table
MAX_RULES = 1_000
_THIN, _LONG = 2.5, 8  # points: what is thinner and longer is a line
_MAX_DEPTH = 3


def rules_and_pictures(page: object) -> tuple[list[Rule], bool]:
    """Return the straight lines on a page, none if there are too many for a table, and whether there is a picture."""
    rules, pictures = list[Rule](), False
    for number, (kind, box) in enumerate(_drawn(page)):
        pictures = pictures or kind == pdfium.FPDF_PAGEOBJ_IMAGE
        if kind == pdfium.FPDF_PAGEOBJ_PATH:
            rules.extend(_sides(box))
        if number > MAX_OBJECTS or len(rules) > MAX_RULES:
            return [], pictures
    return rules, pictures


def _drawn(page: object) -> Iterator[tuple[int, Box]]:
    for number in range(pdfium.FPDFPage_CountObjects(page)):
        yield from _within(pdfium.FPDFPage_GetObject(page, number), 0)


def _within(drawn: object, depth: int) -> Iterator[tuple[int, Box]]:
    kind = pdfium.FPDFPageObj_GetType(drawn)
    if kind == pdfium.FPDF_PAGEOBJ_FORM and depth < _MAX_DEPTH:
        for number in range(pdfium.FPDFFormObj_CountObjects(drawn)):
            yield from _within(pdfium.FPDFFormObj_GetObject(drawn, number), depth + 1)
        return
    sides = [ctypes.c_float() for _ in range(4)]
    if kind == pdfium.FPDF_PAGEOBJ_PATH:
        pdfium.FPDFPageObj_GetBounds(drawn, *map(ctypes.byref, sides))
    yield kind, Box(*(side.value for side in sides))


def _sides(box: Box) -> list[Rule]:
    """A thin box is a line, and a large one may be the frame of a cell."""
    if box.height <= _THIN:
        return [Rule(box, True)] if box.width >= _LONG else []
    if box.width <= _THIN:
        return [Rule(box, False)] if box.height >= _LONG else []
    left, bottom, right, top = box.left, box.bottom, box.right, box.top
    return [
        Rule(Box(left, bottom, right, bottom), True),
        Rule(Box(left, top, right, top), True),
        Rule(Box(left, bottom, left, top), False),
        Rule(Box(right, bottom, right, top), False),
    ]
