"""PDFium's view of a file: its pages with their characters, lines, pictures, form fields and notes.

Only this module knows PDFium's functions. It is C++: `contained` keeps a crash of it away from others.
"""

import ctypes
import re
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any, NamedTuple, TypeAlias

import pypdfium2
from pypdfium2 import raw

from selfrag.domain.errors import BadDocument
from selfrag.domain.writing import MAX_CHARACTERS
from selfrag.reader.pdf.shapes import Annotation, Box, Rule

MAX_OBJECTS = 20_000  # lines and pictures of a page: a map has more, and no table
MAX_RULES = 1_000
_DRAWN, _DEPTH = (raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_IMAGE), 4
_THIN, _LONG = 2.5, 8  # points: a thinner and longer shape is a line
_BOLD, _MONO = ("bold", "black", "heavy", "cmbx", "demi", "medi"), ("mono", "courier", "cmtt", "typewriter")
_UNSEEN = (raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP)
_MAX_MARKS, _LAYER = 8, "OC\0".encode("utf-16-le")
MAX_FILLS = 200  # boxes of a page
_PIXELS_OF_A_POINT, MAX_PIXELS = 2, 4_000_000
_SLANT = 0.18  # 10 degrees: no scanner skews a page as much
_FIXED, _FORCED_BOLD = 1 << 0, 1 << 18
_END_WITHIN = 2048  # bytes at the end to search for a PDF's end marker

File: TypeAlias = pypdfium2.PdfDocument
Color: TypeAlias = tuple[int, int, int]


class Character(NamedTuple):
    """A character by index. `quarters` is the number of clockwise quarter turns that set it upright.

    `slanted` is True if no quarter turn does.
    """

    number: int
    box: Box
    size: float
    quarters: int
    slanted: bool


class Paint(NamedTuple):
    """Color and opacity (of 255) of letters, if painted, and whether a layer hides them."""

    color: Color
    opaque: int
    drawn: bool
    layered: bool


@contextmanager
def open_pdf(key: str, content: bytes) -> Iterator[File]:
    """Open the bytes of a PDF; raises BadDocument."""
    try:
        file = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        # PDFium repeats the previous file's error for a file without pages.
        if error.err_code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY) and b"/Encrypt" in content:
            raise BadDocument(f"{key} is encrypted; save it without a password.") from error
        state = "is cut off at its end" if is_cut_off(content) else "is a damaged PDF"
        raise BadDocument(f"{key} {state} and cannot be read; save it as PDF again.") from error
    with file:
        stands_in = file.get_formtype() in (raw.FORMTYPE_XFA_FULL, raw.FORMTYPE_XFA_FOREGROUND)
        with suppress(pypdfium2.PdfiumError):
            file.init_forms()
            # Pages without fields may still require drawing the form first.
            if stands_in and len(file) == 1 and not raw.FPDFPage_GetAnnotCount(file[0]):
                raise BadDocument(f"{key} is a form (XFA) that only Adobe's programs show; print it to a new PDF.")
        yield file


def is_cut_off(content: bytes) -> bool:
    """Return whether the end marker of a PDF is missing."""
    return b"%%EOF" not in content[-_END_WITHIN:]


@contextmanager
def page_of(file: File, number: int) -> Iterator["PdfPage | None"]:
    """Open a page, counted from 1; None if it is damaged."""
    try:
        page = PdfPage(file[number - 1])
    except pypdfium2.PdfiumError:
        yield None
        return
    with closing(page):
        yield page


