"""The form fields and notes of a page, as PDFium tells them: they lie over the page, and are no part of its text."""

import ctypes
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pypdfium2
from pypdfium2 import raw

from selfrag.domain.writing import MAX_CHARACTERS
from selfrag.reader.pdf.shapes import Annotation, Box

# The annotations of a page that are looked at, and the options of a list.
MAX_ANNOTATIONS, MAX_OPTIONS = 5_000, 5_000
_NOT_SHOWN = raw.FPDF_ANNOT_FLAG_INVISIBLE | raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW
_BUTTONS = (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON)
_CHOICES = (raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX)
# A popup shows the words of the comment that it belongs to.
_NO_COMMENTS = (raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP, raw.FPDF_ANNOT_WIDGET, raw.FPDF_ANNOT_FREETEXT)
# The last part of a name such as `form1[0].page1[0].applicantName[0]`, and the places in it where a word begins.
_PARTIAL = re.compile(r"[^.]*+$")
_INDEX = re.compile(r"\[\d{1,9}\]|[_\W]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def annotations_of(page: pypdfium2.PdfPage) -> Iterator[Annotation]:
    """Yield what lies over a page and can be seen: filled fields, buttons, notes, and comments without their text."""
    for number in range(min(raw.FPDFPage_GetAnnotCount(page), MAX_ANNOTATIONS)):
        with _opened(page, number) as annotation:
            if annotation and not raw.FPDFAnnot_GetFlags(annotation) & _NOT_SHOWN:
                yield from _annotation(annotation, page.formenv)


@contextmanager
def _opened(page: pypdfium2.PdfPage, number: int) -> Iterator[Any]:
    annotation = raw.FPDFPage_GetAnnot(page, number)
    try:
        yield annotation
    finally:
        if annotation:
            raw.FPDFPage_CloseAnnot(annotation)


def _annotation(annotation: Any, form: Any) -> Iterator[Annotation]:
    subtype = raw.FPDFAnnot_GetSubtype(annotation)
    if subtype == raw.FPDF_ANNOT_WIDGET and form:
        yield from _field(annotation, form)
    elif subtype == raw.FPDF_ANNOT_FREETEXT:
        if text := _contents(annotation):
            yield Annotation(_box(annotation), text)
    elif subtype == raw.FPDF_ANNOT_STAMP or (subtype not in _NO_COMMENTS and _contents(annotation)):
        yield Annotation(_box(annotation), "", comment=True)


def _field(annotation: Any, form: Any) -> Iterator[Annotation]:
    kind = raw.FPDFAnnot_GetFormFieldType(form, annotation)
    if kind in _BUTTONS:
        text, checked = _text(raw.FPDFAnnot_GetFormFieldExportValue, form, annotation), raw.FPDFAnnot_IsChecked
        yield Annotation(_box(annotation), text, _name(annotation, form), bool(checked(form, annotation)))
        return
    secret = raw.FPDFAnnot_GetFormFieldFlags(form, annotation) & raw.FPDF_FORMFLAG_TEXT_PASSWORD
    text = ", ".join(_options(annotation, form)) if kind in _CHOICES else ""
    if not text and (kind in _CHOICES or (kind == raw.FPDF_FORMFIELD_TEXTFIELD and not secret)):
        text = _text(raw.FPDFAnnot_GetFormFieldValue, form, annotation)
    if text:
        yield Annotation(_box(annotation), text, _name(annotation, form))


def _options(annotation: Any, form: Any) -> Iterator[str]:
    """Yield the options that are chosen, as they are shown."""
    for option in range(min(raw.FPDFAnnot_GetOptionCount(form, annotation), MAX_OPTIONS)):
        if raw.FPDFAnnot_IsOptionSelected(form, annotation, option):
            yield _text(raw.FPDFAnnot_GetOptionLabel, form, annotation, option)


def _name(annotation: Any, form: Any) -> str:
    """Return what a field is called for people, else the last part of its name as words."""
    if name := _text(raw.FPDFAnnot_GetFormFieldAlternateName, form, annotation):
        return " ".join(name.split())
    partial = _PARTIAL.search(_text(raw.FPDFAnnot_GetFormFieldName, form, annotation))
    words = " ".join(_CAMEL.sub(" ", _INDEX.sub(" ", partial[0] if partial else "")).split())
    return words[:1].upper() + words[1:]


def _contents(annotation: Any) -> str:
    return _text(raw.FPDFAnnot_GetStringValue, annotation, b"Contents")


def _box(annotation: Any) -> Box:
    box = raw.FS_RECTF()
    raw.FPDFAnnot_GetRect(annotation, box)
    return Box(box.left, box.bottom, box.right, box.top)


def _text(function: Callable[..., int], *arguments: Any) -> str:
    """Return a text that PDFium gives as UTF-16; "" if it is missing or too long."""
    size = function(*arguments, None, 0)
    if not 2 < size <= 2 * MAX_CHARACTERS:
        return ""
    buffer = (ctypes.c_ushort * (size // 2))()
    function(*arguments, buffer, size)
    return bytes(buffer).decode("utf-16-le", "replace").rstrip("\0").strip()
