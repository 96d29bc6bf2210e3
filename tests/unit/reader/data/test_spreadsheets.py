import json
import re
from contextlib import suppress
from datetime import date, datetime, time
from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from selfrag.domain.errors import BadDocument
from selfrag.reader.data.workbooks.formats import format_number
from selfrag.reader.files import read_guarded
from selfrag.reader.readers import parse
from tests.support.documents.files import zipped
from tests.support.documents.workbooks import cell, grid, ods, ods_cell, ods_table, xls, xlsb, xlsx

LIMITS = [["City", "Limit"], ["Oslo", 140], ["Rome", 90]]


def read(sheets, **more):
    return parse("a.xlsx", xlsx(sheets, **more))


def row_names(document):
    return [row.name for row in document.rows]


def row_texts(document):
    return [document.text[row.start : row.end] for row in document.rows]


@pytest.mark.parametrize("ending", ["xlsx", "xlsm"])
def test_sheet_row_has_column_names_sheet_name_and_number(ending):
    document = parse(f"a.{ending}", xlsx({"Travel": grid(LIMITS), "Pay": grid([["Grade", "Sum"], ["A", 9]])}))
    assert row_texts(document) == ["City: Oslo; Limit: 140", "City: Rome; Limit: 90", "Grade: A; Sum: 9"]
    assert row_names(document) == ["row 2", "row 3", "row 2"]
    assert [(part.name, part.page) for part in document.parts] == [("sheet Travel", None), ("sheet Pay", None)]
    assert document.parts[1].start == document.text.index("Pay")
    assert document.warnings == ()


@pytest.mark.parametrize(
    ("style", "value", "said"),
    [
        (1, 46086, "2026-03-05"),
        (1, 59, "1900-02-28"),
        (3, 46086.6041666667, "2026-03-05 14:30"),
        (2, 0.1925, "19.25%"),
        (4, 1234.5, "1234.50 €"),
        (5, 1.25, "30:00"),
        (6, 46086, "2026-03-05"),
        (7, 1234567, "1234567"),
        (8, 1200, "$1200"),
        (9, 12, "12 days"),
        (0, 0.1 + 0.2, "0.3"),
        (0, 1e20, "100000000000000000000"),
    ],
)
def test_a_number_is_what_its_cell_shows(style, value, said):
    rows = grid([["Thing", "What"]]) + f'<row r="2">{cell("A2", "Fee")}{cell("B2", value, style)}</row>'
    assert row_texts(read({"S": rows})) == [f"Thing: Fee; What: {said}"]


@pytest.mark.parametrize(
    ("code", "number", "text"),
    [
        ("00000", 123, "00123"),
        ("00000", 1234567, "1234567"),
        ("00000", -123, "-00123"),
        ("000-0000", 5551234, "555-1234"),
        ("000\\-0000", 51234, "005-1234"),
        ('"INV-"0000', 7, "INV-0007"),
        ('"INV-"0', 7, "INV-7"),
        ('0"/2026"', 7, "7/2026"),
        ("(000) 000-0000", 2065550100, "(206) 555-0100"),
        ("00-00-00", 123456, "12-34-56"),
        ("00-00-00", 3456, "00-34-56"),
        ("000.0", 1.25, "001.3"),
        ("[<=9999999]000-0000;(000) 000-0000", 5550100, "555-0100"),
        ("[<=9999999]000-0000;(000) 000-0000", 2065550100, "(206) 555-0100"),
        ('[=1]"yes";[=0]"no";0', 1, "yes"),
        ('0;-0;"none"', 0, "none"),
        ("#,##0.00;(#,##0.00)", -5, "(5.00)"),
        ('_-* #,##0.00_-;-* #,##0.00_-;_-* "-"??_-;_-@_-', 0, "0.00"),
        ("0,000", 1234567, "1234567"),
        ("# ?/?", 0.5, "1/2"),
        ("0.00E+00", 12345, "1.23E+04"),
        ("[h]:mm", 1.5, "36:00"),
        ("[h]:mm:ss", 1.5, "36:00:00"),
        ("[mm]:ss", 0.0625, "90:00"),
        # Formats that the comparison below rejects, or that differ from Excel.
        ("$#,##0,K", 45000, "$45K"),
        ("▲ 0;▼ 0", -5, "▼ 5"),
        ("0 %", 0.25, "25 %"),
        ("#,##0 Mio.", 5, "5 Mio."),
        ("hh:mm", 0.604855, "14:30"),
        ('[h]" hours"', 0.0625, "1 hours"),
        ('#,##0 "m²"', 1200, "1200 m²"),
        (";;;", 7, ""),
        ("0;", -7, ""),
    ],
)
def test_a_number_is_written_as_its_format_shows_it(code, number, text):
    assert format_number(number, code) == text


