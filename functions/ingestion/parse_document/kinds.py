"""Tells files whose name says another kind than their first bytes do."""

from selfrag.domain.errors import BadDocument

TEXT, PDF, WORD = "text", "a PDF", "a Word document"
_ZIP, _OFFICE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# Readers of PDF look for its mark this far into a file: some programs write a line of their own before it.
_PDF_WITHIN = 1024


def refuse_other_kinds(key: str, content: bytes, wanted: str) -> None:
    """Raise BadDocument if the content is plainly not `wanted`: TEXT, PDF or WORD."""
    if not content and wanted != TEXT:
        raise BadDocument(f"{key} is empty (0 bytes); save it again.")
    found, cure = _found(content, wanted)
    if not found:
        raise BadDocument(f"{key} is not {wanted}, whatever its name says; save it again, or name it by what it is.")
    if found != wanted:
        raise BadDocument(f"{key} is {found}, not {wanted}; {cure}.")


def _found(content: bytes, wanted: str) -> tuple[str, str]:
    if content.startswith(b"%PDF-"):
        return PDF, "name it .pdf"
    if content.startswith(_OFFICE):
        return "an Office file of the old kind or with a password", "save it as .docx without a password"
    if content.startswith(_ZIP):
        return (WORD, "") if wanted == WORD else ("a ZIP archive", "name it .docx if it is a Word document")
    if wanted == PDF and b"%PDF-" in content[:_PDF_WITHIN]:
        return PDF, ""
    return TEXT if wanted == TEXT else "", ""
