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
        for x, word, font in zip((78, 199), row, (FIXED, "F1"), strict=True)
    ]
    document = read_pdf("a.pdf", laid([*grid(72, 700, [121, 80], 3), *page]))
    assert rows_of(document) == ["Package: a-mail-transfer-agent; Votes: V:264", "Package: a-mail-reader; Votes: V:7"]


def wrapped(y, *rows, xs=(72, 200, 300), apart=13.6):
    """Cells of several lines below each other, a row only a little further from the next than its lines are."""
    page = []
    for row in rows:
        for x, cell in zip(xs, row, strict=True):
            page += lines(x, y, *cell.split("|"))
        y -= 12 * (max(cell.count("|") for cell in row)) + apart
    return page


def test_rows_of_cells_with_several_lines_are_told_by_the_white_between_them_and_their_head_by_the_line_below():
    head = ("Level of|isolation", "|Dirty reads", "Phantom|reads")
    rows = [
        ("Read|uncommitted", "Allowed, but|not here", "Possible"),
        ("Read|committed", "Not|possible", "Possible"),
        ("Serializable", "Not|possible", "Not|possible"),
    ]
    page = [*wrapped(700, head), Line(66, 683, 400, 683), *wrapped(672, *rows)]
    assert rows_of(read_pdf("a.pdf", laid(page))) == [
        "Level of isolation: Read uncommitted; Dirty reads: Allowed, but not here; Phantom reads: Possible",
        "Level of isolation: Read committed; Dirty reads: Not possible; Phantom reads: Possible",
        "Level of isolation: Serializable; Dirty reads: Not possible; Phantom reads: Not possible",
    ]


def test_a_table_with_one_long_column_is_one_though_most_of_its_lines_have_one_cell():
    texts = [
        "stores files|with their|owners|in Git|or|Bazaar",
        "brings|back|the|system|as it|stood|at|that|day",
        "keeps|both",
    ]
    rows = [(name, str(number), text) for number, (name, text) in enumerate(zip("abc", texts, strict=True))]
    page = [*wrapped(700, ("Name", "Votes", "Description")), Line(66, 697, 400, 697), *wrapped(684, *rows)]
    assert rows_of(read_pdf("a.pdf", laid(page))) == [
        f"Name: {name}; Votes: {votes}; Description: {text.replace('|', ' ')}" for name, votes, text in rows
    ]


def test_rows_that_stand_in_groups_stay_rows():
    rows = [(f"City{number}", str(number), f"{number} km") for number in range(1, 10)]
    page = [
        *wrapped(700, ("City", "Offices", "Distance")),
        *(one for at in (0, 3, 6) for one in wrapped(680 - 14 * at, *rows[at : at + 3], apart=12)),
    ]
    assert rows_of(read_pdf("a.pdf", laid(page))) == [
        f"City: {city}; Offices: {number}; Distance: {distance}" for city, number, distance in rows
    ]


def test_a_word_that_is_too_long_for_its_cell_is_put_together():
    rows = [("Read un|committed", "1", "a"), ("Serializa|ble", "2", "b"), ("As|before", "3", "c")]
    text = "Work that is uncommitted is serializable or none, as it was before, as said."
    page = [Text(72, 740, text), *wrapped(700, ("Level", "Number", "Letter")), Line(66, 697, 400, 697)]
    assert rows_of(read_pdf("a.pdf", laid([*page, *wrapped(684, *rows)]))) == [
        "Level: Read uncommitted; Number: 1; Letter: a",
        "Level: Serializable; Number: 2; Letter: b",
        "Level: As before; Number: 3; Letter: c",
    ]


HEAD = ("Name", "Votes", "Description")


def test_a_row_that_the_end_of_the_page_has_cut_is_put_together_below_the_same_head_on_page_after_page():
    cities = ["Kobe", "Oslo", "Rome", "Lima", "Riga"]

    def page(number):
        rest = [("", "", f"of {cities[number - 2]}|and more {cities[number - 2]}")] if number > 1 else []
        city = cities[number - 1]
        rows = [
            *rest,
            (f"all {city}", "1", f"shows {city}|all {city}"),
            (f"some {city}", "2", f"stores {city}|files {city}"),
        ]
        return [*wrapped(740, HEAD), Line(66, 737, 400, 737), *wrapped(724, *rows)]

    found = rows_of(read_pdf("a.pdf", laid(*(page(number) for number in range(1, 6)))))
    assert found[:3] == [
        "Name: all Kobe; Votes: 1; Description: shows Kobe all Kobe",
        "Name: some Kobe; Votes: 2; Description: stores Kobe files Kobe of Kobe and more Kobe",
        "Name: all Oslo; Votes: 1; Description: shows Oslo all Oslo",
    ]
    assert len(found) == 10


def test_a_table_that_goes_on_without_its_head_keeps_its_names():
    cities = ["Kobe", "Oslo", "Rome", "Lima", "Riga", "Bonn"]
    rows = [(city, "open", "north") for city in cities]
    pages = [
        [*wrapped(180, ("City", "State", "Part")), Line(66, 177, 400, 177), *wrapped(164, *rows[:3])],
        [
            *wrapped(740, *rows[3:]),
            *lines(72, 500, "That was all of it, and more than enough was told here of cities."),
        ],
    ]
    assert rows_of(read_pdf("a.pdf", laid(*pages))) == [f"City: {city}; State: open; Part: north" for city in cities]


def test_a_table_of_two_columns_of_long_texts_is_read_row_by_row_with_no_more_than_a_line_below_its_head():
    rows = [
        (
            f"git command-{number} --with|another-option-{number}",
            f"does what it is told in way {number},|and no more, if asked|for it",
        )
        for number in range(1, 6)
    ]
    page = [
        *wrapped(700, ("Command", "Meaning"), xs=(72, 230)),
        Line(66, 697, 420, 697),
        *wrapped(684, *rows, xs=(72, 230)),
    ]
    assert rows_of(read_pdf("a.pdf", laid(page))) == [
        f"Command: {command.replace('|', ' ')}; Meaning: {meaning.replace('|', ' ')}" for command, meaning in rows
    ]


def test_a_cell_that_several_rows_share_is_told_with_each_of_them():
    flat = [Line(72, y, 272, y) for y in (700, 680, 620, 600)]
    inner = [Line(172, y, 272, y) for y in (660, 640)]
    standing = [Line(x, 700, x, 600) for x in (72, 172, 272)]
    page = [Text(78, 686, "Country"), Text(78, 646, "Italy"), Text(78, 606, "Peru")]
    cities = [Text(178, 686 - 20 * at, city) for at, city in enumerate(["City", "Rome", "Milan", "Turin", "Lima"])]
    document = read_pdf("a.pdf", laid([*flat, *inner, *standing, *page, *cities]))
    assert rows_of(document) == [
        "Country: Italy; City: Rome",
        "Country: Italy; City: Milan",
        "Country: Italy; City: Turin",
        "Country: Peru; City: Lima",
    ]