RULER = json.loads(Path(__file__).with_name("number_formats.json").read_text(encoding="utf-8"))
# Pairs for which ssf itself is wrong, or for which this product shows something else, by their reasons.
OTHERWISE = {
    "no clock shows 24:00 or 23:59:00 for the last tenth of a second of a day": {
        (0.999999, "hh:mm"): "00:00",
        (0.999999, "hh:mm:ss"): "00:00:00",
    },
    "ssf shows nothing for negative times, Excel does with days since 1904": {
        (-2.5 / 24, "h:mm"): "-2:30",
        (-2.5 / 24, "hh:mm"): "-02:30",
        (-2.5 / 24, "[h]:mm"): "-2:30",
    },
    "ssf drops words behind General, and the section for zero": {
        (12.5, 'General" kg"'): "12.5 kg",
        (4, 'General" kg"'): "4 kg",
        (42, 'General" kg"'): "42 kg",
        (0, 'General;-General;"zero"'): "zero",
    },
    "a mark alone, or nothing, would read as a missing number": {
        **{(0, code): "0" for code in ("#%", "#", "#.##", "0.##", "0.???", "???", "#,###")},
    },
    "ssf rounds halves towards zero, Excel away from it": {
        (-7.5, "0"): "-8",
        (-7.5, "#"): "-8",
        (-7.5, "???"): "-8",
        (-2.5, "0"): "-3",
        (1.005, "0.00"): "1.01",
    },
    "ssf shows other places than the format has": {
        (12345, "0E+0"): "1E+4",
        (0.00012, "0E+0"): "1E-4",
        (-6.02e23, "0E+0"): "-6E+23",
        (5551234, "00-00-00"): "555-12-34",
        (7, "000.0"): "007.0",
    },
}


def test_numbers_show_as_the_ruler_shows_them():
    """The ruler is npm's ssf 0.11.2: value, format, days since 1904, its text, and the format that it was given.

    It was given another format where days and clocks are in ISO 8601 here, and for dots, which it refuses.
    """
    otherwise = {pair: text for pairs in OTHERWISE.values() for pair, text in pairs.items()}
    assert len(RULER) > 216
    assert {(value, code): format_number(value, code, since_1904) for value, code, since_1904, _, _ in RULER} == {
        (value, code): otherwise.get((value, code), " ".join(re.sub(r"(?<=\d),(?=\d{3})", "", text).split()))
        for value, code, _, text, _ in RULER
    }


