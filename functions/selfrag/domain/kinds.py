"""File kinds by name extension: supported ones, and known ones that are refused."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

# The kinds that parse_document supports and that the API accepts for upload.
_OFFICE = (".docx", ".eml", ".epub", ".ics", ".odp", ".odt", ".pptx")
_DATA = (".csv", ".json", ".jsonl", ".ndjson", ".ods", ".tsv", ".xls", ".xlsb", ".xlsm", ".xlsx")
EXTENSIONS = frozenset((".htm", ".html", ".markdown", ".md", ".pdf", ".text", ".txt", *_OFFICE, *_DATA))
_ARCHIVE = "an archive; unpack it, and add the files that it holds"
# Refused kinds by extension: the name of the kind, and advice.
REFUSED: Mapping[str, str] = {
    **dict.fromkeys((".7z", ".bz2", ".gz", ".rar", ".tar", ".tgz", ".xz", ".zip"), _ARCHIVE),
    ".doc": "a Word document of the old kind; save it as .docx",
    ".docm": "a Word document with macros; save it as .docx",
    ".dot": "a Word template of the old kind; save it as .docx",
    ".key": "a Keynote presentation; export it as .pptx or PDF",
    ".msg": "a message in Outlook's own form; save it as .eml",
    ".numbers": "a Numbers spreadsheet; export it as .xlsx or .csv",
    ".pages": "an Apple iWork document; export it as an Office document or PDF",
    ".ppt": "a PowerPoint presentation of the old kind; save it as .pptx",
    ".pptm": "a PowerPoint presentation with macros; save it as .pptx",
    ".rtf": "an RTF document; save it as .docx",
}
# The key of a web page: a collection, a slash, and the address.
_WEB_PAGE = re.compile(r"[^/]+/https?://")


def ending_of(key: str) -> str:
    """Return the lower-case extension; web pages without a supported one get .html."""
    # Without a path, the last name of an address is the host, such as example.md.
    ending = PurePosixPath(key.rpartition("/")[2]).suffix.lower()
    return ".html" if ending not in EXTENSIONS and _WEB_PAGE.match(key) else ending


def is_supported_kind(key: str) -> bool:
    """Return whether a file's extension is supported."""
    return ending_of(key) in EXTENSIONS


def refused_as(key: str) -> str:
    """Return a refused kind's name and advice by extension, or ""."""
    return REFUSED.get(PurePosixPath(key).suffix.lower(), "")


def is_generated_file(key: str) -> bool:
    """Return whether an object is generated: a folder marker, a lock file, or a hidden file such as .DS_Store."""
    if _WEB_PAGE.match(key):
        return False
    hidden = any(part.startswith(".") for part in key.split("/"))
    return key.endswith("/") or is_lock_file(key) or (hidden and not is_supported_kind(key))


def is_lock_file(key: str) -> bool:
    """Return whether a file is an Office lock file such as ~$plan.docx."""
    return key.rpartition("/")[2].startswith(("~$", ".~lock."))
