"""PDFium's view of a file: its pages as words with their places, its lines and pictures, its labels and properties.

All that is known of PDFium's functions stands here. It is C++: `contained` keeps a crash of it away from others.
"""

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pypdfium2.raw as pdfium

from ingestion.parse_document.pdf.drawn import rules_and_pictures
from ingestion.parse_document.pdf.shapes import Box, Rule, Word
from ingestion.parse_document.pdf.text.words import words_of

_LONGEST_TEXT = 20_000  # bytes of a label or a property
_PASSWORD = 4
_BOLD, _MONO = ("bold", "black", "heavy", "cmbx", "demi", "medi"), ("mono", "courier", "cmtt", "typewriter")
_PALE, _GREY, _OPAQUE = 96, 40, 160  # of 255
_FIXED, _FORCED_BOLD = 1 << 0, 1 << 18


class CannotOpen(Exception):
    """PDFium finds no PDF in the bytes."""


class Encrypted(Exception):
    """The file asks for a password, or forbids what the author did not want."""


@contextmanager
def opened(content: bytes) -> Iterator["File"]:
    """Open the bytes of a PDF; raises CannotOpen, or Encrypted."""
    pdfium.FPDF_InitLibrary()
    handle = pdfium.FPDF_LoadMemDocument64(content, len(content), None)
    if not handle:
        raise Encrypted if pdfium.FPDF_GetLastError() == _PASSWORD else CannotOpen
    try:
        # An empty password opens it, but it says that its text is not to be taken out.
        if pdfium.FPDF_GetSecurityHandlerRevision(handle) != -1:
            raise Encrypted
        yield File(handle)
    finally:
        pdfium.FPDF_CloseDocument(handle)


class File:
    """An open PDF; pages are counted from 0."""

    def __init__(self, handle: object) -> None:
        self._handle = handle
        self.pages: int = pdfium.FPDF_GetPageCount(handle)

    def label(self, page: int) -> str:
        """Return what the file itself calls a page, such as `iv`; "" if it has no name for it."""
        return _text_of(lambda buffer, size: pdfium.FPDF_GetPageLabel(self._handle, page, buffer, size))

    def property(self, name: str) -> str:
        """Return a property of the file, such as `Title`; "" if it has none of this name."""
        return _text_of(lambda buffer, size: pdfium.FPDF_GetMetaText(self._handle, name.encode(), buffer, size))

    @contextmanager
    def page(self, page: int) -> Iterator["Page | None"]:
        """Yield a page, None if it is damaged."""
        opened = pdfium.FPDF_LoadPage(self._handle, page)
        text = pdfium.FPDFText_LoadPage(opened) if opened else None
        try:
            yield Page(opened, text) if text else None
        finally:
            if text:
                pdfium.FPDFText_ClosePage(text)
            if opened:
                pdfium.FPDF_ClosePage(opened)


class Page:
    """A page that is open; points are counted from its lower left corner."""

    def __init__(self, handle: object, text: object) -> None:
        self._handle, self._text = handle, text

    def characters(self) -> int:
        """Return how many characters PDFium has found."""
        return max(0, int(pdfium.FPDFText_CountChars(self._text)))

    def words(self) -> list[Word]:
        """Return the words in the order of the file."""
        buffer = (ctypes.c_ushort * (2 * self.characters() + 2))()
        written = pdfium.FPDFText_GetText(self._text, 0, self.characters(), buffer)
        text = bytes(buffer)[: 2 * written].decode("utf-16-le", "replace")
        return words_of(text, self)

    def place(self, at: int) -> tuple[Box, float, tuple[float, float], int]:
        """Of a character of the text: its box, its size, the direction that it is written in, and its own number."""
        index = pdfium.FPDFText_GetCharIndexFromTextIndex(self._text, at)
        box, matrix = pdfium.FS_RECTF(), pdfium.FS_MATRIX()
        pdfium.FPDFText_GetLooseCharBox(self._text, index, ctypes.byref(box))
        pdfium.FPDFText_GetMatrix(self._text, index, ctypes.byref(matrix))
        size = pdfium.FPDFText_GetFontSize(self._text, index) * (matrix.c**2 + matrix.d**2) ** 0.5
        return Box(box.left, box.bottom, box.right, box.top), size, (matrix.a, matrix.b), index

    def origin(self, index: int) -> tuple[float, float]:
        """Return where the character of this number stands on its line."""
        x, y = ctypes.c_double(), ctypes.c_double()
        pdfium.FPDFText_GetCharOrigin(self._text, index, ctypes.byref(x), ctypes.byref(y))
        return x.value, y.value

    def sides(self, index: int) -> tuple[float, float]:
        """Return where the character of this number begins and ends from left to right."""
        box = pdfium.FS_RECTF()
        pdfium.FPDFText_GetLooseCharBox(self._text, index, ctypes.byref(box))
        return box.left, box.right

    def look(self, index: int) -> tuple[bool, bool]:
        """Return whether a font is bold, and whether its letters are of one width, by its name or its flags."""
        name, flags = ctypes.create_string_buffer(128), ctypes.c_int()
        pdfium.FPDFText_GetFontInfo(self._text, index, name, len(name), ctypes.byref(flags))
        called = name.value.decode("utf-8", "replace").lower()
        bold = bool(flags.value & _FORCED_BOLD) or any(part in called for part in _BOLD)
        return bold, bool(flags.value & _FIXED) or any(part in called for part in _MONO)

    def is_pale(self, index: int) -> bool:
        """Return whether the character of this number is grey or lets through what is below it."""
        red, green, blue, opaque = (ctypes.c_uint() for _ in range(4))
        pdfium.FPDFText_GetFillColor(self._text, index, *map(ctypes.byref, (red, green, blue, opaque)))
        shades = red.value, green.value, blue.value
        grey = min(shades) >= _PALE and max(shades) - min(shades) <= _GREY
        return grey or opaque.value < _OPAQUE

    def rules_and_pictures(self) -> tuple[list[Rule], bool]:
        """Return the straight lines that are drawn, and whether there is a picture."""
        return rules_and_pictures(self._handle)


def _text_of(ask: Callable[[object, int], int]) -> str:
    """Return what PDFium writes into a buffer, after telling how large it has to be."""
    size = min(ask(None, 0), _LONGEST_TEXT)
    buffer = ctypes.create_string_buffer(size)
    ask(buffer, size)
    return buffer.raw.decode("utf-16-le", "replace").split("\0")[0] if size > 1 else ""