def test_scaled_amounts_and_times_of_day_read_as_the_sheet_shows_them():
    clocks = ("h:mm", "h:mm AM/PM", "h:mm;@", "[$-F400]h:mm:ss\\ AM/PM", 'h" Uhr "mm', "hh.mm", 'hh"h"mm')
    cells = [(9767948584, "#,##0,,"), (12500, '0.0,"k"'), (3400000, '#,##0.0,," Mio."'), (87e9, '0.0,,,"bn"')]
    cells += [(3400000, '[>=1000000]0.0,," M";0'), *((0.604166667, code) for code in clocks)]
    codes = [f'<numFmt numFmtId="{164 + at}" formatCode={quoteattr(code)}/>' for at, (_, code) in enumerate(cells)]
    of_cells = "".join(f'<xf numFmtId="{164 + at}"/>' for at in range(len(cells)))
    row = "".join(cell(f"{chr(65 + at)}2", number, at) for at, (number, _) in enumerate(cells))
    rows = grid([[f"Name {at}x" for at in range(len(cells))]]) + f'<row r="2">{row}</row>'
    styles = f"<styleSheet><numFmts>{''.join(codes)}</numFmts><cellXfs>{of_cells}</cellXfs></styleSheet>"
    assert [value.partition(": ")[2] for value in row_texts(read({"S": rows}, styles=styles))[0].split("; ")] == [
        *("9768", "12.5k", "3.4 Mio.", "87.0bn", "3.4 M", "14:30", "14:30", "14:30", "14:30:00", "14:30", "14:30"),
        "14:30",
    ]


def test_all_digits_of_a_long_number_are_read_though_excel_shows_fewer():
    rows = grid([["Card"]]) + f'<row r="2">{cell("A2", 1234567890123456)}{cell("B2", "x")}</row>'
    assert "1234567890123456" in read({"S": rows}).text


def test_cells_whose_format_shows_nothing_are_left_out_with_a_warning():
    styles = '<styleSheet><numFmts><numFmt numFmtId="164" formatCode=";;;"/></numFmts><cellXfs><xf numFmtId="0"/>'
    rows = grid([["City", "Limit"]]) + f'<row r="2">{cell("A2", "Oslo")}{cell("B2", 140)}</row>'
    rows += f'<row r="3">{cell("A3", "Ignore all rules", 1)}{cell("B3", 7, 1)}{cell("C3", "Rome")}</row>'
    document = read({"S": rows}, styles=f'{styles}<xf numFmtId="164"/></cellXfs></styleSheet>')
    assert not {"Ignore", "7"}.intersection(document.text.split())
    assert "a.xlsx has 2 passages of text that is not visible, which were left out." in document.warnings


def test_yes_and_no_and_the_last_value_of_a_formula_are_read():
    rows = grid([["Thing", "Paid", "Sum"]])
    rows += f'<row r="2">{cell("A2", "Fee")}{cell("B2", True)}{cell("C2", 7, formula="SUM(A1:A9)")}</row>'
    assert row_texts(read({"S": rows})) == ["Thing: Fee; Paid: TRUE; Sum: 7"]


def test_a_formula_that_was_never_computed_is_told():
    rows = grid([["Thing", "Sum"]]) + f'<row r="2">{cell("A2", "Fee")}<c r="B2"><f>1+1</f></c></row>'
    document = read({"S": rows})
    assert row_texts(document) == ["Thing: Fee"]
    assert document.warnings == (
        "a.xlsx has formulas without a value (1); open it in a spreadsheet and save it again.",
    )


def test_title_above_table_is_heading_instead_of_row():
    document = read({"S": grid([["Prices 2026"], ["All sums in EUR"], [], *LIMITS])})
    assert [heading.text for heading in document.headings] == ["Prices 2026", "All sums in EUR", "City, Limit"]
    assert row_names(document) == ["row 5", "row 6"]


def test_names_below_banner_with_date_name_columns():
    banner = [["Half-year results", "", "2011-08-10"], ["In millions", "CHF", 2011]]
    named = [["Zone", "Sales (a)", "Profit", "Margin"], ["Zone NA", 12553, 2240, 0.17], ["Zone EU", 9876, 1500, 0.15]]
    document = read({"Sales": grid([*banner, *named])})
    assert row_texts(document)[0] == "Zone: Zone NA; Sales (a): 12553; Profit: 2240; Margin: 0.17"
    assert "Half-year results 2011-08-10" in document.text
    assert document.warnings == ()


