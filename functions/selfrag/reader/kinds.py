"""File kinds by their first bytes, and the rejection of mismatched names."""

from contextlib import suppress
from io import BytesIO
from zipfile import ZipFile

from selfrag.domain.errors import BadDocument
from selfrag.domain.kinds import REFUSED, refused_as

TEXT, PDF = "text", "a PDF"
WORD, POWERPOINT, EXCEL = "a Word document", "a PowerPoint presentation", "an Excel workbook"
XLS, XLSB = "an Excel workbook of the old kind", "an Excel workbook in binary form"
ODT, ODP, ODS = "an OpenDocument text", "an OpenDocument presentation", "an OpenDocument spreadsheet"
EPUB, MESSAGE = "an EPUB book", "a message"
_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_NAMED = {
    PDF: ".pdf",
    WORD: ".docx",
    POWERPOINT: ".pptx",
    EXCEL: ".xlsx",
    XLS: ".xls",
    XLSB: ".xlsb",
    ODT: ".odt",
    ODP: ".odp",
    ODS: ".ods",
    EPUB: ".epub",
}
# A file that the archives of these kinds hold.
_PARTS = {
    "word/document.xml": WORD,
    "ppt/presentation.xml": POWERPOINT,
    "xl/workbook.xml": EXCEL,
    "xl/workbook.bin": XLSB,
}
# The file `mimetype` of an archive.
_TYPES = {
    b"application/vnd.oasis.opendocument.text": ODT,
    b"application/vnd.oasis.opendocument.presentation": ODP,
    b"application/vnd.oasis.opendocument.spreadsheet": ODS,
    b"application/epub+zip": EPUB,
}
_WORKBOOKS = ("Workbook", "Book")  # streams of Excel 97 and later, and of Excel 95
_EMBEDDING = ("WordDocument", "PowerPoint Document")  # streams of files in which a workbook may be embedded
# PDF readers search this far for the header: some programs write a line before it.
_PDF_WITHIN = 1024
_TYPE_LENGTH = 100


def refuse_other_kinds(key: str, content: bytes, expected: str) -> None:
    """Raise BadDocument if the content is clearly not `expected`."""
    if not content and expected != TEXT:
        raise BadDocument(f"{key} is empty (0 bytes); save it again.")
    kind = _kind_of(content, expected)
    if kind == expected:
        return
    if kind in _NAMED:
        raise BadDocument(f"{key} is {kind}, not {expected}; name it {_NAMED[kind]}.")
    if kind:
        raise BadDocument(f"{key} is {kind}.")
    raise BadDocument(f"{key} is not {expected}, whatever its name says; save it again, or name it by what it is.")


def refusal(key: str) -> str:
    """Return the message for a known but unsupported file extension, or ""."""
    reason = refused_as(key)
    return f"{key} is {reason}." if reason else ""


def _kind_of(content: bytes, expected: str) -> str:
    """Return the kind, the refusal of an unsupported kind such as an archive, or "" if unclear."""
    if content.startswith(b"%PDF-") or (expected == PDF and b"%PDF-" in content[:_PDF_WITHIN]):
        return PDF
    if content.startswith(b"{\\rtf"):
        return REFUSED[".rtf"]
    if content.startswith(_OLE):
        return _ole_kind(content, expected)
    if content.startswith(_ZIP):
        return _zip_kind(content, expected)
    return expected if expected in (TEXT, MESSAGE) else ""


def _ole_kind(content: bytes, expected: str) -> str:
    """Return a kind, or a refusal, by the streams of an OLE file."""

    def has(stream: str) -> bool:
        return stream.encode("utf-16-le") in content

    if has("EncryptedPackage"):
        return "an Office file with a password; save it without one"
    if any(map(has, _WORKBOOKS)) and (expected == XLS or not any(map(has, _EMBEDDING))):
        return XLS
    return "an Office file of the old kind; save it as .docx, .xlsx or .pptx"


def _zip_kind(content: bytes, expected: str) -> str:
    """Return a kind by the content of an archive; a damaged archive is `expected` if that is one."""
    names, media_type = frozenset[str](), b""
    with suppress(Exception), ZipFile(BytesIO(content)) as archive:  # zipfile and zlib raise half a dozen kinds
        names = frozenset(archive.namelist())
        if "mimetype" in names:
            with archive.open("mimetype") as opened:
                media_type = opened.read(_TYPE_LENGTH)
    kinds = [kind for part, kind in _PARTS.items() if part in names]
    kinds += [kind for name, kind in _TYPES.items() if media_type.startswith(name)]
    if expected in kinds or (not names and expected in (*_PARTS.values(), *_TYPES.values())):
        return expected
    return kinds[0] if kinds else REFUSED[".zip"]
