"""Damaged and misleading office documents, books and messages, to be read in a separate process.

`.venv/bin/python -m tests.support.documents.damaged_office` prints the result of each, and the peak memory.
"""

import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_LZMA

from tests.support.documents.files import docx, paragraph, pdf, zipped
from tests.support.documents.office import (
    EPUB_TYPE,
    ODP_TYPE,
    ODT_TYPE,
    SLIDE,
    eml,
    epub,
    note,
    notes,
    odf,
    pptx,
    shape,
)
from tests.support.documents.watched import outcomes

MEGABYTE = 1024 * 1024
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
_PAGE = f"<office:text><text:p>Leave</text:p>{'<text:p>25 days.</text:p>' * 50}</office:text>"
_SLIDES = f"<office:presentation><draw:page>{_PAGE}</draw:page></office:presentation>"
GOOD = {
    ".docx": docx(*[paragraph(f"Leave is {number} days.") for number in range(50)]),
    ".pptx": pptx(*[shape(f"Leave is {number} days.") for number in range(10)]),
    ".odt": odf(ODT_TYPE, _PAGE),
    ".odp": odf(ODP_TYPE, _SLIDES),
    ".epub": epub({"one": "<p>Leave is 25 days.</p>" * 50, "two": "<p>End.</p>"}),
    ".eml": eml("Leave is 25 days.", attached={"a.docx": docx(paragraph("Words."))}),
}
# The part to break, and the part that identifies the format.
_MAIN = {
    ".docx": ("word/document.xml", {}),
    ".pptx": ("ppt/presentation.xml", {}),
    ".odt": ("content.xml", {"mimetype": ODT_TYPE}),
    ".odp": ("content.xml", {"mimetype": ODP_TYPE}),
    ".epub": ("META-INF/container.xml", {"mimetype": EPUB_TYPE}),
}


GOOD_FILES = {f"good{ending}": content for ending, content in GOOD.items()}