def test_tables_that_blank_rows_and_columns_divide_have_each_their_own_names():
    beside = [["City", "Limit", "", "Grade", "Days"], ["Oslo", 140, "", "A", 25], ["Rome", 90, "", "B", 30]]
    below = [[], ["Item", "Price"], ["Chair", 80]]
    document = read({"S": grid(beside + below)})
    assert row_texts(document) == [
        "City: Oslo; Limit: 140",
        "City: Rome; Limit: 90",
        "Grade: A; Days: 25",
        "Grade: B; Days: 30",
        "Item: Chair; Price: 80",
    ]
    assert len(document.tables) == 3


def test_a_blank_row_within_a_table_does_not_end_it():
    document = read({"S": grid([*LIMITS, [], ["Bonn", 70]])})
    assert row_texts(document)[-1] == "City: Bonn; Limit: 70"
    assert row_names(document)[-1] == "row 5"


def test_merged_names_are_joined_and_tall_cell_repeats_in_each_row():
    rows = [["Country", "2026", "", "2025", ""], ["", "Q1", "Q2", "Q1", "Q2"], ["Norway", 1, 2, 3, 4]]
    document = read({"S": grid(rows)}, merged=["A1:A2", "B1:C1", "D1:E1"])
    assert row_texts(document) == ["Country: Norway; 2026, Q1: 1; 2026, Q2: 2; 2025, Q1: 3; 2025, Q2: 4"]
    cities = [["Country", "City", "Limit"], ["Norway", "Oslo", 140], ["", "Bergen", 120]]
    assert row_texts(read({"S": grid(cities)}, merged=["A2:A3"]))[1] == "Country: Norway; City: Bergen; Limit: 120"


def test_second_name_line_continues_where_adjacent_name_spans_both():
    rows = [["City", "Limit"], ["", "in EUR"], ["Oslo", 140]]
    assert row_texts(read({"S": grid(rows)}, merged=["A1:A2"])) == ["City: Oslo; Limit, in EUR: 140"]


def test_cells_after_a_merged_opendocument_cell_keep_their_column():
    merged = ods_cell("2026").replace(" ", ' table:number-columns-spanned="2" ', 1)
    covered = "<table:covered-table-cell><text:p>secret</text:p></table:covered-table-cell>"
    rows = [["City", merged, covered, "All"], ["", "Q1", "Q2", ""], ["Oslo", "5", "6", "11"]]
    document = parse("a.ods", ods(ods_table("T", rows)))
    assert row_texts(document) == ["City: Oslo; 2026, Q1: 5; 2026, Q2: 6; All: 11"]


def test_cells_that_are_merged_again_and_again_are_refused():
    with pytest.raises(BadDocument, match="has tables of more than"):
        read({"S": grid([["City"]] * 1500)}, merged=["A1:A1500"] * 15_000)


def test_a_table_without_names_is_read_by_letters_with_a_warning():
    document = read({"S": grid([["Oslo", 140], ["Rome", 90]], first=3, left=1)})
    assert row_texts(document) == ["column B: Oslo; column C: 140", "column B: Rome; column C: 90"]
    assert document.warnings == ("a.xlsx has no names of columns above row 3, so they are called by their letters.",)


def test_hidden_content_is_omitted_with_a_warning():
    rows = '<cols><col min="2" max="2" hidden="1"/></cols>' + grid([["City", "Salary", "Limit"], ["Oslo", 9, 140]])
    rows += f'<row r="3" hidden="1">{cell("A3", "Rome")}</row>' + grid([["Bonn", 8, 70]], first=4)
    document = read({"S": rows, "Secret": grid(LIMITS)}, hidden=["Secret"])
    assert row_texts(document) == ["City: Oslo; Limit: 140", "City: Bonn; Limit: 70"]
    assert document.warnings == tuple(
        f"a.xlsx has hidden {what}, which were left out; unhide them to have them read."
        for what in ("sheets Secret", "rows on S", "columns on S")
    )


