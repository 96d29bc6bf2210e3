"""The text of an RTF file."""

from pathlib import PurePosixPath

from ingestion.parse_document.kinds import RTF, refuse_other_kinds
from ingestion.parse_document.labels import labels
from ingestion.parse_document.office.blocks import Paragraph, texts
from ingestion.parse_document.office.headers import compared, said_beside
from ingestion.parse_document.office.rtf.reader import RtfReader
from ingestion.parse_document.office.rtf.tokens import tokens
from ingestion.parse_document.office.tables import write
from ingestion.parse_document.writing import Writer
from ingestion.parse_document.zipped import TooMuch
from selfrag.domain.documents import Document
from selfrag.domain.errors import BadDocument


def read_rtf(key: str, content: bytes) -> Document:
    """Paragraphs, rows of tables, notes and headers, with headings by outline or style; raises BadDocument."""
    refuse_other_kinds(key, content, RTF)
    writer, reader = Writer(key), RtfReader()
    try:
        for token in tokens(content):
            reader.take(token)
        whole, blocks = reader.whole, reader.finished()
    except TooMuch as error:
        raise BadDocument(f"{key} {error}.") from error
    if not whole:
        writer.warnings.append(f"{key} is cut off at its end: only what it still holds was read.")
    known = set(map(compared, texts(blocks)))
    write(writer, [*map(Paragraph, said_beside(reader.asides.headers, known)), *blocks])
    date = "-".join(f"{reader.date.get(name, 0):0{width}}" for name, width in (("yr", 4), ("mo", 2), ("dy", 2)))
    first = next((heading.text for heading in writer.headings if heading.level <= 2), PurePosixPath(key).name)
    title = " ".join(reader.collected.get("title", "").split())
    return writer.document(title or first, labels([reader.collected.get("keywords", "")], date))
