"""The sheets of an OpenDocument spreadsheet."""

from pathlib import PurePosixPath

from selfrag.domain.documents import Document
from selfrag.domain.writing import Writer
from selfrag.reader.data.workbooks.ods_content import Content
from selfrag.reader.data.workbooks.sheets import write_sheets
from selfrag.reader.kinds import ODS
from selfrag.reader.office.properties import properties
from selfrag.reader.zipped import unzipped

_CONTENT, _PROPERTIES = "content.xml", "meta.xml"


def read_ods(key: str, content: bytes) -> Document:
    """Each sheet is a part, each row of a table a line; hidden ones are left out with a warning. Raises BadDocument."""
    writer, reader = Writer(key), Content()
    with unzipped(key, content, ODS) as archive:
        archive.parse(_CONTENT, reader)
        write_sheets(writer, reader.sheets)
        said = properties(archive, _PROPERTIES)
    return writer.document(said.title or PurePosixPath(key).name, said.labels())
