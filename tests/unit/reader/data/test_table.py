import pytest

from selfrag.domain.errors import BadDocument
from selfrag.reader.readers import parse
from tests.support.documents.files import docx, table
from tests.support.documents.workbooks import grid, xlsx

ROWS = "City, Limit\nCity: Oslo; Limit: 140 EUR\nCity: Rome; Limit: 90 EUR"


def text_of(content):
    return parse("a.csv", content.encode()).text


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_each_value_is_named_by_its_column_whatever_divides_them(delimiter, end):
    rows = [["City", "Limit"], ["Oslo", "140 EUR"], ["Rome", "90 EUR"]]
    assert text_of(end.join(map(delimiter.join, rows)) + end) == ROWS


def test_the_delimiter_is_the_one_that_divides_all_rows_alike():
    assert text_of('Name;Note\nAda;"one, two"\nBob;three, four, five\n') == (
        "Name, Note\nName: Ada; Note: one, two\nName: Bob; Note: three, four, five"
    )


def test_a_single_column_is_a_table_too():
    assert text_of("Question\nMay I, or not?\nMay we?\n") == "Question\nQuestion: May I, or not?\nQuestion: May we?"


def test_a_value_of_several_lines_stays_in_its_row():
    assert text_of('Name,Note\nAda,"one\n\ntwo ""three"""\n') == 'Name, Note\nName: Ada; Note: one two "three"'


def test_empty_values_and_empty_rows_are_left_out():
    assert text_of("\n,\nA,,C\n1,2,\n , ,\n,,3") == "A, C\nA: 1; column B: 2\nC: 3"


def test_values_beyond_the_names_are_read_with_a_warning():
    document = parse("a.csv", b"A,B\n1,2\n3,4,5\n")
    assert document.text.endswith("A: 3; B: 4; column C: 5")
    assert document.warnings == ("a.csv has rows with more values than its first row has names (1 of 2).",)


def test_a_table_of_names_alone_is_a_document():
    assert text_of("City,Limit") == "City, Limit"


def test_a_table_is_named_by_its_file():
    assert parse("pay/limits.csv", b"City,Limit\nOslo,140").title == "limits.csv"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "a.csv holds no words."),
        (";;\n,,\n", "a.csv holds no words."),
        (
            'A,B\n1,"' + "x" * 200_000,
            "a.csv is not a valid CSV file (line 2): a quotation mark is never closed, or a value is too long; "
            "correct it.",
        ),
        (
            "h" * 100_000 + "\n" + "1\n" * 300,
            "a.csv has more than 20 million characters; split it into several files.",
        ),
    ],
)
def test_a_table_that_cannot_be_read_is_refused_with_what_to_do(content, sentence):
    with pytest.raises(BadDocument) as refused:
        text_of(content)
    assert str(refused.value) == sentence


def rows_of(content, name="a.csv"):
    document = parse(name, content.encode())
    return [(row.name, document.text[row.start : row.end]) for row in document.rows]


def headings_of(content):
    return [heading.text for heading in parse("a.csv", content.encode()).headings]


def test_a_row_is_numbered_as_a_spreadsheet_does():
    assert rows_of('City,Limit\nOslo,"140\nEUR"\n\nRome,90\n') == [
        ("row 2", "City: Oslo; Limit: 140 EUR"),
        ("row 4", "City: Rome; Limit: 90"),
    ]


def test_column_names_are_in_one_heading_and_row_quotes_exclude_them():
    document = parse("a.csv", b"office,capacity\nKobe,12\nLisbon,40\n")
    assert document.text.count("office, capacity") == 1
    assert headings_of("office,capacity\nKobe,12\nLisbon,40\n") == ["office, capacity"]
    assert document.text[document.rows[1].start : document.rows[1].end] == "office: Lisbon; capacity: 40"


@pytest.mark.parametrize("rows", ["Oslo;3,50\nRome;2,00\n", "Oslo\t3,50\nRome\t2,00\n"])
def test_table_without_names_uses_letters_and_decimal_comma_is_no_delimiter(rows):
    document = parse("a.tsv", rows.encode())
    assert document.text == "column A: Oslo; column B: 3,50\ncolumn A: Rome; column B: 2,00"
    assert document.warnings == ("a.tsv has no names of columns above row 1, so they are called by their letters.",)


def test_years_may_be_names_of_columns():
    assert rows_of("Country;2024;2025\nNorway;1;2\n") == [("row 2", "Country: Norway; 2024: 1; 2025: 2")]


