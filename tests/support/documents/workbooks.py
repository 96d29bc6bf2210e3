"""Small spreadsheets, made by hand."""

import struct
from collections.abc import Mapping, Sequence
from io import BytesIO
from xml.sax.saxutils import escape

import xlwt

from tests.support.documents.files import zipped

_MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
# The number of each style is its place here; those of Excel's own have a number, the others a text.
FORMATS = (
    "0",
    "14",
    "10",
    "22",
    '#,##0.00\\ "€"',
    "[h]:mm",
    '[$-411]yyyy"年"m"月"d"日"',
    "#,##0",
    "$#,##0",
    '0 "days"',
)
OPEN_DOCUMENT = "application/vnd.oasis.opendocument.spreadsheet"
_ODS = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text", "style")
)


def cell(place: str, value: str | float | bool, style: int = 0, formula: str = "") -> str:
    """Return a cell of an Excel sheet; a text stands in it."""
    said = f"<f>{escape(formula)}</f>" if formula else ""
    if isinstance(value, bool):
        return f'<c r="{place}" t="b" s="{style}">{said}<v>{int(value)}</v></c>'
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr" s="{style}"><is><t>{escape(value)}</t></is></c>'
    return f'<c r="{place}" s="{style}">{said}<v>{value}</v></c>'


def grid(rows: Sequence[Sequence[str | float]], first: int = 1, left: int = 0) -> str:
    """Rows of an Excel sheet, from this one and this column on; empty texts are no cells."""
    written = []
    for number, row in enumerate(rows, first):
        cells = [cell(f"{chr(65 + left + at)}{number}", value) for at, value in enumerate(row) if value != ""]
        written.append(f'<row r="{number}">{"".join(cells)}</row>')
    return "".join(written)


def xlsx(
    sheets: Mapping[str, str], hidden: Sequence[str] = (), merged: Sequence[str] = (), **parts: str | bytes | int
) -> bytes:
    """Return an Excel workbook of sheets by name, each the XML of its rows; `parts` replace or add files below xl/."""
    entries, relations, files = [], [], dict[str, str | bytes | int]()
    merge = "".join(f'<mergeCell ref="{each}"/>' for each in merged)
    for number, (name, rows) in enumerate(sheets.items(), 1):
        state = ' state="hidden"' if name in hidden else ""
        entries.append(f'<sheet name="{escape(name)}" sheetId="{number}" r:id="r{number}"{state}/>')
        relations.append(_relation(f"r{number}", "worksheet", f"worksheets/sheet{number}.xml"))
        before, _, after = rows.rpartition("</cols>")
        columns = before + "</cols>" if before else ""
        files[f"worksheets/sheet{number}"] = (
            f"<worksheet {_MAIN}>{columns}<sheetData>{after}</sheetData><mergeCells>{merge}</mergeCells></worksheet>"
        )
    relations += [_relation("t", "sharedStrings", "sharedStrings.xml"), _relation("f", "styles", "styles.xml")]
    files["workbook"] = f'<workbook {_MAIN} xmlns:r="{_RELATED}"><sheets>{"".join(entries)}</sheets></workbook>'
    files["sharedStrings"] = f"<sst {_MAIN}/>"
    files["styles"] = _styles()
    files |= parts
    return zipped(
        {
            "[Content_Types].xml": "<Types/>",
            "xl/_rels/workbook.xml.rels": f"<Relationships {_PACKAGE}>{''.join(relations)}</Relationships>",
            **{f"xl/{name}.xml": part for name, part in files.items()},
        }
    )


def xls(sheets: Mapping[str, Sequence[Sequence[object]]], hidden: Sequence[str] = ()) -> bytes:
    """Return an Excel workbook of the old kind; a tuple is a value with the number of columns that it spans."""
    workbook = xlwt.Workbook()
    day, clock, plain = (xlwt.easyxf(num_format_str=code) for code in ("YYYY-MM-DD", "h:mm", "General"))
    for name, rows in sheets.items():
        sheet = workbook.add_sheet(name)
        sheet.visibility = int(name in hidden)
        for row, values in enumerate(rows):
            for column, value in enumerate(values):
                if isinstance(value, tuple):
                    sheet.write_merge(row, row, column, column + value[1] - 1, value[0])
                elif value != "":
                    style = day if hasattr(value, "year") else clock if hasattr(value, "hour") else plain
                    sheet.write(row, column, value, style)
    out = BytesIO()
    workbook.save(out)
    return out.getvalue()