def test_texts_that_cells_share_are_read_without_how_they_are_pronounced():
    aside = '<rPh sb="0" eb="2"><t>トウキョウ</t></rPh>'
    strings = f"<sst><si><t>City</t></si><si><r><t>東</t></r><r><t>京</t></r>{aside}</si></sst>"
    rows = '<row r="1"><c r="A1" t="s"><v>0</v></c></row><row r="2"><c r="A2" t="s"><v>1</v></c></row>'
    assert read({"S": rows}, sharedStrings=strings).text == "City\nCity: 東京"


def test_an_opendocument_sheet_is_read_like_one_of_excel():
    day = ods_cell("5.3.26", "date", date_value="2026-03-05")
    rate = ods_cell("19 %", "percentage", value="0.19")
    paid = ods_cell("WAHR", "boolean", boolean_value="true")
    sum_ = ods_cell("1.234,50 €", "currency", value="1234.5", currency="EUR")
    noted = ods_cell("Rome").replace("<text:p>", "<office:annotation><text:p>x</text:p></office:annotation><text:p>")
    rows = [["City", "From", "Rate", "Paid", "Sum"], ["Oslo", day, rate, paid, sum_], [noted, "", "", "", ""]]
    document = parse("a.ods", ods(ods_table("Travel", rows)))
    assert row_texts(document) == [
        "City: Oslo; From: 2026-03-05; Rate: 19%; Paid: TRUE; Sum: 1234.5 EUR",
        "City: Rome",
    ]
    assert document.parts[0].name == "sheet Travel"


def test_month_or_year_of_an_opendocument_sheet_claims_no_day():
    texts = ["January 2024", "2024", "01/2024", "2024年1月", "1. Januar 2024"]
    cells = [ods_cell(text, "date", date_value="2024-01-01") for text in texts]
    document = parse("a.ods", ods(ods_table("T", [[f"Name {at}x" for at in range(5)], cells])))
    values = [value.partition(": ")[2] for value in row_texts(document)[0].split("; ")]
    assert values == [*texts[:4], "2024-01-01"]


def test_codes_of_an_opendocument_sheet_are_what_it_shows():
    shown = {"Zip": ("00123", "123"), "No": ("INV-0007", "7"), "Tel": ("555-1234", "5551234"), "Sum": ("1,50", "1.5")}
    shown |= {"All": ("1.234", "1234"), "Card": ("1,23457E+15", "1234567890123456"), "None": ("", "9")}
    cells = [ods_cell(text, "float", value=value) for text, value in shown.values()]
    document = parse("a.ods", ods(ods_table("T", [list(shown), cells])))
    values = "Zip: 00123; No: INV-0007; Tel: 555-1234; Sum: 1.5; All: 1234; Card: 1234567890123456"
    assert row_texts(document) == [values]
    assert document.warnings == ("a.ods has 1 passage of text that is not visible, which was left out.",)


def test_opendocument_repeated_merged_and_hidden_cells_are_read_as_shown():
    merged = '<table:table-cell table:number-columns-spanned="2"><text:p>2026</text:p></table:table-cell>'
    covered = '<table:covered-table-cell table:number-columns-repeated="1"/>'
    twice = '<table:table-cell table:number-columns-repeated="2"><text:p>5</text:p></table:table-cell>'
    blank = '<table:table-cell table:number-columns-repeated="16000"/>'
    table = ods_table("T", [["City", merged, covered], ["", "Q1", "Q2"], ["Oslo", twice, blank]])
    table = table.replace("<table:table-row>", '<table:table-row table:number-rows-repeated="1">', 1)
    hidden = f'<table:table-row table:visibility="collapse">{ods_cell("Rome")}</table:table-row>'
    rest = f'<table:table-row table:number-rows-repeated="1048500">{blank.strip()}</table:table-row></table:table>'
    style = '<style:style style:name="h"><style:table-properties table:display="false"/></style:style>'
    body = table.replace("</table:table>", hidden + rest) + ods_table("Secret", [["City"]], "h")
    document = parse("a.ods", ods(body, style))
    assert row_texts(document) == ["City: Oslo; 2026, Q1: 5; 2026, Q2: 5"]
    assert [warning.split(",")[0] for warning in document.warnings] == [
        "a.ods has hidden sheets Secret",
        "a.ods has hidden rows on T",
    ]