def test_lines_above_names_are_headings_and_lines_below_table_are_text():
    content = "Prices 2026;;\nAll sums in EUR\n\nCity;Limit;Note\nOslo;140,50;x\nRome;90,00;\n\nSource: Finance"
    assert headings_of(content) == ["Prices 2026", "All sums in EUR", "City, Limit, Note"]
    assert rows_of(content) == [
        ("row 5", "City: Oslo; Limit: 140,50; Note: x"),
        ("row 6", "City: Rome; Limit: 90,00"),
    ]
    assert text_of(content).endswith("\nSource: Finance")


def test_excel_delimiter_line_is_obeyed_and_not_read_as_row():
    assert rows_of("sep=,\r\nA;x,B\r\n1;y,2\r\n") == [("row 2", "A;x: 1;y; B: 2")]


def test_a_second_table_below_a_blank_line_has_names_of_its_own():
    assert rows_of("City,Limit\nOslo,140\n\nPeople\nName,Mail\nAda,ada@example.org\n")[1] == (
        "row 6",
        "Name: Ada; Mail: ada@example.org",
    )


def test_rows_below_blank_line_keep_names_unless_new_table_starts():
    assert rows_of("Name,City\nAda,London\n\nBob,Paris\n")[1] == ("row 4", "Name: Bob; City: Paris")


def files_of(rows):
    """Return a table in each format that shows no mark of names."""
    cells = "".join(f"<tr>{''.join(f'<td>{value}' for value in row)}" for row in rows)
    return {
        "a.csv": "".join(",".join(row) + "\n" for row in rows).encode(),
        "a.docx": docx(table(*rows)),
        "a.html": f"<table>{cells}</table>".encode(),
        "a.xlsx": xlsx({"Card": grid(rows)}),
    }


@pytest.mark.parametrize(
    "rows",
    [
        [["Supplier", "Nordwind"], ["Contact", "Ms Ito"], ["Terms", "30 days net"], ["Discount", "2 percent"]],
        [["Tenant", "Ada Example"], ["Phone", "+49 431 1234"], ["Mail", "ada@example.com"], ["Since", "2019-03-01"]],
        [["Year", "2026"], ["Tenant", "Ada"], ["Rent", "900 EUR"], ["Floor", "third"]],
        [["Pump", "P-7"], ["Place", "Hall 4"], ["Pressure", "6 bar"], ["Flow", "40 l"], ["Serviced by", "Bo"]],
        [["Model", "X200"], ["Weight", "12 kg"], ["Voltage", "230 V"]],
        [["Order", "A-4711"], ["Buyer", "Acme"], ["Total", "119 EUR"]],
    ],
)
@pytest.mark.parametrize("name", ["a.csv", "a.docx", "a.html", "a.xlsx"])
def test_card_of_labels_and_values_is_read_by_its_labels(name, rows):
    document = parse(name, files_of(rows)[name])
    assert document.text == "\n".join(f"{label}: {value}" for label, value in rows)
    assert document.warnings == ()


@pytest.mark.parametrize("name", ["a.csv", "a.docx", "a.html", "a.xlsx"])
def test_labels_that_end_in_a_colon_name_their_values(name):
    text = parse(name, files_of([["Name:", "Ada"], ["Dept:", "Sales"], ["Phone:", "555"]])[name]).text
    assert text == "Name: Ada\nDept: Sales\nPhone: 555"


@pytest.mark.parametrize(
    "rows",
    [
        [["City", "Limit"], ["Oslo", "140 EUR"], ["Rome", "90 EUR"], ["Bonn", "none"]],
        [["City", "Limit"], ["Oslo", "140 EUR"], ["London", "90 GBP"], ["Boston", "80 USD"]],
        [["Name", "Desk 1"], ["Ada", "B12"], ["Bo", "C4"], ["Kofi", "none"]],
        [["Part", "Due"], ["Valve", "2026-03-01"], ["Pump", "2026-04-01"]],
    ],
)
@pytest.mark.parametrize("name", ["a.csv", "a.docx", "a.html", "a.xlsx"])
def test_column_of_one_kind_keeps_its_name(name, rows):
    text = parse(name, files_of(rows)[name]).text
    assert f"{rows[0][0]}: {rows[1][0]}; {rows[0][1]}: {rows[1][1]}" in text


def test_digits_that_a_program_kept_as_text_are_read_alone():
    assert text_of('Part,Stock\n="00123",14\n"=""00077""",3\n') == (
        "Part, Stock\nPart: 00123; Stock: 14\nPart: 00077; Stock: 3"
    )