def xlsb(rows: Sequence[Sequence[str | float]], hidden: bool = False, **parts: bytes | int) -> bytes:
    """Return an Excel workbook in binary form with one sheet, `T`; `parts` replace or add files below xl/."""
    size = struct.pack("<4I", 0, len(rows) - 1, 0, max(map(len, rows), default=1) - 1)
    written = [_record(0, struct.pack("<I", n) + _cells(row)[0]) + _cells(row)[1] for n, row in enumerate(rows)]
    files: dict[str, bytes | int] = {
        "workbook": _record(156, struct.pack("<2I", int(hidden), 1) + _wide("r1") + _wide("T"))
        + _record(144)
        + _record(157),
        "worksheets/sheet1": _record(148, size) + _record(145) + b"".join(written) + _record(146),
        **parts,
    }
    relations = f"<Relationships {_PACKAGE}>{_relation('r1', 'worksheet', 'worksheets/sheet1.bin')}</Relationships>"
    return zipped({"xl/_rels/workbook.bin.rels": relations, **{f"xl/{name}.bin": part for name, part in files.items()}})


def _cells(row: Sequence[str | float]) -> tuple[bytes, bytes]:
    """Return the end of a row's header, and its cells."""
    cells = b""
    for column, value in enumerate(row):
        place = struct.pack("<2I", column, 0)
        cells += (
            _record(6, place + _wide(value)) if isinstance(value, str) else _record(5, place + struct.pack("<d", value))
        )
    return bytes(13), cells


def _record(kind: int, content: bytes = b"") -> bytes:
    head = bytes([kind]) if kind < 128 else bytes([kind & 127 | 128, kind >> 7])
    size, length = b"", len(content)
    while length > 127:
        size, length = size + bytes([length & 127 | 128]), length >> 7
    return head + size + bytes([length]) + content


def _wide(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def ods(body: str, styles: str = "") -> bytes:
    """Return an OpenDocument spreadsheet of tables as XML."""
    content = (
        f"<office:document-content {_ODS}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:spreadsheet>{body}</office:spreadsheet></office:body></office:document-content>"
    )
    return zipped({"mimetype": OPEN_DOCUMENT, "content.xml": content})


def ods_table(name: str, rows: Sequence[Sequence[str]], style: str = "") -> str:
    """Return a table of an OpenDocument spreadsheet; a cell is a text, or the XML of one."""
    written = []
    for row in rows:
        cells = [
            each
            if each.startswith("<")
            else f'<table:table-cell office:value-type="string"><text:p>{escape(each)}</text:p></table:table-cell>'
            if each
            else "<table:table-cell/>"
            for each in row
        ]
        written.append(f"<table:table-row>{''.join(cells)}</table:table-row>")
    return f'<table:table table:name="{name}" table:style-name="{style}">{"".join(written)}</table:table>'


def ods_cell(text: str, kind: str = "string", **values: str) -> str:
    """Return a cell of an OpenDocument sheet: its text, its type, and its attributes, such as `date_value`."""
    said = "".join(f' office:{name.replace("_", "-")}="{value}"' for name, value in values.items())
    return f'<table:table-cell office:value-type="{kind}"{said}><text:p>{text}</text:p></table:table-cell>'


def _relation(name: str, kind: str, target: str) -> str:
    return f'<Relationship Id="{name}" Type="{_RELATED}/{kind}" Target="{target}"/>'


def _styles() -> str:
    own = {code: 164 + n for n, code in enumerate(FORMATS) if not code.isdecimal()}
    formats = "".join(f'<numFmt numFmtId="{n}" formatCode="{escape(c, {chr(34): "&quot;"})}"/>' for c, n in own.items())
    cells = "".join(f'<xf numFmtId="{own.get(code, code)}"/>' for code in FORMATS)
    return f"<styleSheet {_MAIN}><numFmts>{formats}</numFmts><cellXfs>{cells}</cellXfs></styleSheet>"
