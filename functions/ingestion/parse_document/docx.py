"""The text of a Word document: a ZIP archive of XML, of which only the parts that are needed are unpacked."""

from contextlib import suppress
from io import BytesIO
from pathlib import PurePosixPath
from xml.parsers import expat
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from ingestion.parse_document.docx_parts import Body, Properties, Reader, Styles, TooMuch
from ingestion.parse_document.kinds import WORD, refuse_other_kinds
from selfrag.domain.documents import Document
from selfrag.domain.errors import BadDocument

MAX_ENTRIES = 10_000
MAX_PART = 64 * 1024 * 1024
_BODY, _STYLES, _PROPERTIES = "word/document.xml", "word/styles.xml", "docProps/core.xml"
_CHUNK = 1024 * 1024


def read_docx(key: str, content: bytes) -> Document:
    """Paragraphs and rows of tables on lines of their own, headings by style; raises BadDocument."""
    refuse_other_kinds(key, content, WORD)
    try:
        with ZipFile(BytesIO(content)) as archive:
            return _read(key, archive)
    except BadDocument:
        raise
    except TooMuch as error:
        raise BadDocument(f"{key} {error}.") from error
    except Exception as error:  # zipfile and zlib raise half a dozen kinds, and expat one more
        raise BadDocument(f"{key} is a damaged Word document and cannot be read; save it as .docx again.") from error


def _read(key: str, archive: ZipFile) -> Document:
    names = archive.namelist()
    if len(names) > MAX_ENTRIES:
        raise TooMuch(f"holds {len(names)} files, and a Word document at most {MAX_ENTRIES}; save it as .docx again")
    if _BODY not in names:
        raise BadDocument(f"{key} is a ZIP archive without {_BODY}, not a Word document; save it as .docx.")
    styles, warnings = Styles(), []
    try:
        if _STYLES in names:
            _parse(archive, _STYLES, styles)
    except Exception:  # as above; the text is worth reading without headings
        styles = Styles()
        warnings.append(f"{key} has styles that cannot be read, so its headings may be missing.")
    properties = Properties()
    if _PROPERTIES in names:
        with suppress(Exception):  # as above; tags and a date are not worth losing the text
            _parse(archive, _PROPERTIES, properties)
    found = properties.labels()
    body = Body(styles.levels())
    _parse(archive, _BODY, body)
    highest = min(body.headings, key=lambda heading: heading.level, default=None)
    title = highest.text if highest and highest.level <= 2 else PurePosixPath(key).name
    text = "\n".join(body.lines)
    return Document(key, title, text, tuple(body.headings), warnings=tuple(warnings), **vars(found))


def _parse(archive: ZipFile, name: str, reader: Reader) -> None:
    """Read a part as a stream; what it unpacks to is counted, for what it declares can be a lie."""
    part = archive.getinfo(name)
    if part.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise ValueError("Word documents are deflated; other methods can need any amount of memory.")
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.StartElementHandler, parser.EndElementHandler = reader.start, reader.end
    parser.CharacterDataHandler = reader.text
    size = part.file_size
    with archive.open(part) as opened:
        while size <= MAX_PART and (chunk := opened.read(_CHUNK)):
            parser.Parse(chunk)
            size = max(size, opened.tell())
    if size > MAX_PART:
        raise TooMuch(f"unpacks {name} to more than {MAX_PART >> 20} MB; split it into several files")
    parser.Parse(b"", True)


def _refuse_doctype(*_: object) -> None:
    # It could define entities that grow without end.
    raise TooMuch("declares a document type (DTD), which Word never does; save it as .docx again")