class PdfPage:
    """A page that is open; points are counted from its lower left corner."""

    def __init__(self, page: pypdfium2.PdfPage) -> None:
        self._page, self._text, self._paints = page, page.get_textpage(), dict[int, Paint]()
        self.length: int = self._text.count_chars()
        self.close: Callable[[], None] = page.close

    def text(self) -> str:
        """Return the characters in the order of the file."""
        text: str = self._text.get_text_range(errors="replace")
        return text

    def character(self, at: int) -> Character:
        """Return the character at a place of the text."""
        index, matrix = raw.FPDFText_GetCharIndexFromTextIndex(self._text, at), raw.FS_MATRIX()
        raw.FPDFText_GetMatrix(self._text, index, matrix)
        size = raw.FPDFText_GetFontSize(self._text, index) * (matrix.c**2 + matrix.d**2) ** 0.5
        across, up = matrix.a, matrix.b
        level = abs(across) >= abs(up)
        quarters = 2 * (across < 0) if level else 1 + 2 * (up <= 0)
        slanted = min(abs(across), abs(up)) > _SLANT * max(abs(across), abs(up))
        return Character(index, self.box(index), size, quarters, slanted)

    def box(self, index: int) -> Box:
        """Return the box of the character of this number, as high as its font."""
        box = raw.FS_RECTF()
        raw.FPDFText_GetLooseCharBox(self._text, index, box)
        return Box(box.left, box.bottom, box.right, box.top)

    def origin(self, index: int) -> Box:
        """Return the baseline point of a character."""
        x, y = ctypes.c_double(), ctypes.c_double()
        raw.FPDFText_GetCharOrigin(self._text, index, x, y)
        return Box(x.value, y.value, x.value, y.value)

    def look(self, index: int) -> tuple[bool, bool]:
        """Return whether a font is bold and whether it is monospaced, by name or flags."""
        name, flags = ctypes.create_string_buffer(128), ctypes.c_int()
        raw.FPDFText_GetFontInfo(self._text, index, name, len(name), flags)
        called = name.value.decode("utf-8", "replace").lower()
        bold = bool(flags.value & _FORCED_BOLD) or any(part in called for part in _BOLD)
        return bold, bool(flags.value & _FIXED) or any(part in called for part in _MONO)

    def paint(self, index: int) -> Paint:
        """Return how a character is painted, cached per text object."""
        drawn = raw.FPDFText_GetTextObject(self._text, index)
        address = ctypes.addressof(drawn.contents) if drawn else 0
        if address not in self._paints:
            color, opaque = _color(raw.FPDFText_GetFillColor, self._text, index)
            strokes = drawn and raw.FPDFTextObj_GetTextRenderMode(drawn) not in _UNSEEN
            self._paints[address] = Paint(color, opaque, bool(strokes), bool(drawn) and _is_layered(drawn))
        return self._paints[address]

    def bounds(self) -> Box:
        """Return the visible part of the page."""
        return Box(*self._page.get_bbox())

    def is_cropped(self) -> bool:
        """Return whether part of the page is cropped."""
        return self._page.get_cropbox(fallback_ok=False) not in (None, self._page.get_mediabox())

    def render(self) -> "Rendering":
        """Render the page without annotations."""
        return Rendering(self._page)

    def annotations(self) -> Iterator[Annotation]:
        """Yield visible annotations: filled fields, buttons, notes, and comments without their text."""
        for number in range(min(raw.FPDFPage_GetAnnotCount(self._page), MAX_ANNOTATIONS)):
            annotation, box = raw.FPDFPage_GetAnnot(self._page, number), raw.FS_RECTF()
            try:
                if raw.FPDFAnnot_GetRect(annotation, box) and not raw.FPDFAnnot_GetFlags(annotation) & _NOT_SHOWN:
                    box = Box(box.left, box.bottom, box.right, box.top)
                    yield from _annotation(annotation, self._page.formenv, box)
            finally:
                raw.FPDFPage_CloseAnnot(annotation)

    def drawings(self) -> tuple[list[Rule], list[Box], list[tuple[Box, Color]]]:
        """Return straight lines (none if too many for a table), pictures, and filled boxes with colors."""
        rules, pictures, fills = list[Rule](), list[Box](), list[tuple[Box, Color]]()
        with suppress(pypdfium2.PdfiumError):
            for number, drawn in enumerate(self._page.get_objects(_DRAWN, _DEPTH)):
                box = Box(*drawn.get_bounds())
                if drawn.type == raw.FPDF_PAGEOBJ_IMAGE:
                    pictures.append(box)
                else:
                    rules += _rules_of(box)
                    if min(box.width, box.height) > _THIN and len(fills) < MAX_FILLS and (color := _fill(drawn)):
                        fills.append((box, color))
                if number > MAX_OBJECTS or len(rules) > MAX_RULES:
                    return [], pictures, fills
        return rules, pictures, fills


