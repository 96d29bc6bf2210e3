"""The text of an OpenDocument text or presentation."""

from pathlib import PurePosixPath

from typing_extensions import override

from selfrag.domain.documents import Document
from selfrag.domain.errors import BadDocument
from selfrag.domain.writing import Writer
from selfrag.reader.archive import PartReader, XmlArchive, local, open_archive
from selfrag.reader.kinds import ODP, ODT
from selfrag.reader.office.blocks import Block, Paragraph, texts
from selfrag.reader.office.headers import PAGE_NUMBER, compared, new_lines
from selfrag.reader.office.odf.content import OdfContent
from selfrag.reader.office.odf.styles import OdfStyles
from selfrag.reader.office.ooxml.pptx import hidden_slides
from selfrag.reader.office.properties import properties
from selfrag.reader.office.tables import write

_CONTENT, _STYLES, _PROPERTIES, _MANIFEST = "content.xml", "styles.xml", "meta.xml", "META-INF/manifest.xml"


def read_odt(key: str, content: bytes) -> Document:
    """Paragraphs, rows of tables, notes and headers, with headings as the text has them; raises BadDocument."""
    return _read(key, content, ODT)


def read_odp(key: str, content: bytes) -> Document:
    """Slide by slide, as a PowerPoint presentation is read; raises BadDocument."""
    return _read(key, content, ODP)


def _read(key: str, content: bytes, kind: str) -> Document:
    writer = Writer(key)
    with open_archive(key, content, kind) as archive:
        _refuse_encrypted(key, archive)
        styles = OdfStyles()
        headers = OdfContent(styles, PAGE_NUMBER)
        try:
            if _STYLES in archive.names:
                archive.parse(_STYLES, headers)
        except Exception:  # what expat and zlib raise, and limits; the text is worth reading without
            writer.warnings.append(f"{key} has styles that cannot be read, so its headings may be missing.")
        body = OdfContent(styles)
        archive.parse(_CONTENT, body)
        write(writer, body.story.blocks if kind == ODP else _with_headers(headers, body))
        if body.hidden:
            writer.warnings.append(hidden_slides(key, body.hidden))
        metadata = properties(archive, _PROPERTIES)
        first = next((heading.text for heading in writer.headings if heading.level <= 2), PurePosixPath(key).name)
        title = next((heading.text for heading in writer.headings if heading.level == 1), first)
        return writer.document(title, metadata.labels())


def _with_headers(headers: OdfContent, body: OdfContent) -> list[Block]:
    """Return the blocks of a text, and before them what its headers and footers add."""
    blocks = body.story.blocks
    seen = set(map(compared, texts(blocks)))
    return [*(Paragraph(line) for line in new_lines(texts(headers.story.blocks), seen)), *blocks]


class _Manifest(PartReader):
    """The manifest of an archive, which says whether parts of it are encrypted."""

    def __init__(self) -> None:
        self.encrypted = False

    @override
    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.encrypted |= local(tag) == "encryption-data"


def _refuse_encrypted(key: str, archive: XmlArchive) -> None:
    manifest = _Manifest()
    if _MANIFEST in archive.names:
        archive.parse(_MANIFEST, manifest)
    if manifest.encrypted:
        raise BadDocument(f"{key} is encrypted; save it without a password.")
