from dataclasses import replace

import pytest

from selfrag.reader.pdf.reading import read_pdf
from tests.support.documents.pdf_pages import BOLD, FIXED, Line, Text, grid, laid, lines

BODY = [
    "Leave is granted by the head of the office, who answers within a week of the day on which it was asked for.",
    "Whoever falls ill on a day of leave, and shows a certificate of that day, is given the day back in the same year.",
    "A day that was not taken is carried over into the first quarter of the next year, and is lost in its second one.",
]


def rows_of(document):
    return [document.text[row.start : row.end] for row in document.rows]


TABLE = [("Office", "Capacity", "Since"), ("Kobe", "12", "2019"), ("Oslo", "140", "2021"), ("Rome", "90", "2024")]


ROWS = [f"Office: {office}; Capacity: {capacity}; Since: {since}" for office, capacity, since in TABLE[1:]]


def cells(x, y, columns, height=20, table=TABLE):
    return [
        Text(x + 6 + sum(columns[:column]), y - 14 - height * row, value)
        for row, values in enumerate(table)
        for column, value in enumerate(values)
        if value
    ]


@pytest.mark.parametrize("ruled", [False, True])
@pytest.mark.parametrize("caption_at", [730, 600])
def test_table_values_are_named_by_columns_and_keep_caption(ruled, caption_at):
    widths = [120, 80, 80]
    frame = grid(72, 700, widths, 4) if ruled else []
    caption = Text(72, caption_at, "Table 1: Offices and what they hold")
    document = read_pdf("a.pdf", laid([caption, *lines(72, 780, *BODY), *frame, *cells(72, 700, widths)]))
    assert rows_of(document) == ROWS
    assert [table.caption for table in document.tables] == ["Table 1: Offices and what they hold"]
    assert document.text.count("what they hold") == 1


def test_multiline_cell_is_one_value_and_spanning_head_names_each_column():
    table = [("", "2026", ""), ("Office", "Q1", "Q2"), ("Kobe, near the", "12", "14"), ("Oslo", "140", "150")]
    placed = [*cells(72, 700, [120, 80, 80], 30, table), Text(78, 614, "harbour")]
    spanning = [Text(200, 686, "2026, as of the end of the quarter") if one.words == "2026" else one for one in placed]
    frame = [line for line in grid(72, 700, [120, 80, 80], 4, 30) if not (line.x == line.to_x == 272)]
    frame.append(Line(272, 670, 272, 580))
    document = read_pdf("a.pdf", laid([*frame, *spanning]))
    year = "2026, as of the end of the quarter"
    assert rows_of(document) == [
        f"Office: Kobe, near the harbour; {year}, Q1: 12; {year}, Q2: 14",
        f"Office: Oslo; {year}, Q1: 140; {year}, Q2: 150",
    ]


def test_a_table_that_goes_on_keeps_its_head_on_each_page():
    pages = [[*cells(72, 740, [120, 80, 80]), *lines(72, 500, *BODY)] for _ in range(4)]
    assert rows_of(read_pdf("a.pdf", laid(*pages))) == ROWS * 4


def test_lists_and_programs_are_no_tables():
    page = [
        *(Text(72, 700 - 14 * at, "•") for at in range(3)),
        *(Text(90, 700 - 14 * at, f"an entry of a list that is no row, number {at}") for at in range(3)),
        *lines(72, 600, "a  = 1      # one", "bb = 2      # two", "cc = 3      # three", font=FIXED),
    ]
    document = read_pdf("a.pdf", laid(page))
    assert document.tables == ()
    assert "• an entry of a list that is no row, number 2" in document.text


def test_unformatted_words_are_never_column_names():
    table = [("Pattern", "Description"), ("MON", "the month"), ("D", "the day of the week"), ("HH", "the hour")]
    document = read_pdf("a.pdf", laid(cells(72, 700, [120, 80], table=table)))
    assert rows_of(document) == [f"{pattern}; {description}" for pattern, description in table]
    bold = [replace(one, font=BOLD) if one.y > 680 else one for one in cells(72, 700, [120, 80], table=table)]
    assert rows_of(read_pdf("a.pdf", laid(bold)))[0] == "Pattern: MON; Description: the month"