class Rendering:
    """Grey pixels of a rendered page."""

    def __init__(self, page: pypdfium2.PdfPage) -> None:
        scale = min(_PIXELS_OF_A_POINT, (MAX_PIXELS / max(page.get_width() * page.get_height(), 1)) ** 0.5)
        self._bitmap = page.render(scale=scale, grayscale=True, draw_annots=False, may_draw_forms=False)
        self._pixels, self._place = bytes(self._bitmap.buffer), self._bitmap.get_posconv(page).to_bitmap

    def contrast(self, box: Box) -> int:
        """Return the contrast within a box (0 to 255)."""
        xs, ys = zip(self._place(box.left, box.bottom), self._place(box.right, box.top), strict=True)
        (left, right), (top, bottom) = sorted(max(x, 0) for x in xs), sorted(max(y, 0) for y in ys)
        lines = range(top, min(bottom + 1, self._bitmap.height))
        starts, end = [line * self._bitmap.stride for line in lines], min(right + 1, self._bitmap.width)
        rows = [self._pixels[start + left : start + end] for start in starts if left < end]
        return max(map(max, rows)) - min(map(min, rows)) if rows else 0


def _is_layered(drawn: Any) -> bool:
    """Return whether text is on a layer that a viewer may hide."""
    name, length = (ctypes.c_ushort * 4)(), ctypes.c_ulong()
    marks = (raw.FPDFPageObj_GetMark(drawn, mark) for mark in range(min(raw.FPDFPageObj_CountMarks(drawn), _MAX_MARKS)))
    return any(raw.FPDFPageObjMark_GetName(mark, name, 8, length) and bytes(name)[:6] == _LAYER for mark in marks)


def _fill(drawn: Any) -> Color | None:
    """Return the color that a path is filled with; None if it is not."""
    mode, stroke = ctypes.c_int(), ctypes.c_int()
    raw.FPDFPath_GetDrawMode(drawn, mode, stroke)
    color, opaque = _color(raw.FPDFPageObj_GetFillColor, drawn)
    return color if mode.value and opaque else None


def _color(function: Callable[..., int], *of: Any) -> tuple[Color, int]:
    """Return a color and its opacity from PDFium."""
    red, green, blue, opaque = (ctypes.c_uint() for _ in range(4))
    function(*of, red, green, blue, opaque)
    return (red.value, green.value, blue.value), opaque.value


def _rules_of(box: Box) -> list[Rule]:
    """Return lines: thin boxes, and the sides of large ones, which may frame cells."""
    if box.height <= _THIN:
        return [Rule(box, True)] if box.width >= _LONG else []
    if box.width <= _THIN:
        return [Rule(box, False)] if box.height >= _LONG else []
    flat = [Rule(Box(box.left, y, box.right, y), True) for y in (box.bottom, box.top)]
    return [*flat, *(Rule(Box(x, box.bottom, x, box.top), False) for x in (box.left, box.right))]


MAX_ANNOTATIONS, MAX_OPTIONS = 1_000, 5_000  # of a page, and of a list
MAX_ATTACHMENTS, MAX_NAME = 200, 100  # of a file; characters
_NOT_SHOWN = raw.FPDF_ANNOT_FLAG_INVISIBLE | raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW
_BUTTONS = (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON)
_CHOICES = (raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX)
# A popup repeats its comment.
_NO_COMMENTS = (raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP)
# The last part of a name such as `form1[0].page1[0].applicantName[0]`, and the places in it where a word begins.
_PARTIAL, _BETWEEN = re.compile(r"[^.]*+$"), re.compile(r"\[\d{1,9}\]|[_\W]+|(?<=[a-z])(?=[A-Z])")