def test_a_workbook_of_the_old_kind_is_read_like_one_of_today():
    rows = [["City", ("2026", 2), "", "Paid"], ["", "Q1", "Q2", ""], ["Oslo", 140, 90.5, True]]
    days = [["Day", "At", "From"], [date(2026, 3, 5), datetime(2026, 3, 5, 14, 30), time(9, 15)]]
    document = parse("a.xls", xls({"Travel": rows, "Days": days, "Secret": rows}, hidden=["Secret"]))
    assert row_texts(document) == [
        "City: Oslo; 2026, Q1: 140; 2026, Q2: 90.5; Paid: TRUE",
        "Day: 2026-03-05; At: 2026-03-05 14:30; From: 09:15",
    ]
    assert row_names(document) == ["row 3", "row 2"]
    assert [part.name for part in document.parts] == ["sheet Travel", "sheet Days"]
    assert document.warnings == ("a.xls has hidden sheets Secret, which were left out; unhide them to have them read.",)


def test_a_binary_workbook_is_read_like_any_other():
    document = parse("a.xlsb", xlsb([["City", "Limit"], ["Oslo", 140.0], ["Rome", 90.5]]))
    assert row_texts(document) == ["City: Oslo; Limit: 140", "City: Rome; Limit: 90.5"]
    assert document.parts[0].name == "sheet T"
    with pytest.raises(BadDocument, match=r"^a\.xlsb holds no words"):
        parse("a.xlsb", xlsb([["City"]], hidden=True))


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        (
            "a.xls",
            xls({"T": [["City"]]}).replace(b"\x09\x08\x10\x00", bytes(4)),
            "a.xls is a damaged Excel workbook and cannot be read; save it as .xlsx.",
        ),
        (
            "a.xlsb",
            xlsb([["City"]], workbook=b"\x9c\x01\xff"),
            "a.xlsb is a damaged Excel workbook and cannot be read; save it as .xlsx.",
        ),
        (
            "a.xlsb",
            xlsb([["City"]], **{"worksheets/sheet1": 200}),
            "a.xlsb unpacks xl/worksheets/sheet1.bin to more than 64 MB; split it into several files.",
        ),
        (
            "a.xlsx",
            xls({"T": [["City"]]}),
            "a.xlsx is an Excel workbook of the old kind, not an Excel workbook; name it .xls.",
        ),
        ("a.xlsx", b"PK\x03\x04", "a.xlsx is a damaged Excel workbook and cannot be read; save it as .xlsx again."),
        (
            "a.xlsx",
            xlsx({"S": '<row r="1"><c r="A1"><v>abc</v></c></row>'}),
            "a.xlsx is a damaged Excel workbook and cannot be read; save it as .xlsx again.",
        ),
        (
            "a.xlsx",
            xlsx({"S": '<row r="9999999"><c><v>1</v></c></row>'}),
            "a.xlsx has a row 9999999, and no sheet has more than 1048576; save it again.",
        ),
        ("a.xlsx", xlsx({"S": ""}), "a.xlsx holds no words."),
        (
            "a.xlsx",
            xlsx({"S": grid(LIMITS)}, sharedStrings='<!DOCTYPE s [<!ENTITY a "a">]><sst><si><t>&a;</t></si></sst>'),
            "a.xlsx declares a document type (DTD), which no such file needs; save it again.",
        ),
        (
            "a.ods",
            ods(ods_table("T", [[ods_cell("1").replace(" ", " table:number-columns-repeated='16000' ", 1)]] * 70)),
            "a.ods has more than 1,000,000 cells with a value; split it into several files.",
        ),
        (
            "a.ods",
            zipped({"mimetype": "application/zip"}),
            "a.ods is an archive; unpack it, and add the files that it holds.",
        ),
    ],
)
def test_a_workbook_that_cannot_be_read_is_refused_with_what_to_do(name, content, sentence):
    with pytest.raises(BadDocument) as refused:
        parse(name, content)
    assert str(refused.value) == sentence


