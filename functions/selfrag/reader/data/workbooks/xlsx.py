"""The sheets of an Excel workbook: what its cells show, never what a formula or a macro would do."""

from pathlib import PurePosixPath

from selfrag.domain.documents import Document
from selfrag.domain.writing import Writer
from selfrag.reader.data.workbooks.sheets import write_sheets
from selfrag.reader.data.workbooks.workbook import Cells, Sheet
from selfrag.reader.data.workbooks.xlsx_parts import Formats, Strings, Workbook
from selfrag.reader.data.workbooks.xlsx_sheet import SheetReader
from selfrag.reader.kinds import EXCEL
from selfrag.reader.office.properties import properties
from selfrag.reader.office.relations import relations
from selfrag.reader.zipped import TooMuch, Zipped, unzipped

_WORKBOOK, _PROPERTIES = "xl/workbook.xml", "docProps/core.xml"


def read_xlsx(key: str, content: bytes) -> Document:
    """Each sheet is a part, each row of a table a line; hidden ones are left out with a warning. Raises BadDocument."""
    writer = Writer(key)
    with unzipped(key, content, EXCEL) as archive:
        write_sheets(writer, _sheets(archive, writer))
        said = properties(archive, _PROPERTIES)
    return writer.document(said.title or PurePosixPath(key).name, said.labels())


def _sheets(archive: Zipped, writer: Writer) -> list[Sheet]:
    workbook, related = Workbook(), relations(archive, _WORKBOOK)
    archive.parse(_WORKBOOK, workbook)
    parts = {relation.kind: relation.part for relation in related.values()}
    strings, formats = Strings(), Formats()
    if "sharedStrings" in parts:
        archive.parse(parts["sharedStrings"], strings)
    try:
        if "styles" in parts:
            archive.parse(parts["styles"], formats)
    except TooMuch:
        raise
    except Exception:  # what expat and zlib raise; the numbers are worth reading without their formats
        writer.warnings.append(f"{writer.key} has formats that cannot be read, so its dates are numbers.")
    sheets, cells = list[Sheet](), Cells()
    for name, relation, hidden in workbook.sheets:
        if relation in related and related[relation].kind == "worksheet":
            sheets.append(Sheet(name, hidden))
            if not hidden:
                reader = SheetReader(sheets[-1], cells, strings.found, formats.codes, workbook.since_1904)
                archive.parse(related[relation].part, reader)
    return sheets