def test_values_are_no_names_though_nothing_stands_above_them():
    table = [("780", "C-15"), ("778", "+15"), ("775", "+12"), ("771", "+9")]
    document = read_pdf("a.pdf", laid(cells(72, 700, [120, 80], table=table)))
    assert rows_of(document) == [f"{year}; {change}" for year, change in table]


def test_aligned_numbers_are_rows_without_rules_between_them():
    years = [("1996", "51,544", "37,481"), ("1997", "52,071", "37,797"), ("1998", "52,526", "38,104")]
    table = [("Year", "All", "Public"), *years]
    flat = [Line(72, y, 352, y) for y in (700, 680, 620)]
    document = read_pdf("a.pdf", laid([*flat, *cells(72, 700, [120, 80, 80], table=table)]))
    assert rows_of(document) == [f"Year: {year}; All: {whole}; Public: {public}" for year, whole, public in years]


@pytest.mark.parametrize("pieces", [[(72, 430)], [(72, 200), (200, 270), (270, 350), (350, 430)]])
def test_sheet_with_only_row_lines_is_read_row_by_row(pieces):
    head, *rows = [
        ("Item", "Unit", "Price", "Note"),
        ("Bread", "loaf", "3.75", "whole"),
        ("Milk", "bottle|of a litre", "1.20", ""),
        ("Eggs, large", "box", "10.30", "fresh|from here"),
        ("Salt", "bag", "0.95", ""),
    ]
    page, y = list[Text | Line](), 700.0
    for row in (head, *rows):
        page += [Line(x, y, to_x, y) for x, to_x in pieces]
        for right, cell in zip((None, 200, 330, None), row, strict=True):
            for at, part in enumerate(cell.split("|")):
                x = 78 if cell is row[0] else 360 if right is None else right - 5 * len(part)
                page.append(Text(x, y - 14 - 12 * at, part))
        y -= 8 + 12 * (1 + max(cell.count("|") for cell in row))
    page += [Line(x, y, to_x, y) for x, to_x in pieces]
    assert rows_of(read_pdf("a.pdf", laid(page))) == [
        "; ".join(f"{name}: {cell.replace('|', ' ')}" for name, cell in zip(head, row, strict=True) if cell)
        for row in rows
    ]


def test_a_sentence_above_values_is_not_the_name_of_their_column():
    said = "how much the office may hold at most, as it was measured and entered by whoever|"
    said += "looks after it, and without the room for those who wait in front of it"
    page = [*wrapped(700, ("Office", said), xs=(72, 150)), Line(66, 683, 560, 683)]
    rows = [(office, capacity) for office, capacity, _ in TABLE[1:]]
    document = read_pdf("a.pdf", laid([*page, *wrapped(670, *rows, xs=(72, 150))]))
    assert rows_of(document)[1:] == [f"{office}; {capacity}" for office, capacity in rows]


def test_row_names_without_lines_stay_separate_if_numbers_have_lines():
    standing = [Line(x, 700, x, 620) for x in (72, 192, 272, 352)]
    flat = [Line(72, 700, 352, 700), Line(72, 680, 352, 680), Line(72, 620, 352, 620)]
    inner = [Line(192, y, 352, y) for y in (660, 640)]
    document = read_pdf("a.pdf", laid([*standing, *flat, *inner, *cells(72, 700, [120, 80, 80])]))
    assert rows_of(document) == ROWS


def test_a_title_across_a_table_and_a_note_below_it_name_nothing():
    title, note = "Exhibit 9: what the offices of the company hold", "Source: a count of all offices of the company"
    frame = grid(72, 720, [120, 80, 80], 6)
    inside = [line for line in frame if line.y == line.to_y or line.x in (72, 352)]
    inside += [Line(x, 700, x, 620) for x in (192, 272)]
    page = [*inside, Text(90, 706, title), *cells(72, 700, [120, 80, 80]), Text(90, 606, note)]
    document = read_pdf("a.pdf", laid(page))
    assert rows_of(document) == ROWS
    assert title in document.text
    assert note in document.text


def test_the_two_lines_of_a_double_one_are_no_column():
    widths = [120, 10, 70, 80]
    table = [(office, "", capacity, since) for office, capacity, since in TABLE]
    document = read_pdf("a.pdf", laid([*grid(72, 700, widths, 4), *cells(72, 700, widths, table=table)]))
    assert rows_of(document) == ROWS


