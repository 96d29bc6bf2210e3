"""Spreadsheets, tables and JSON files that are not what they seem, for `damaged.py`."""

import random

from tests.support.documents.files import zipped
from tests.support.documents.workbooks import OPEN_DOCUMENT, cell, grid, ods, ods_cell, ods_table, xlsx

_ROWS = [["City", "Limit"], ["Oslo", 140], ["Rome", 90]]
_XLSX = xlsx({"Travel": grid(_ROWS)})
_ODS = ods(ods_table("Travel", [["City", "Limit"], ["Oslo", "140"]]))
_ENTITIES = '<!DOCTYPE s [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
_REMOTE = '<!DOCTYPE s SYSTEM "http://169.254.169.254/latest/meta-data/">'


def damaged_data() -> dict[str, bytes]:
    """Forty-four files by name: cut off, bombs, of another kind than their name says, endless, too deep."""
    files: dict[str, bytes] = {"noise.xlsx": b"PK\x03\x04" + random.Random(4).randbytes(5000)}
    for part in range(1, 6):
        files[f"cut-{part}.xlsx"] = _XLSX[: len(_XLSX) * part // 6]
        files[f"cut-{part}.ods"] = _ODS[: len(_ODS) * part // 6]
    return files | _workbooks() | _open_documents() | _texts()


def _workbooks() -> dict[str, bytes]:
    wide = "".join(f'<row r="{n}"><c r="A{n}" t="s"><v>0</v></c></row>' for n in range(1, 2000))
    long_text = "<sst><si><t>" + "Leave is paid. " * 4000 + "</t></si></sst>"
    return {
        "empty.xlsx": b"",
        "text.xlsx": b"City,Limit\nOslo,140\n",
        "ods.xlsx": _ODS,
        "nothing.xlsx": zipped({"xl/workbook.xml": "<workbook/>"}),
        "no-parts.xlsm": zipped({"xl/workbook.xml": '<workbook><sheets><sheet name="A"/></sheets></workbook>'}),
        "bomb.xlsx": xlsx({"A": ""}, **{"worksheets/sheet1": 200}),
        "texts.xlsx": xlsx({"A": grid(_ROWS)}, sharedStrings="<sst>" + "<si/>" * 2_000_000 + "</sst>"),
        "long-text.xlsx": xlsx({"A": wide}, sharedStrings=long_text),
        "entities.xlsx": xlsx({"A": grid(_ROWS)}, sharedStrings=_ENTITIES + "<sst><si><t>&b;</t></si></sst>"),
        "remote.xlsx": xlsx({"A": grid(_ROWS)}, sharedStrings=_REMOTE + "<sst/>"),
        "nested.xlsx": xlsx({"A": "<row>" * 5000 + "</row>" * 5000}),
        "far.xlsx": xlsx({"A": f'<row r="1048576">{cell("XFD1048576", "Oslo")}</row>'}, merged=["A1:XFD1048576"]),
        "rows.xlsx": xlsx({"A": "<row/>" * 1_048_577}),
        "merged.xlsx": xlsx({"A": grid(_ROWS)}, merged=["A1:XFD1048576"] * 20_000),
        "no-number.xlsx": xlsx({"A": '<row r="1"><c><v>fourteen</v></c></row>'}),
        "no-style.xlsx": xlsx({"A": grid(_ROWS)}, styles="<styleSheet"),
    }


def _open_documents() -> dict[str, bytes]:
    again = ods_cell("Oslo").replace(" ", ' table:number-columns-repeated="999999999" ', 1)
    rows = ods_table("A", [[again]]).replace(
        "<table:table-row>", '<table:table-row table:number-rows-repeated="9999999">'
    )
    return {
        "empty.ods": b"",
        "xlsx.ods": _XLSX,
        "nothing.ods": zipped({"mimetype": OPEN_DOCUMENT}),
        "repeated.ods": ods(rows),
        "entities.ods": zipped({"mimetype": OPEN_DOCUMENT, "content.xml": _ENTITIES + "<t>&b;</t>"}),
        "bomb.ods": zipped({"mimetype": OPEN_DOCUMENT, "content.xml": 200}),
    }


def _texts() -> dict[str, bytes]:
    return {
        "empty.json": b"",
        "cut.json": b'[{"city": "Oslo", "limit": 140}, {"city": "Ro',
        "deep.json": b"[" * 1_000_000,
        "many.json": b"[" + b"{}," * 600_000 + b"{}]",
        "nul.json": b'{"city": "Os\x00lo"}',
        "nan.json": b'{"limit": NaN, "limit": 1e999999, "city": "\\ud83d"}',
        "prose.jsonl": b"Leave is 25 days.\nSick leave is paid.\n",
        "cut.jsonl": b'{"city": "Oslo"}\n{"city": "Ro',
        "unclosed.csv": b'City,Limit\n1,"' + b"x" * 200_000,
        "names.csv": b"h" * 100_000 + b"\n" + b"1\n" * 300,
        "cut-utf-16.tsv": "City\tLimit\nOslo\t140\n".encode("utf-16")[:-1],
    }