def damaged() -> dict[str, bytes]:
    """Files by name, none of which can be read."""
    dice = random.Random(11)
    files = {f"empty{ending}": b"" for ending in GOOD}
    files |= {f"noise{ending}": dice.randbytes(5000) for ending in GOOD}
    for ending, (main, beside) in _MAIN.items():
        good = GOOD[ending]
        files |= {f"cut-{part}{ending}": good[: len(good) * part // 4] for part in (1, 2, 3)}
        files |= {f"{name}{ending}": content for name, content in _broken(main, beside)}
    return {**files, **_of_other_kinds(), **_too_large()}


def suspicious() -> dict[str, bytes]:
    """Return files by name that are readable, though they have external references, programs, or large content."""
    away = "http://127.0.0.1:9/x"
    relation = f'<Relationship Id="r" Type="x/header" TargetMode="External" Target="{away}"/>'
    wide = '<w:tr><w:tc><w:tcPr><w:gridSpan w:val="99999"/></w:tcPr><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc></w:tr>'
    field = f'<w:p><w:fldSimple w:instr="INCLUDETEXT {away}"><w:r><w:t>x</w:t></w:r></w:fldSimple></w:p>'
    long = notes("footnotes", n1="Very long. " * 100_000)
    section = f'<text:section-source xmlns:x="x" x:href="{away}"/><text:p>x</text:p>'
    cell = '<table:table-cell table:number-columns-repeated="99999"><text:p>x</text:p></table:table-cell>'
    table = f"<table:table><table:table-row>{cell * 1000}</table:table-row></table:table>"
    frames = (
        f'<p>Words.</p><img src="{away}"/><iframe src="file:///etc/passwd"></iframe><script>fetch("{away}")</script>'
    )
    return {
        "macro.docx": zipped({"word/vbaProject.bin": _OLE}, onto=GOOD[".docx"]),
        "linked.docx": zipped({"word/_rels/document.xml.rels": f"<r>{relation}</r>"}, onto=GOOD[".docx"]),
        "embedded.docx": zipped({"word/embeddings/o.bin": _OLE}, onto=GOOD[".docx"]),
        "field.docx": docx(field),
        "wide.docx": docx(f"<w:tbl>{wide * 2000}</w:tbl>"),
        "notes.docx": docx(
            f"<w:p><w:r><w:t>x</w:t></w:r>{note(1) * 50_000}</w:p>",
            footnotes=long,
        ),
        "linked.odt": odf(ODT_TYPE, f"<office:text><text:section>{section}</text:section></office:text>"),
        "repeated.odt": odf(ODT_TYPE, f"<office:text>{table}</office:text>"),
        "linked.epub": epub({"one": frames}),
        "bomb.eml": eml("Words.", attached={"a.docx": zipped({"word/document.xml": 200})}),
        "script.eml": eml(" ", html=frames),
    }


def _broken(main: str, beside: dict[str, str]) -> Iterator[tuple[str, bytes]]:
    entities = b'<!DOCTYPE w [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><w>&b;</w>'
    yield "bomb", zipped({**beside, main: 200})
    yield "entities", zipped({**beside, main: entities})
    yield "nested", zipped({**beside, main: b"<w>" * 5000 + b"</w>" * 5000})
    yield "many", zipped({**beside, main: b"<w/>", **{f"x{number}": b"" for number in range(12_000)}})
    yield "packed", zipped({**beside, main: b"<w/>"}, ZIP_LZMA)
    yield "unclosed", zipped({**beside, main: b"<w><p>"})
    yield "without", zipped({**beside, "other.xml": b"<w/>"})


def _of_other_kinds() -> dict[str, bytes]:
    streams = {
        "old": "WordDocument",
        "mail": "__properties_version1.0",
        "locked": "EncryptedPackage",
    }
    return {
        **{f"{name}.docx": _OLE + stream.encode("utf-16-le") for name, stream in streams.items()},
        "archive.docx": zipped({"a.txt": "Words."}),
        "packed.pptx.gz": gzip.compress(b"Words."),
        "gzip.odt": gzip.compress(b"Words."),
        "rar.epub": b"Rar!\x1a\x07\x00" + bytes(100),
        "slides.docx": GOOD[".pptx"],
        "word.odt": GOOD[".docx"],
        "pdf.pptx": pdf("Words."),
        "text.epub": b"Words.",
        "rich.docx": rb"{\rtf1 Words.}",
        "words.ics": b"Words.",
        "words.eml": b"Words.\n\nMore.",
        "locked.eml": b"Subject: x\nContent-Type: application/pkcs7-mime\n\nabc",
        "locked.epub": epub({"one": "x"}, **{"META-INF/encryption.xml": '<e><EncryptionMethod Algorithm="aes"/></e>'}),
        "locked.odt": odf(ODT_TYPE, _PAGE, **{"META-INF/manifest.xml": "<m><encryption-data/></m>"}),
    }


def _too_large() -> dict[str, bytes]:
    """Return well-formed content beyond the limits."""
    cells = "<w:tr>" + "<w:tc/>" * 100 + "</w:tr>"
    short = "<w:p><w:r><w:t>a</w:t></w:r></w:p>"
    slide = f"<p:sld {SLIDE}>{' ' * (60 * MEGABYTE)}</p:sld>"
    page = f"<html>{' ' * (60 * MEGABYTE)}</html>"
    spaces = '<text:s text:c="9999"/>' * 300_000
    return {
        "cells.docx": docx(f"<w:tbl>{cells * 20_000}</w:tbl>"),
        "paragraphs.docx": docx(short * 1_200_000),
        "words.docx": docx(f"<w:p><w:r><w:t>{'word ' * 5_000_000}</w:t></w:r></w:p>"),
        "slides.pptx": pptx(*["x"] * 6, **{f"ppt/slides/slide{number}.xml": slide for number in range(1, 7)}),
        "spaces.odt": odf(ODT_TYPE, f"<office:text><text:p>{spaces}</text:p></office:text>"),
        "chapters.epub": epub({f"c{n}": page for n in range(6)}),
        "headers.eml": b"Subject: x\n" + b"A: b\n" * MEGABYTE,
        "boundaries.eml": b"Subject: x\n" + b"Content-Type: multipart/mixed; boundary=a\n\n--a\n" * 5000,
        "messages.eml": b"Subject: x\n" + b"Content-Type: message/rfc822\n\n" * 5000,
    }


def main() -> None:
    """Print what becomes of each file."""
    with TemporaryDirectory() as folder:
        report = outcomes(Path(folder), {**GOOD_FILES, **damaged(), **suspicious()})
    for key, told in report.pop("outcomes").items():
        print(f"{key}: {told.get('reason') or told}")
    print(json.dumps(report))


if __name__ == "__main__":
    main()