def test_name_centred_over_columns_names_each_of_them():
    names = ("Year", "P1", "P2", "P3", "Q1", "Q2", "Q3")
    table = [("",) * 7, names, ("1996", "51", "37", "14", "5", "4", "1"), ("1997", "52", "38", "15", "6", "3", "3")]
    flat = [Line(72, y, 492, y) for y in (700, 680, 660, 620)]
    above = [Text(198, 686, "All"), Text(378, 686, "Ours")]
    document = read_pdf("a.pdf", laid([*flat, *cells(72, 700, [60] * 7, table=table), *above]))
    assert rows_of(document)[0] == (
        "Year: 1996; All, P1: 51; All, P2: 37; All, P3: 14; Ours, Q1: 5; Ours, Q2: 4; Ours, Q3: 1"
    )


def test_two_column_table_with_open_sides_is_read_row_by_row():
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


def test_repeated_head_of_framed_table_is_not_page_header():
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


def test_overflowing_value_is_not_joined_with_the_next_cell():
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


def test_multiline_rows_are_split_by_white_space_and_header_by_line():
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


def test_table_with_one_long_column_is_recognised_despite_single_cell_lines():
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
    rows = [("Read un|committed", "1", "a"), ("Serializa|ble", "2", "b"), ("As before", "3", "c")]
    text = "Work that is uncommitted is serializable or none, as it was before, as said."
    page = [Text(72, 740, text), *wrapped(700, ("Level", "Number", "Letter")), Line(66, 697, 400, 697)]
    assert rows_of(read_pdf("a.pdf", laid([*page, *wrapped(684, *rows)]))) == [
        "Level: Read uncommitted; Number: 1; Letter: a",
        "Level: Serializable; Number: 2; Letter: b",
        "Level: As before; Number: 3; Letter: c",
    ]


def test_two_column_table_with_only_a_header_line_keeps_rows():
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


def test_rows_above_rule_and_sums_below_are_not_column_names():
    rows = [("Bread", "2", "7.50"), ("Milk", "1", "1.20")]
    sums = [("Net", "3", "8.70"), ("Tax", "", "0.60"), ("Total", "3", "9.30")]
    table = [*wrapped(700, ("Item", "Pieces", "Price"), *rows), Line(66, 668, 400, 668), *wrapped(656, *sums)]
    assert rows_of(read_pdf("a.pdf", laid(table)))[:3] == [
        "Item: Bread; Pieces: 2; Price: 7.50",
        "Item: Milk; Pieces: 1; Price: 1.20",
        "Item: Net; Pieces: 3; Price: 8.70",
    ]


def test_nameless_row_at_page_top_stays_row():
    head, rows = ("Item", "What", "Price"), [("Bread", "whole", "7.50"), ("Milk", "fresh", "1.20")]
    pages = [
        [*wrapped(180, head), Line(66, 177, 400, 177), *wrapped(164, *rows)],
        [*wrapped(740, head), Line(66, 737, 400, 737), *wrapped(724, ("", "tax", "0.60"), ("Sum", "all", "9.30"))],
    ]
    assert rows_of(read_pdf("a.pdf", laid(*pages)))[1:] == [
        "Item: Milk; What: fresh; Price: 1.20",
        "What: tax; Price: 0.60",
        "Item: Sum; What: all; Price: 9.30",
    ]


def feature_rows(y, *rows):
    """Return rows whose cells begin at three places, the last of them seldom filled."""
    places = zip(range(int(y), 0, -14), rows, strict=False)
    return [Text(x, at, cell) for at, row in places for x, cell in zip((72, 200, 360), row, strict=False) if cell]


HEAD = [*feature_rows(760, ("Code", "Feature", "Comment")), Line(72, 756, 520, 756)]


def test_a_column_that_is_seldom_filled_has_its_own_name():
    page = [*HEAD, *feature_rows(744, ("B1", "Direct SQL"), ("B2", "Routines", "since May"), ("B3", "Views"))]
    assert read_pdf("a.pdf", laid(page)).text.split("\n") == [
        "Code: B1; Feature: Direct SQL",
        "Code: B2; Feature: Routines; Comment: since May",
        "Code: B3; Feature: Views",
    ]


