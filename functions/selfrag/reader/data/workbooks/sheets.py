"""A workbook as a document: each sheet a part, with tables where blank rows and columns divide."""

from selfrag.domain.writing import Writer
from selfrag.reader.data.tables import Line, Tables, flush_lines
from selfrag.reader.data.workbooks.blocks import blocks, unmerge
from selfrag.reader.data.workbooks.workbook import Sheet

_LISTED = 10


def write_sheets(writer: Writer, sheets: list[Sheet]) -> None:
    """Write each sheet that is shown as a part, and say what was left out."""
    told: dict[str, list[str]] = {"sheets": [], "rows": [], "columns": []}
    without_value = 0
    for sheet in sheets:
        if sheet.hidden:
            told["sheets"].append(sheet.name)
            continue
        told["rows"] += [sheet.name] if sheet.hidden_rows & sheet.rows.keys() else []
        told["columns"] += [sheet.name] if _hide_columns(sheet) else []
        without_value += sheet.without_value
        if sheet.rows.keys() - sheet.hidden_rows:
            writer.part(f"sheet {sheet.name}")
            if len(sheets) > 1:
                writer.heading(1, sheet.name)
            _write(writer, sheet, 1 + (len(sheets) > 1))
    _warn(writer, told, without_value)


def _warn(writer: Writer, told: dict[str, list[str]], without_value: int) -> None:
    for kind, names in told.items():
        if names:
            where = f"{', '.join(names[:_LISTED])}{' and more' if len(names) > _LISTED else ''}"
            on = f"hidden {kind}" if kind == "sheets" else f"hidden {kind} on"
            writer.warnings.append(
                f"{writer.key} has {on} {where}, which were left out; unhide them to have them read."
            )
    if without_value:
        writer.warnings.append(
            f"{writer.key} has formulas without a value ({without_value}); open it in a spreadsheet and save it again."
        )


def _hide_columns(sheet: Sheet) -> bool:
    """Take away what stands in hidden columns; tells whether anything did."""
    found = False
    for row in sheet.rows.values():
        for column in sheet.hidden_columns & row.keys():
            found = True
            del row[column]
    return found


def _write(writer: Writer, sheet: Sheet, level: int) -> None:
    wide, from_above = unmerge(sheet)
    above, tables = list[str](), dict[int, Tables]()
    shown = {column for number, row in sheet.rows.items() if number not in sheet.hidden_rows for column in row}
    for left, right, band in blocks(sheet, bool(len(shown) > 1)):
        if right - left == 0 and len(shown) > 1:
            above += [" ".join(row[left].split()) for _, _, row in band if left in row]
            continue
        lines = (
            Line(
                number,
                [row.get(column, "") for column in range(left, max(row) + 1)],
                apart,
                {column - left: width for column, width in wide.get(number, {}).items()},
                number in from_above,
            )
            for number, apart, row in band
        )
        tables.setdefault(left, Tables(writer, level, above, left)).write(lines, right - left + 1)
    flush_lines(writer, above)