def _annotation(annotation: Any, form: Any, box: Box) -> Iterator[Annotation]:
    subtype = raw.FPDFAnnot_GetSubtype(annotation)
    if subtype == raw.FPDF_ANNOT_WIDGET:
        kind = raw.FPDFAnnot_GetFormFieldType(form, annotation) if form else raw.FPDF_FORMFIELD_UNKNOWN
        checked = bool(raw.FPDFAnnot_IsChecked(form, annotation)) if kind in _BUTTONS else None
        text = _value(annotation, form, kind)
        if text or checked is not None:
            yield Annotation(box, text, _name(annotation, form), checked)
    elif subtype == raw.FPDF_ANNOT_FILEATTACHMENT:
        yield Annotation(box, "", attached=_read_attachment(raw.FPDFAnnot_GetFileAttachment(annotation)))
    elif subtype not in _NO_COMMENTS:
        text = _text(raw.FPDFAnnot_GetStringValue, annotation, b"Contents")
        if text or subtype == raw.FPDF_ANNOT_STAMP:
            yield Annotation(box, text, comment=subtype != raw.FPDF_ANNOT_FREETEXT)


def read_attachments(file: File) -> Iterator[tuple[str, bytes]]:
    """Yield a PDF's attached files, except those attached to pages."""
    for number in range(min(file.count_attachments(), MAX_ATTACHMENTS)):
        yield _read_attachment(raw.FPDFDoc_GetAttachment(file, number))


def _read_attachment(handle: Any) -> tuple[str, bytes]:
    attachment, name, content = pypdfium2.PdfAttachment(handle, None), "", b""
    with suppress(pypdfium2.PdfiumError):
        name = " ".join(attachment.get_name().replace("/", " ").split())[-MAX_NAME:]
        content = bytes(attachment.get_data())
    return name or "without a name", content


def _value(annotation: Any, form: Any, kind: int) -> str:
    """Return a field's value, the selected options of a list, or a button's value."""
    if kind in _BUTTONS:
        return _text(raw.FPDFAnnot_GetFormFieldExportValue, form, annotation)
    secret = raw.FPDFAnnot_GetFormFieldFlags(form, annotation) & raw.FPDF_FORMFLAG_TEXT_PASSWORD
    if kind not in _CHOICES and (kind != raw.FPDF_FORMFIELD_TEXTFIELD or secret):
        return ""
    options = range(min(raw.FPDFAnnot_GetOptionCount(form, annotation), MAX_OPTIONS)) if kind in _CHOICES else ()
    chosen = (option for option in options if raw.FPDFAnnot_IsOptionSelected(form, annotation, option))
    texts = [_text(raw.FPDFAnnot_GetOptionLabel, form, annotation, option) for option in chosen]
    return ", ".join(texts) or _text(raw.FPDFAnnot_GetFormFieldValue, form, annotation)


def _name(annotation: Any, form: Any) -> str:
    """Return a field's label, or the last part of its name as words."""
    if name := _text(raw.FPDFAnnot_GetFormFieldAlternateName, form, annotation):
        return " ".join(name.split())
    partial = _PARTIAL.search(_text(raw.FPDFAnnot_GetFormFieldName, form, annotation))
    words = " ".join(_BETWEEN.sub(" ", partial[0] if partial else "").split())
    return words[:1].upper() + words[1:]


def _text(function: Callable[..., int], *arguments: Any) -> str:
    """Return a UTF-16 string from PDFium, "" if missing or too long."""
    size = function(*arguments, None, 0)
    if not 2 < size <= 2 * MAX_CHARACTERS:
        return ""
    buffer = (ctypes.c_ushort * (size // 2))()
    function(*arguments, buffer, size)
    return bytes(buffer).decode("utf-16-le", "replace").rstrip("\0").strip()