@pytest.mark.parametrize("end", [(), ("", "joined views")], ids=["after a row", "within a row"])
def test_continued_table_keeps_its_names_on_next_page(end):
    first = [*HEAD, *feature_rows(744, ("B1", "Direct SQL"), ("B2", "Routines", "since May"), ("B3", "Views"))]
    second = feature_rows(760, *([end] if end else []), ("C1", "Cursors"), ("C2", "Locks"), ("C3", "Keys"))
    third = feature_rows(760, ("D0", "Days"), ("D1", "Dates"), ("D2", "Times", "since June"), ("D3", "Zones"))
    shown = read_pdf("a.pdf", laid(first, second, third)).text.split("\n")
    assert "Code: C2; Feature: Locks" in shown
    assert shown[-2:] == ["Code: D2; Feature: Times; Comment: since June", "Code: D3; Feature: Zones"]


LIMITS = [(f"Object {number}", str(100 + number), f"Team {number}") for number in range(6)]
LIMIT_HEAD = ("Object", "Limit", "Owner")


def limit_rows(y, *rows, head=True):
    """Return rows of three columns; the parts of a cell are on consecutive lines."""
    page = (
        [*(Text(x, y + 20, name, 11, BOLD) for x, name in zip((72, 300, 400), LIMIT_HEAD, strict=True))] if head else []
    )
    page += [Line(72, y + 15, 560, y + 15)] if head else []
    for row in rows:
        for x, cell in zip((72, 300, 400), row, strict=True):
            page += lines(x, y, *cell.split("|")) if cell else []
        y -= 35 + 12 * max(cell.count("|") for cell in row)
    return page


@pytest.mark.parametrize("head", [True, False], ids=["names again", "no names"])
@pytest.mark.parametrize(
    ("begin", "end", "whole"),
    [
        (
            ("Archive of outbound", "900", "Team Z"),
            ("mail with compliance copies", "", ""),
            ("Archive of outbound mail with compliance copies", "900", "Team Z"),
        ),
        (
            ("Archive", "900", "needs consent of the"),
            ("", "", "works council"),
            ("Archive", "900", "needs consent of the works council"),
        ),
        (
            ("Archive of", "900", "Team Z of|Oslo"),
            ("mail", "", "and Rome"),
            ("Archive of mail", "900", "Team Z of Oslo and Rome"),
        ),
        (("Ablage der", "900", "Team Z"), ("Post mit|Kopien", "", ""), ("Ablage der Post mit Kopien", "900", "Team Z")),
    ],
    ids=["first column", "last column", "two columns", "two lines"],
)
def test_row_that_goes_on_over_a_page_is_one_row(head, begin, end, whole):
    pages = [limit_rows(700, *LIMITS, begin), limit_rows(780, end, *LIMITS, head=head)]
    rows = [*LIMITS, whole, *LIMITS]
    shown = ["; ".join(f"{name}: {value}" for name, value in zip(LIMIT_HEAD, row, strict=True)) for row in rows]
    assert rows_of(read_pdf("a.pdf", laid(*pages))) == shown


@pytest.mark.parametrize(
    "row", [("Sum", "1500", ""), ("", "1500", ""), ("Sum", "", "Team Z"), ("Furnace", "", ""), ("Stove", "", "never")]
)
def test_row_with_a_number_at_the_top_of_a_page_stays(row):
    rows = [*LIMITS, ("Object", "", "Team X")] if row[2] else LIMITS
    document = read_pdf("a.pdf", laid(limit_rows(700, *rows), limit_rows(780, row, *LIMITS)))
    shown = "; ".join(f"{name}: {value}" for name, value in zip(LIMIT_HEAD, row, strict=True) if value)
    assert shown in rows_of(document)


def test_table_with_shifted_columns_takes_no_names_from_previous_page():
    first = [*HEAD, *feature_rows(744, ("B1", "Direct SQL"), ("B2", "Routines", "since May"), ("B3", "Views"))]
    second = [Text(x, y, words) for y in (760, 746, 732) for x, words in ((72, "Oslo"), (260, "Bergen"))]
    assert read_pdf("a.pdf", laid(first, second)).text.endswith("Oslo; Bergen\nOslo; Bergen\nOslo; Bergen")


