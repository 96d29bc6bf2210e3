"""The sheets of Excel workbooks in binary form (.xls, .xlsb), which calamine reads."""

from datetime import date, datetime, time, timedelta
from io import BytesIO
from typing import Any

from python_calamine import CalamineWorkbook, PasswordError, SheetTypeEnum, SheetVisibleEnum

from selfrag.domain.documents import Document
from selfrag.domain.errors import BadDocument
from selfrag.domain.kinds import ending_of
from selfrag.domain.writing import Writer
from selfrag.reader.archive import bad_document, open_archive
from selfrag.reader.data.workbooks.formats import format_plain
from selfrag.reader.data.workbooks.sheets import Cells, MergedCells, WorkbookSheet, write_sheets
from selfrag.reader.kinds import XLS, XLSB, refuse_other_kinds


def read_binary(key: str, content: bytes) -> Document:
    """Return the sheets of a workbook as a Document; raises BadDocument, also for parts that are too large."""
    if ending_of(key) == ".xls":
        refuse_other_kinds(key, content, XLS)
    else:
        with open_archive(key, content, XLSB) as archive:
            for name in archive.names:
                archive.read_part(name)
    writer = Writer(key)
    # A panic of Rust is no Exception.
    with bad_document(key, "is a damaged Excel workbook and cannot be read; save it as .xlsx", BaseException):
        try:
            write_sheets(writer, _sheets(CalamineWorkbook.from_filelike(BytesIO(content))))
        except PasswordError as error:
            raise BadDocument(f"{key} is an Office file with a password; save it without one.") from error
    return writer.document()


def _sheets(workbook: CalamineWorkbook) -> list[WorkbookSheet]:
    sheets, cells = list[WorkbookSheet](), Cells()
    for number, about in enumerate(workbook.sheets_metadata):
        if about.typ != SheetTypeEnum.WorkSheet:
            continue
        sheets.append(WorkbookSheet(about.name, about.visible != SheetVisibleEnum.Visible))
        if sheets[-1].hidden:
            continue
        area = workbook.get_sheet_by_index(number)
        top, left = area.start or (0, 0)
        for row, values in enumerate(area.iter_rows(), top + 1):
            for column, value in enumerate(values, left):
                if value != "":
                    cells.put(sheets[-1], row, column, _format(value))
        ranges = area.merged_cell_ranges or []
        sheets[-1].merged += [MergedCells(first[0] + 1, first[1], last[0] + 1, last[1]) for first, last in ranges]
    return sheets


def _format(value: Any) -> str:
    """Format a cell value: dates in ISO 8601, numbers without an exponent."""
    match value:
        case bool():
            return str(value).upper()
        case int() | float():
            return format_plain(value)
        case datetime():
            return value.isoformat(" ", "seconds").removesuffix(" 00:00:00").removesuffix(":00")
        case date():
            return value.isoformat()
        case time():
            return value.isoformat("seconds").removesuffix(":00")
        case timedelta():
            seconds = round(value.total_seconds())
            return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return str(value)
