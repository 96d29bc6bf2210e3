from ingestion.parse_document.pdf.reading import read_pdf
from tests.support.pdf_pages import FIXED, Line, Text, grid, laid, lines


def rows_of(document):
    return [document.text[row.start : row.end] for row in document.rows]


def test_a_table_of_two_columns_of_long_texts_is_read_row_by_row_though_its_sides_are_open():
    commands = [("git add the-file", f"-p --verbose {number}") for number in range(1, 5)]
    meanings = [
        ("puts what was changed in a file on the list,", f"piece by piece, in way number {number}")
        for number in range(1, 5)
    ]
    page = [Text(78, 686, "Command"), Text(220, 686, "Meaning")]
    for at, (command, meaning) in enumerate(zip(commands, meanings, strict=True)):
        page += [*lines(78, 668 - 28 * at, *command, font=FIXED), *lines(220, 668 - 28 * at, *meaning)]
    flat = [Line(x, y, to_x, y) for y in (700, 680, 652, 624, 596, 568) for x, to_x in ((72, 214), (214, 500))]
    document = read_pdf("a.pdf", laid([*flat, Line(214, 700, 214, 568), *page]))
    assert rows_of(document) == [
        f"Command: {' '.join(command)}; Meaning: {' '.join(meaning)}"
        for command, meaning in zip(commands, meanings, strict=True)
    ]


def test_the_head_of_a_framed_table_on_page_after_page_is_no_header_of_the_pages():
    pages = [
        [
            *(Text(72, 800, "Offices of the company"), Text(500, 800, f"page {number}")),
            *grid(72, 760, [120, 80, 80], 7, 26),
            *(Text(78, 747, "Office"), *lines(198, 750, "Places", "in it"), Text(278, 747, "Since")),
            *(
                Text(x, 747 - 26 * row, word)
                for row in range(1, 7)
                for x, word in ((78, f"City{number}{row}"), (198, f"{number}{row}"), (278, f"20{number}{row}"))
            ),
        ]
        for number in range(1, 6)
    ]
    assert rows_of(read_pdf("a.pdf", laid(*pages))) == [
        f"Office: City{number}{row}; Places in it: {number}{row}; Since: 20{number}{row}"
        for number in range(1, 6)
        for row in range(1, 7)
    ]


def test_a_value_that_runs_into_the_next_cell_is_not_glued_to_what_stands_there():
    values = [("Package", "Votes"), ("a-mail-transfer-agent", "V:264"), ("a-mail-reader", "V:7")]
    page = [
        Text(x, 686 - 20 * at, word, font=font)
        for at, row in enumerate(values)
        for x, word, font in zip((78, 200), row, (FIXED, "F1"), strict=True)
    ]
    document = read_pdf("a.pdf", laid([*grid(72, 700, [122, 80], 3), *page]))
    assert rows_of(document) == ["Package: a-mail-transfer-agent; Votes: V:264", "Package: a-mail-reader; Votes: V:7"]