TYPES = [("1", "SYMSXP", "symbols"), ("2", "LISTSXP", "pairlists"), ("3", "CLOSXP", "closures")]
NAMED_TYPES = [f"No: {number}; Type: {name}; Description: {meaning}" for number, name, meaning in TYPES]


def type_rows(y, rows, fonts=(FIXED, FIXED, "F1")):
    """Return rows as TeX sets those of a manual: no line is drawn, and code is in letters of one width."""
    return [
        Text(x, y - 14 * at, cell, font=font)
        for at, row in enumerate(rows)
        for x, cell, font in zip((100, 140, 260), row, fonts, strict=True)
    ]


@pytest.mark.parametrize("fonts", [(FIXED, FIXED, "F1"), ("F1", FIXED, "F1"), (FIXED, FIXED, FIXED)])
def test_unruled_code_table_takes_names_above_it_in_other_font(fonts):
    page = [*lines(72, 760, *BODY), *type_rows(680, [("No", "Type", "Description")], ("F1",) * 3)]
    document = read_pdf("a.pdf", laid([*page, *type_rows(666, TYPES, fonts), *lines(72, 600, *BODY)]))
    assert rows_of(document) == NAMED_TYPES


def test_code_table_with_head_like_rows_has_no_names():
    document = read_pdf("a.pdf", laid([*lines(72, 760, *BODY), *type_rows(680, [("No", "Type", "Kind"), *TYPES])]))
    assert rows_of(document) == ["; ".join(row) for row in [("No", "Type", "Kind"), *TYPES]]


def test_program_output_below_sentence_is_no_table():
    head = [Text(72, 714, "the result of this is"), Text(300, 714, "what follows")]
    output = [("t = 3.2", "df = 12"), ("p = 0.7", "true"), ("95 percent", "interval"), ("mean of x", "mean of y")]
    printed = [
        Text(x + 6 * at, 700 - 14 * at, words, font=FIXED)
        for at, row in enumerate(output)
        for x, words in zip((72, 300), row, strict=True)
    ]
    assert read_pdf("a.pdf", laid([*head, *printed])).tables == ()


def test_a_program_in_a_frame_is_no_table():
    frame = [line for line in grid(72, 700, [300, 80], 3) if not (line.x == line.to_x == 372)]
    frame.append(Line(372, 700, 372, 680))
    document = read_pdf("a.pdf", laid([*frame, *lines(78, 686, "x <- 1", "y <- 2", "z <- 3", font=FIXED)]))
    assert document.text.split("\n") == ["x <- 1", "y <- 2", "z <- 3"]


def test_footnote_does_not_remove_column_names_from_a_continued_table():
    first = [*type_rows(120, [("No", "Type", "Description")], ("F1",) * 3), *type_rows(106, TYPES)]
    note = Text(96, 44, "1 strictly, a node of its own", size=8)
    rest = [("4", "ENVSXP", "environments"), ("5", "PROMSXP", "promises"), ("6", "LANGSXP", "language objects")]
    document = read_pdf("a.pdf", laid([*first, note], [*type_rows(760, rest), *lines(72, 700, *BODY)]))
    assert rows_of(document)[-1] == "No: 6; Type: LANGSXP; Description: language objects"


@pytest.mark.parametrize("group", ["Class 22: Data Exception", "Class 02: No Data, a class of warnings as well"])
def test_bold_line_across_table_names_row_group_outside_columns(group):
    head = [*wrapped(700, ("Code", "Condition"), xs=(72, 270)), Line(66, 697, 463, 697)]
    groups = [Text(72, 684, "Class 00: Success", font=BOLD), Text(72, 656, group, font=BOLD)]
    rows = [*wrapped(670, ("00000", "success"), xs=(72, 270)), *wrapped(642, ("22000", "exception"), xs=(72, 270))]
    document = read_pdf("a.pdf", laid([*head, *groups, *rows, *wrapped(628, ("22001", "end"), xs=(72, 270))]))
    assert rows_of(document) == [
        "Class 00: Success",
        "Code: 00000; Condition: success",
        group,
        "Code: 22000; Condition: exception",
        "Code: 22001; Condition: end",
    ]
