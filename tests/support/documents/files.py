"""Small PDF and Word files, made by hand: the libraries that read them cannot write text."""

import zlib
from collections.abc import Mapping, Sequence
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

from pypdf import PdfReader, PdfWriter

WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
STYLES = {"Titel": "Title", "berschrift1": "heading 1", "berschrift2": "heading 2", "Eigen": ("Eigen", "berschrift2")}


def pdf(*pages: str, title: str = "", extra: Sequence[bytes] = (), resources: str = "", information: str = "") -> bytes:
    """Return a PDF whose pages show these texts, line by line; `extra` are objects, the first numbered 4."""
    first = 4 + len(extra)
    kids = " ".join(f"{first + 2 * page} 0 R" for page in range(len(pages)))
    information += "/Title (" + title + ")" if title else ""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        *extra,
    ]
    for page, text in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {first + 2 * page + 1} 0 R "
            f"/Resources << /Font << /F1 3 0 R >> {resources} >> >>".encode()
        )
        objects.append(stream(_shown(text)))
    objects.append(f"<< {information} >>".encode())
    return assembled(objects, f"/Root 1 0 R /Info {len(objects)} 0 R")


def stream(content: bytes, entries: str = "") -> bytes:
    """Return a compressed stream object."""
    packed = zlib.compress(content, 9)
    return f"<< /Length {len(packed)} /Filter /FlateDecode {entries} >>\nstream\n".encode() + packed + b"\nendstream"


def assembled(objects: Sequence[bytes], trailer: str) -> bytes:
    """Return a PDF of these objects, numbered from 1."""
    out = BytesIO()
    out.write(b"%PDF-1.7\n")
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(out.tell())
        out.write(f"{number} 0 obj\n".encode() + content + b"\nendobj\n")
    table = out.tell()
    out.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode())
    out.write("".join(f"{offset:010} 00000 n \n" for offset in offsets).encode())
    out.write(f"trailer\n<< /Size {len(objects) + 1} {trailer} >>\nstartxref\n{table}\n%%EOF\n".encode())
    return out.getvalue()


def encrypted_pdf(text: str, password: str, algorithm: str) -> bytes:
    """Return a PDF that asks for a password, or with an empty one only forbids to copy."""
    writer, out = PdfWriter(clone_from=PdfReader(BytesIO(pdf(text)))), BytesIO()
    writer.encrypt(password, "owner", algorithm=algorithm)
    writer.write(out)
    return out.getvalue()


def paragraph(text: str, style: str = "") -> str:
    """Return a paragraph of a Word document."""
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r></w:p>"


def table(*rows: Sequence[str]) -> str:
    """Return a table of a Word document."""
    cells = ["".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) for row in rows]
    return "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in cells) + "</w:tbl>"


def docx(*body: str, prolog: str = "", **parts: str | bytes) -> bytes:
    """Return a Word document with a German Word's styles; `parts` replace or add files below word/."""
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{key}"><w:name w:val="{name if isinstance(name, str) else name[0]}"/>'
        + ("" if isinstance(name, str) else f'<w:basedOn w:val="{name[1]}"/>')
        + "</w:style>"
        for key, name in STYLES.items()
    )
    document = f"{prolog}<w:document {WORD}><w:body>{''.join(body)}<w:sectPr/></w:body></w:document>"
    files = {"document": document, "styles": f"<w:styles {WORD}>{styles}</w:styles>", **parts}
    return zipped({"[Content_Types].xml": "<Types/>", **{f"word/{name}.xml": part for name, part in files.items()}})


def zipped(files: Mapping[str, str | bytes | int], compression: int = ZIP_DEFLATED, onto: bytes = b"") -> bytes:
    """A ZIP archive, or one with more files in it; a number is a file of so many megabytes that open with a tag."""
    out = BytesIO(onto)
    with ZipFile(out, "a", compression) as archive:
        for name, content in files.items():
            if not isinstance(content, int):
                archive.writestr(name, content)
                continue
            with archive.open(name, "w") as large:
                large.write(b"<w>")
                for _ in range(content):
                    large.write(b" " * 1024 * 1024)
                large.write(b"</w>")
    return out.getvalue()


def _shown(text: str) -> bytes:
    lines = (line.translate(str.maketrans({"(": r"\(", ")": r"\)", "\\": r"\\"})) for line in text.split("\n"))
    shown = " T* ".join(f"({line}) Tj" for line in lines)
    return f"BT /F1 12 Tf 14 TL 72 770 Td {shown} ET".encode("cp1252") if text else b""
