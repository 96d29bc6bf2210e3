import pytest

from ingestion.parse_document.readers import parse
from selfrag.domain.errors import BadDocument

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
    assert text_of("\n,\nA,,C\n1,2,\n , ,\n,,3") == "A, C\nA: 1; column 2: 2\nC: 3"


def test_values_beyond_the_names_are_read_with_a_warning():
    document = parse("a.csv", b"A,B\n1,2\n3,4,5\n")
    assert document.text.endswith("A: 3; B: 4; column 3: 5")
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