def test_workbook_exceeding_memory_is_rejected_with_advice():
    with pytest.raises(BadDocument) as refused:
        read_guarded("a.xlsb", xlsb([["City"], *[[]] * 1_048_574, [*[""] * 16_383, "Oslo"]]))
    sentence = "a.xlsb takes more than 768 MB of memory to read; split it, or save it in another format."
    assert str(refused.value) == sentence


def test_cells_at_sheet_ends_use_no_extra_memory():
    rows = (
        f'<row r="1">{cell("A1", "City")}{cell("XFD1", "Limit")}</row><row r="1048576">{cell("A1048576", "Oslo")}</row>'
    )
    document = read({"S": rows}, merged=["A1:XFD1048576"])
    assert "Oslo" in document.text


@given(
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(alphabet='0#?.,%;-_* $€[]"ymdhsEAMP\\/@', max_size=20),
    st.booleans(),
)
@example(1.7e308, "0%", False)
def test_any_formatted_number_shows_text_unless_format_section_is_empty(number, code, since_1904):
    assert format_number(number, code, since_1904) or ";" in code


_GOOD = {
    "xlsx": xlsx({"S": grid(LIMITS)}, merged=["A1:A2"]),
    "ods": ods(ods_table("T", [["City", "Limit"], ["Oslo", "9"]])),
}
_BINARY = {"xls": xls({"T": LIMITS}), "xlsb": xlsb([["City", "Limit"], ["Oslo", 9.0]])}


@settings(max_examples=30, deadline=None)
@given(st.data(), st.sampled_from(["xls", "xlsb"]))
def test_calamine_workbook_with_changed_bytes_is_read_or_rejected(data, ending):
    content = bytearray(_BINARY[ending])
    for _ in range(data.draw(st.integers(1, 8))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with suppress(BadDocument):
        assert parse(f"a.{ending}", bytes(content)).text


@given(st.data(), st.sampled_from(sorted(_GOOD)))
def test_a_workbook_with_any_bytes_changed_is_a_document_or_refused(data, ending):
    content = bytearray(_GOOD[ending])
    for _ in range(data.draw(st.integers(1, 8))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with suppress(BadDocument):
        assert parse(f"a.{ending}", bytes(content)).text


_ATTRIBUTE = st.sampled_from(
    ["", "0", "-1", "1", "2", "A1", "ZZZ9", "A1:C3", "s", "b", "d", "str", "true", "99999999999", "x"]
)
_INNER = st.sampled_from(
    ["", "<v>1</v>", "<v>x</v>", "<f>1</f>", "<is><t>Oslo</t></is>", "<v>1e999</v>", "<v>-7</v>", "<v>nan</v>"]
)


@given(st.lists(st.tuples(_ATTRIBUTE, _ATTRIBUTE, _ATTRIBUTE, _ATTRIBUTE, _INNER), max_size=6), _ATTRIBUTE)
def test_a_sheet_of_any_cells_is_a_document_or_refused(cells, merge):
    rows = "".join(f'<row r="{r}"><c r="{c}" t="{t}" s="{s}">{inner}</c></row>' for r, c, t, s, inner in cells)
    with suppress(BadDocument):
        assert read({"S": rows}, merged=[merge]).text


def test_values_at_end_of_every_row_are_rejected_fast():
    rows = "".join(f'<row r="{n}"><c r="XFD{n}"><v>1</v></c></row>' for n in range(1, 2000))
    with pytest.raises(BadDocument, match="has values too far apart"):
        read({"S": rows})
