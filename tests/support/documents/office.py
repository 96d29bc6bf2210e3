"""Small office documents, generated so that a test controls their content and defects."""

from collections.abc import Mapping, Sequence
from email.message import EmailMessage

from tests.support.documents.files import WORD, zipped

SLIDE = (
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
)
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_OASIS = "urn:oasis:names:tc:opendocument:xmlns"
_PREFIXES = {"office": "office", "text": "text", "table": "table", "draw": "drawing", "style": "style"}
_PREFIXES |= {"presentation": "presentation", "svg": "svg-compatible", "fo": "xsl-fo-compatible"}
ODF = " ".join(f'xmlns:{prefix}="{_OASIS}:{name}:1.0"' for prefix, name in _PREFIXES.items())
ODT_TYPE = "application/vnd.oasis.opendocument.text"
ODP_TYPE = "application/vnd.oasis.opendocument.presentation"
EPUB_TYPE = "application/epub+zip"


def related(*parts: tuple[str, str], outside: bool = False) -> str:
    """Return a part that says which others are referred to: kind and target of rId1, rId2 and so on."""
    mode = ' TargetMode="External"' if outside else ""
    told = (
        f'<Relationship Id="rId{number}" Type="{_RELATED}/{kind}" Target="{target}"{mode}/>'
        for number, (kind, target) in enumerate(parts, 1)
    )
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{"".join(told)}</Relationships>'


def notes(kind: str, **texts: str) -> str:
    """Return a part of `footnotes` or `endnotes` of a Word document; the names are n1, n2 and so on."""
    told = (
        f'<w:{kind[:-1]} w:id="{name[1:]}"><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:{kind[:-1]}>'
        for name, text in texts.items()
    )
    return f"<w:{kind} {WORD}>{''.join(told)}</w:{kind}>"


def note(number: int, kind: str = "footnote") -> str:
    """Return a reference to a note of a Word document."""
    return f'<w:r><w:{kind}Reference w:id="{number}"/></w:r>'


def shape(*lines: str, kind: str = "") -> str:
    """Return a shape of a slide, such as its `title`."""
    place = f'<p:nvSpPr><p:nvPr><p:ph type="{kind}"/></p:nvPr></p:nvSpPr>' if kind else ""
    told = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in lines)
    return f"<p:sp>{place}<p:txBody>{told}</p:txBody></p:sp>"


def slide_table(*rows: Sequence[str], properties: str = 'firstRow="1"') -> str:
    """Return a table of a slide; a cell that begins with < is raw XML."""
    told = ""
    for row in rows:
        cells = (one if one.startswith("<") else f"<a:tc>{_cell(one)}</a:tc>" for one in row)
        told += f"<a:tr>{''.join(cells)}</a:tr>"
    return f"<p:graphicFrame><a:tbl><a:tblPr {properties}/>{told}</a:tbl></p:graphicFrame>"


def _cell(text: str) -> str:
    return f"<a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody>"


def pptx(*slides: str, spoken: Mapping[int, str] | None = None, hidden: Sequence[int] = (), **parts: str) -> bytes:
    """Return a presentation of slides, each a text of shapes; `spoken` are notes by the number of the slide."""
    numbers = range(1, len(slides) + 1)
    ids = "".join(f'<p:sldId r:id="rId{number}"/>' for number in numbers)
    files = {
        "ppt/presentation.xml": f'<p:presentation {SLIDE} xmlns:r="{_RELATED}">{ids}</p:presentation>',
        "ppt/_rels/presentation.xml.rels": related(*(("slide", f"slides/slide{number}.xml") for number in numbers)),
    }
    for number, shapes in enumerate(slides, 1):
        show = ' show="0"' if number in hidden else ""
        files[f"ppt/slides/slide{number}.xml"] = f"<p:sld {SLIDE}{show}>{shapes}</p:sld>"
    for number, text in (spoken or {}).items():
        files[f"ppt/slides/_rels/slide{number}.xml.rels"] = related(("notesSlide", f"../notesSlides/n{number}.xml"))
        page = shape("Slide image", kind="sldImg") + shape(text, kind="body") + shape(str(number), kind="sldNum")
        files[f"ppt/notesSlides/n{number}.xml"] = f"<p:notes {SLIDE}>{page}</p:notes>"
    return zipped({**files, **parts})


def odf(kind: str, body: str, automatic: str = "", styles: str = "", **parts: str) -> bytes:
    """Return an OpenDocument file of a type; `automatic` are its content's styles, `styles` the XML of styles.xml."""
    content = f"<office:document-content {ODF}><office:automatic-styles>{automatic}</office:automatic-styles>"
    return zipped(
        {
            "mimetype": kind,
            "content.xml": f"{content}<office:body>{body}</office:body></office:document-content>",
            "styles.xml": f"<office:document-styles {ODF}>{styles}</office:document-styles>",
            **parts,
        }
    )


def epub(
    chapters: Mapping[str, str], spine: Sequence[str] = (), title: str = "Handbook", toc: str = "", **parts: str
) -> bytes:
    """Return a book of pages by their names; `spine` is their order, `toc` the place of the contents by its guide."""
    items = "".join(
        f'<item id="{name}" href="text/{name}.xhtml" media-type="application/xhtml+xml"'
        f' properties="{"nav" if name == "nav" else ""}"/>'
        for name in chapters
    )
    order = "".join(f'<itemref idref="{name}"/>' for name in spine or chapters)
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>{title}</dc:title><dc:date>2026-01-31</dc:date></metadata>"
        f"<manifest>{items}</manifest><spine>{order}</spine>"
        f'<guide><reference type="toc" href="text/{toc}"/></guide></package>'
    )
    container = '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>'
    pages = {f"OPS/text/{name}.xhtml": f"<html><body>{page}</body></html>" for name, page in chapters.items()}
    return zipped(
        {"mimetype": EPUB_TYPE, "META-INF/container.xml": container, "OPS/book.opf": package, **pages, **parts}
    )


def eml(text: str, subject: str = "Leave", attached: Mapping[str, bytes] | None = None, html: str = "") -> bytes:
    """Return a message with attachments by name."""
    message = EmailMessage()
    message["Subject"], message["From"] = subject, "Ada <ada@example.com>"
    message["To"], message["Date"] = "Bo <bo@example.com>", "Sat, 31 Jan 2026 10:00:00 +0900"
    message.set_content(text)
    if html:
        message.add_alternative(html, subtype="html")
    for name, content in (attached or {}).items():
        message.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    return bytes(message)
