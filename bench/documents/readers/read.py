"""Runs in a reader's environment: reads each file named on stdin, and prints its text as a line of JSON.

It imports nothing of ours but for the reader that is ours, and each reader only when it is asked for.
"""

import importlib
import json
import logging
import re
import resource
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Read = Callable[[str], dict[str, Any]]


def _selfrag() -> Read:
    from selfrag.reader.readers import parse

    def read(path: str) -> dict[str, Any]:
        document = parse(Path(path).name, Path(path).read_bytes())
        tables = [
            [document.text[row.start : row.end] for row in document.rows if table.start <= row.start < table.end]
            for table in document.tables
        ]
        told = [document.text[row.start : row.end] for row in document.rows]
        return {"text": document.text, "rows": told, "tables": [table for table in tables if table]}

    return read


def _pypdf() -> Read:
    from pypdf import PdfReader

    return lambda path: {"text": "\n".join(page.extract_text() for page in PdfReader(path).pages)}


def _pdfplumber() -> Read:
    import pdfplumber

    def read(path: str) -> dict[str, Any]:
        texts, grids = [], []
        with pdfplumber.open(path) as pdf:
            for page in pdf.pages:
                texts.append(page.extract_text())
                grids += [[[value or "" for value in row] for row in table] for table in page.extract_tables()]
                page.close()
        rows = [row for grid in grids for row in _named(grid)]
        return {"text": "\n".join(texts), "rows": rows, "grids": grids}

    return read


def _named(table: list[list[str]]) -> Iterator[str]:
    """The rows of a table with the values of its first one as names, which is what pdfplumber leaves to its users."""
    names, *rows = table
    for row in rows:
        yield "; ".join(f"{name}: {value}".replace("\n", " ") for name, value in zip(names, row, strict=False))


def _markitdown() -> Read:
    from markitdown import MarkItDown

    reader = MarkItDown(enable_plugins=False)
    return lambda path: {"text": reader.convert_local(path).text_content}


# By extension: the module and the class that reads it, without a model. All but PDFs return everything in one call.
_DOCLING = {
    "pdf": ("docling_parse_backend", "ThreadedDoclingParseDocumentBackend"),
    "html": ("html_backend", "HTMLDocumentBackend"),
    "md": ("md_backend", "MarkdownDocumentBackend"),
    "docx": ("msword_backend", "MsWordDocumentBackend"),
    "pptx": ("mspowerpoint_backend", "MsPowerpointDocumentBackend"),
    "xlsx": ("msexcel_backend", "MsExcelDocumentBackend"),
    "odt": ("opendocument_backend", "OdtDocumentBackend"),
    "epub": ("epub_backend", "EpubDocumentBackend"),
}


def _docling() -> Read:
    """Return its light way: `docling.document_converter` cannot be imported without PyTorch."""
    from docling.datamodel.base_models import InputFormat
    from docling.datamodel.document import InputDocument

    def read(path: str) -> dict[str, Any]:
        ending = Path(path).suffix[1:]
        module, name = _DOCLING[ending]
        backend = getattr(importlib.import_module(f"docling.backend.{module}"), name)
        given = InputDocument(path_or_stream=Path(path), format=InputFormat(ending), backend=backend)
        if ending == "pdf":
            from docling.pipeline.native_pdf_pipeline import NativePdfPipeline

            done = NativePdfPipeline(NativePdfPipeline.get_default_options()).execute(given, raises_on_error=True)
            document = done.document
        else:
            document = given._backend.convert()
        return {"text": document.export_to_markdown(escape_html=False, escape_underscores=False)}

    return read


READERS = {
    "selfrag": _selfrag,
    "pypdf": _pypdf,
    "pdfplumber": _pdfplumber,
    "markitdown": _markitdown,
    "docling": _docling,
}


def _used() -> tuple[float, int]:
    """Seconds of computing, of this process and those that it started; and MiB, of it and of the largest of those."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    # A child's ru_maxrss starts from its parent's peak.
    own = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="utf-8"))
    peak = (int(own[1]) if own else used[0].ru_maxrss) + used[1].ru_maxrss
    return sum(one.ru_utime + one.ru_stime for one in used), peak // 1024


def main() -> None:
    """Read until stdin ends; the seconds are of reading alone, without the import."""
    logging.disable()
    replies, sys.stdout = sys.stdout, sys.stderr
    read = READERS[sys.argv[1]]()
    print(json.dumps({"ready": True}), file=replies, flush=True)
    for line in sys.stdin:
        began, _ = _used()
        try:
            found = read(line.rstrip("\n"))
        except Exception as error:
            found = {"error": f"{type(error).__name__}: {error}"[:300]}
        seconds, peak = _used()
        found |= {"seconds": seconds - began, "peak": peak}
        print(json.dumps(found), file=replies, flush=True)


if __name__ == "__main__":
    main()
