"""Fifty files that are not what they seem, put through ingestion in a process of its own; a report goes to stdout."""

import json
import random
import resource
import sys
from typing import Any

from tests.support.documents.files import docx, encrypted_pdf, paragraph, pdf, zipped
from tests.support.documents.watched import most_memory
from tests.support.ingesting import ingestion

GOOD = "handbook/good.md"
MEGABYTE = 1024 * 1024
_PDF = pdf("Annual leave is 25 days.", "Sick leave is paid.")
_WORD = docx(paragraph("Annual leave is 25 days."))
_DOCUMENT = "word/document.xml"


def damaged() -> dict[str, bytes]:
    """Fifty files by name: cut off, bombs, empty, of another kind than their name says, too long, too deep."""
    dice = random.Random(4)
    files: dict[str, bytes] = {}
    for extension in ("pdf", "docx", "csv", "html", "md", "txt"):
        files[f"empty.{extension}"] = b""
        files[f"noise.{extension}"] = dice.randbytes(5000)
    for part in range(1, 9):
        files[f"cut-{part}.pdf"] = _PDF[: len(_PDF) * part // 9]
        files[f"cut-{part}.docx"] = _WORD[: len(_WORD) * part // 9]
    files |= {
        "pdf.txt": _PDF,
        "pdf.docx": _PDF,
        "word.md": _WORD,
        "word.pdf": _WORD,
        "text.pdf": b"Annual leave is 25 days.",
        "text.docx": b"Annual leave is 25 days.",
        "password.pdf": encrypted_pdf("Annual leave is 25 days.", "secret", "AES-256"),
        "scanned.pdf": pdf("", "", ""),
        "bomb.docx": zipped({_DOCUMENT: 200}),
        "entities.docx": zipped({_DOCUMENT: b'<!DOCTYPE w [<!ENTITY a "aaaaaaaaaa">]><w>&a;</w>'}),
        "nested.docx": zipped({_DOCUMENT: b"<w>" * 5000 + b"</w>" * 5000}),
        "many.docx": zipped({_DOCUMENT: b"<w/>", **{f"x{n}": b"" for n in range(12_000)}}),
        "nothing.docx": zipped({"other.xml": b"<w/>"}),
        "one-line.txt": b"Annual leave" + b" " * (10 * MEGABYTE - 100) + b"is 25 days.",
        "one-line.md": b"# " + b"=" * (10 * MEGABYTE - 100) + b" Leave is paid.",
        "too-long.txt": b"word " * (3 * MEGABYTE),
        "deep.html": b"<div>" * 200_000 + b"Annual leave is 25 days.",
        "unclosed.html": b"<table><tr><td>" * 20_000,
        "comment.html": b"<!--" + b"x" * MEGABYTE,
        "utf-16.txt": "Annual leave is 25 days.".encode("utf-16")[:-1],
        "controls.csv": b"Stadt;Gr\xf6\x9de\nK\x81ln;\x02\n",
        "nul.md": b"Annual\x00leave",
    }
    return {f"damaged/{name}": content for name, content in sorted(files.items())}


def main() -> None:
    """Ingest a good file, the damaged ones, and look at the good one again."""
    outcomes: dict[str, Any] = {}
    with ingestion() as running:
        running.put(GOOD, b"# Leave\n\nLeave is 25 days.\n")
        running.done(GOOD)
        before = [text for text in running.texts() if "Leave is 25 days." in text]
        for key, content in damaged().items():
            running.put(key, content)
            ended = running.done(key)
            record = running.record(key)
            outcomes[key] = {"status": ended["status"], "reason": ended["reason"], "warnings": record["warnings"]}
        kept = [text for text in running.texts() if text in before]
        agree = running.recorded_ids() == running.indexed_ids()
    peak = max(most_memory(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
    json.dump({"outcomes": outcomes, "kept": kept == before, "agree": agree, "peak_mb": peak}, sys.stdout)


if __name__ == "__main__":
    main()
