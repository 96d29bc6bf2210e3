"""The form fields and notes of a page, as PDFium tells them: they lie over the page, and are no part of its text."""

import ctypes
import re
from collections.abc import Callable, Iterator
from typing import Any

import pypdfium2
from pypdfium2 import raw

from selfrag.domain.writing import MAX_CHARACTERS
from selfrag.reader.pdf.shapes import Annotation, Box

MAX_ANNOTATIONS, MAX_OPTIONS = 1_000, 5_000  # of a page, and of a list
_NOT_SHOWN = raw.FPDF_ANNOT_FLAG_INVISIBLE | raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW
_BUTTONS = (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON)
_CHOICES = (raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX)
# A popup shows the words of the comment that it belongs to.
_NO_COMMENTS = (raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP)
# The last part of a name such as `form1[0].page1[0].applicantName[0]`, and the places in it where a word begins.
_PARTIAL, _BETWEEN = re.compile(r"[^.]*+$"), re.compile(r"\[\d{1,9}\]|[_\W]+|(?<=[a-z])(?=[A-Z])")


def annotations_of(page: pypdfium2.PdfPage) -> Iterator[Annotation]:
    """Yield what lies over a page and can be seen: filled fields, buttons, notes, and comments without their text."""
    for number in range(min(raw.FPDFPage_GetAnnotCount(page), MAX_ANNOTATIONS)):
        annotation, box = raw.FPDFPage_GetAnnot(page, number), raw.FS_RECTF()
        try:
            if raw.FPDFAnnot_GetRect(annotation, box) and not raw.FPDFAnnot_GetFlags(annotation) & _NOT_SHOWN:
                yield from _annotation(annotation, page.formenv, Box(box.left, box.bottom, box.right, box.top))
        finally:
            raw.FPDFPage_CloseAnnot(annotation)


def _annotation(annotation: Any, form: Any, box: Box) -> Iterator[Annotation]:
    subtype, text = raw.FPDFAnnot_GetSubtype(annotation), ""
    if subtype == raw.FPDF_ANNOT_WIDGET:
        kind = raw.FPDFAnnot_GetFormFieldType(form, annotation) if form else raw.FPDF_FORMFIELD_UNKNOWN
        checked = bool(raw.FPDFAnnot_IsChecked(form, annotation)) if kind in _BUTTONS else None
        text = _value(annotation, form, kind)
        if text or checked is not None:
            yield Annotation(box, text, _name(annotation, form), checked)
    elif subtype not in _NO_COMMENTS:
        text = _text(raw.FPDFAnnot_GetStringValue, annotation, b"Contents")
        if text or subtype == raw.FPDF_ANNOT_STAMP:
            yield Annotation(box, text, comment=subtype != raw.FPDF_ANNOT_FREETEXT)


def _value(annotation: Any, form: Any, kind: int) -> str:
    """Return the value of a field, the options of a list that are chosen, or what a button stands for."""
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
    """Return what a field is called for people, else the last part of its name as words."""
    if name := _text(raw.FPDFAnnot_GetFormFieldAlternateName, form, annotation):
        return " ".join(name.split())
    partial = _PARTIAL.search(_text(raw.FPDFAnnot_GetFormFieldName, form, annotation))
    words = " ".join(_BETWEEN.sub(" ", partial[0] if partial else "").split())
    return words[:1].upper() + words[1:]


def _text(function: Callable[..., int], *arguments: Any) -> str:
    """Return a text that PDFium gives as UTF-16; "" if it is missing or too long."""
    size = function(*arguments, None, 0)
    if not 2 < size <= 2 * MAX_CHARACTERS:
        return ""
    buffer = (ctypes.c_ushort * (size // 2))()
    function(*arguments, buffer, size)
    return bytes(buffer).decode("utf-16-le", "replace").rstrip("\0").strip()
