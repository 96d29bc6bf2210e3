"""File kinds by their first bytes, and the rejection of mismatched names."""

from contextlib import suppress
from io import BytesIO
from typing import NamedTuple
from zipfile import ZipFile

from selfrag.domain.errors import BadDocument
from selfrag.domain.kinds import REFUSED


class FileKind(NamedTuple):
    """A kind's name and ending, and how its archives are recognized: by a file in them, or by their file `mimetype`."""

    name: str
    ending: str = ""
    part: str = ""
    media_type: bytes = b""


TEXT, MESSAGE, PDF = FileKind("text"), FileKind("a message"), FileKind("a PDF", ".pdf")
WORD = FileKind("a Word document", ".docx", "word/document.xml")
POWERPOINT = FileKind("a PowerPoint presentation", ".pptx", "ppt/presentation.xml")
EXCEL = FileKind("an Excel workbook", ".xlsx", "xl/workbook.xml")
XLS = FileKind("an Excel workbook of the old kind", ".xls")
XLSB = FileKind("an Excel workbook in binary form", ".xlsb", "xl/workbook.bin")
_ODF = b"application/vnd.oasis.opendocument."
ODT = FileKind("an OpenDocument text", ".odt", media_type=_ODF + b"text")
ODP = FileKind("an OpenDocument presentation", ".odp", media_type=_ODF + b"presentation")
ODS = FileKind("an OpenDocument spreadsheet", ".ods", media_type=_ODF + b"spreadsheet")
EPUB = FileKind("an EPUB book", ".epub", media_type=b"application/epub+zip")
_ARCHIVES = (WORD, POWERPOINT, EXCEL, XLSB, ODT, ODP, ODS, EPUB)
_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_WORKBOOKS = ("Workbook", "Book")  # streams of Excel 97 and later, and of Excel 95
_EMBEDDING = ("WordDocument", "PowerPoint Document")  # streams of files in which a workbook may be embedded
# PDF readers search this far for the header: some programs write a line before it.
_PDF_WITHIN = 1024
_TYPE_LENGTH = 100


def refuse_other_kinds(key: str, content: bytes, expected: FileKind) -> None:
    """Raise BadDocument if the content is clearly not `expected`."""
    if not content and expected != TEXT:
        raise BadDocument(f"{key} is empty (0 bytes); save it again.")
    kind = _kind_of(content, expected)
    if kind is None:
        raise BadDocument(
            f"{key} is not {expected.name}, whatever its name says; save it again, or name it by what it is."
        )
    if kind != expected:
        instead = f", not {expected.name}; name it {kind.ending}" if kind.ending else ""
        raise BadDocument(f"{key} is {kind.name}{instead}.")


def _kind_of(content: bytes, expected: FileKind) -> FileKind | None:
    """Return the kind, that of an unsupported one such as an archive (with advice), or None if unclear."""
    if content.startswith(b"%PDF-") or (expected == PDF and b"%PDF-" in content[:_PDF_WITHIN]):
        return PDF
    if content.startswith(b"{\\rtf"):
        return FileKind(REFUSED[".rtf"])
    if content.startswith(_OLE):
        return _ole_kind(content, expected)
    if content.startswith(_ZIP):
        return _zip_kind(content, expected)
    return expected if expected in (TEXT, MESSAGE) else None


def _ole_kind(content: bytes, expected: FileKind) -> FileKind:
    """Return a kind, or a refusal, by the streams of an OLE file."""

    def has(stream: str) -> bool:
        return stream.encode("utf-16-le") in content

    if has("EncryptedPackage"):
        return FileKind("an Office file with a password; save it without one")
    if any(map(has, _WORKBOOKS)) and (expected == XLS or not any(map(has, _EMBEDDING))):
        return XLS
    return FileKind("an Office file of the old kind; save it as .docx, .xlsx or .pptx")


def _zip_kind(content: bytes, expected: FileKind) -> FileKind:
    """Return a kind by the content of an archive; a damaged archive is `expected` if that is one."""
    names, media_type = frozenset[str](), b""
    with suppress(Exception), ZipFile(BytesIO(content)) as archive:  # zipfile and zlib raise half a dozen kinds
        names = frozenset(archive.namelist())
        if "mimetype" in names:
            with archive.open("mimetype") as opened:
                media_type = opened.read(_TYPE_LENGTH)
    kinds = [
        kind for kind in _ARCHIVES if (kind.part in names if kind.part else media_type.startswith(kind.media_type))
    ]
    if expected in kinds or (not names and expected in _ARCHIVES):
        return expected
    return kinds[0] if kinds else FileKind(REFUSED[".zip"])
