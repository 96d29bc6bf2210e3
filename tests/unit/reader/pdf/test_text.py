from dataclasses import replace

import pytest

from selfrag.ingestion.split_document.logic import split
from selfrag.reader.pdf.reading import read_pdf
from selfrag.reader.pdf.text.paragraphs import Words
from tests.support.documents.files import pdf
from tests.support.documents.pdf_pages import BOLD, FIXED, Text, laid, lines

LEFT = [
    "The allowance is paid in the month",
    "after the claim was made, at the rate",
    "of the day on which the journey had",
    "begun and not of the day of the claim.",
    "Claims are made with the form that is",
]
RIGHT = [
    "found on the notice board, and signed",
    "by the head of the office, who keeps a",
    "copy of it for two years at the least.",
    "A claim without a signature is handed",
    "back, whatever the reason for it was.",
]
BODY = [
    "Leave is granted by the head of the office, who answers within a week of the day on which it was asked for.",
    "Whoever falls ill on a day of leave, and shows a certificate of that day, is given the day back in the same year.",
    "A day that was not taken is carried over into the first quarter of the next year, and is lost in its second one.",
]


def text_of(*pages, **more):
    return read_pdf("a.pdf", laid(*pages, **more)).text


def test_tex_words_separated_only_by_gaps_are_not_glued():
    page = [Text(72, 700, "Ifyou"), Text(72 + 27, 700, "print"), Text(72 + 27 + 23, 700, "this.")]
    assert text_of(page) == "Ifyou print this."


def test_short_words_that_only_a_gap_divides_are_not_glued():
    page = [Text(72, 700, "They"), Text(72 + 22.8 + 1.7, 700, "are"), Text(72 + 22.8 + 1.7 + 14.45 + 1.7, 700, "in.")]
    assert text_of(page) == "They are in."


def test_capitalised_word_divided_at_line_end_is_joined():
    page = lines(
        72,
        700,
        "The COMMANDS are told below, but whoever wants the list of COM-",
        "MANDS that the DOS of the MS has will find that MS-DOS and MS-",
        "DOS has none.",
    )
    shown = text_of(page)
    assert "list of COMMANDS that the DOS" in shown
    assert shown.endswith("MS-DOS and MS-DOS has none.")


@pytest.mark.parametrize("across", [False, True], ids=["column by column", "line by line"])
def test_two_columns_are_read_one_after_the_other(across):
    left, right = lines(72, 700, *LEFT), lines(310, 700, *RIGHT)
    columns = [one for pair in zip(left, right, strict=True) for one in pair] if across else [*right, *left]
    title = Text(72, 740, "What a journey costs, and who pays for it, told in two columns below", 10)
    foot = Text(72, 600, "Whatever stands below both columns is read when both of them are done.", 10)
    shown = text_of([foot, *columns, title])
    assert " ".join(shown.split()) == " ".join([title.words, *LEFT, *RIGHT, foot.words])


def test_two_columns_of_three_lines_are_read_one_after_the_other():
    left = ["Left one: the first column starts", "here and goes on with the words", "that end in the left column."]
    right = ["Right one: the second column is", "read after the first, not line", "by line across both."]
    shown = text_of([*lines(72, 700, *left), *lines(320, 700, *right)])
    assert " ".join(shown.split()) == " ".join([*left, *right])


def test_three_rows_of_long_cells_are_a_table():
    left = ["Repair of the pump in Bergen", "Rent of the office in Oslo", "Paint for the station in Oslo"]
    right = ["Paid by the head of the station", "Paid by the town in each quarter", "Paid by the railway in the end"]
    document = read_pdf("a.pdf", laid([*lines(72, 700, *left), *lines(320, 700, *right)]))
    assert document.text.split("\n") == [f"{one}; {other}" for one, other in zip(left, right, strict=True)]


PROSE = [
    "The style has an own language for each entry,",
    "and changes the names of the months and the set-",
    "tings depending on the cited document (first ap-",
    "proach in section 2.2). If you want a unique lan-",
    "guage over the whole bibliography, use the option",
    "fixlanguage, which is given to the package or",
    "as an option of the document that is written.",
    "Nothing else has to be changed in the database.",
]
LISTING = [
    "@Book{handbook,",
    "  editor    = {Kuhn, Howard},",
    "  title     = {Mechanical Testing},",
    "  series    = {ASM Handbook},",
    "  pages     = {434--456},",
    "  isbn      = {0-87170-386-6},",
    "  language  = {american},",
    "}",
]


def test_prose_beside_listing_is_read_separately_and_not_as_table():
    page = [*lines(72, 700, *PROSE), *lines(320, 700, *LISTING, font=FIXED, size=9, leading=12 / 9)]
    document = read_pdf("a.pdf", laid(page))
    assert (document.tables, document.rows) == ((), ())
    assert "If you want a unique language over the whole bibliography, use the option fixlanguage" in document.text
    assert document.text.endswith("\n".join(" ".join(line.split()) for line in LISTING))


def test_output_beside_a_program_is_no_table():
    output, program = ("ROW 1 2 3 4 5", "1 a b c d e", "2 f g h i j"), ("import layoutparser", "a = 1", "b = 2")
    document = read_pdf("a.pdf", laid([*lines(72, 700, *output, font=FIXED), *lines(320, 700, *program, font=FIXED)]))
    assert (document.tables, document.rows) == ((), ())


def test_wide_leading_is_one_paragraph_and_wider_gap_divides_paragraphs():
    said = [
        "Leave is granted by the head of the office, who answers within a week of the day on which it was asked for,",
        "that is the day of the request. Whoever falls ill on a day of leave and shows a certificate of it is given",
        "the day back in the same year, if it is asked for.",
    ]
    page = [*lines(72, 780, *said, leading=2.2), *lines(72, 690, *said, leading=2.2)]
    assert text_of(page) == "\n\n".join([" ".join(said)] * 2)


def test_korean_word_cut_by_a_line_end_is_rejoined_if_known():
    words = Words(["이 보고서는 한국의 인공지능 산업을 다룬다"])
    assert words.put_together("우리는 인공", "지능 산업을") == "우리는 인공지능 산업을"
    assert words.put_together("우리는 그", "산업을") == "우리는 그 산업을"


def test_a_word_that_the_end_of_a_line_divides_is_put_together():
    page = lines(72, 700, "A claim needs the signa-", "ture of the head of the of-", "fice.")
    assert text_of(page) == "A claim needs the signature of the head of the office."


def test_hyphen_of_a_word_is_kept_at_a_line_end():
    page = lines(72, 700, "Each non-smoker may be a guest that is", "not the non-", "smoker's.")
    assert text_of(page).endswith("that is not the non-smoker's.")


def test_document_without_hyphenation_keeps_hyphens_at_line_ends():
    page = lines(
        72, 700, "Run it as a non-", "root user, with the post-", "processed file, at run-", "time and not before."
    )
    assert text_of(page) == "Run it as a non-root user, with the post-processed file, at run-time and not before."


def test_hyphen_is_kept_though_unhyphenated_form_occurs_elsewhere():
    said = (
        "a non-",
        "root user, with the post-",
        "processed file, at run-",
        "time, in a time-",
        "out, as a log-",
        "in or a",
    )
    more = ("log-", "out, and of the start-", "up of a system whose startup is long, with a read-", "only disk.")
    page = lines(72, 700, *said, *more)
    assert "of the start-up of a system whose startup is long" in text_of(page)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (
            (
                "Die Haus- und Gartenarbeit nach dem Miet-",
                "vertrag gilt bis zum Ende des Kalender-",
                "vierteljahres, die Kündi-",
                "gung bedarf der Schriftform.",
            ),
            "Die Haus- und Gartenarbeit nach dem Mietvertrag gilt bis zum Ende des Kalendervierteljahres, "
            "die Kündigung bedarf der Schriftform.",
        ),
        (
            ("The rental con-", "tract and the agree-", "ment end with the pay-", "ment of the rent."),
            "The rental contract and the agreement end with the payment of the rent.",
        ),
        (
            ("Das sind Haus-", "und Gartenarbeit, Vor-", "oder Nachteile."),
            "Das sind Haus- und Gartenarbeit, Vor- oder Nachteile.",
        ),
        (("Ask for the pre-", "and post-tax sums."), "Ask for the pre- and post-tax sums."),
        (("Die EU-", "weite Frist gilt."), "Die EU-weite Frist gilt."),
        (("Le rendez-", "vous est pris."), "Le rendez-vous est pris."),
        (("La vice-", "et la présidente."), "La vice- et la présidente."),
        (
            ("The sens-", "or has a sensor head as this sensor does."),
            "The sensor has a sensor head as this sensor does.",
        ),
    ],
)
def test_hyphens_at_line_ends_of_short_files_divide_words(said, shown):
    assert text_of(lines(72, 700, *said)) == shown


LEASE = [
    "The tenant pays a deposit of 700 EUR before the keys are",
    "handed over. The deposit is returned within six weeks of",
    "the end of the lease, less the cost of any repair that the",
    "tenant has to bear under clause nine of this agreement.",
]


VERTRAG = [
    "Der Mieter zahlt eine Kaution von 700 Euro vor Übergabe der",
    "Schlüssel. Die Kaution wird binnen sechs Wochen nach dem",
    "Ende des Mietverhältnisses erstattet, abzüglich der Kosten",
    "einer Reparatur, die der Mieter nach Ziffer neun trägt.",
]


def numbered(step=1, first=1, x=50.0, gap=24, text_x=72, size=8, said=LEASE, blank=0):
    """Return a page of sixteen lines with numbers in the margin, which count blank lines, too."""
    page = [Text(72, 780, "Agreement", 16, BOLD)]
    for at in range(16 + 3 * blank):
        number, line = first + at, at - at // 5 * blank
        page += [Text(x, 740 - at * gap, str(number), size)] * (number % step == 0)
        page += [Text(text_x, 740 - at * gap, said[line % 4], 11)] * (not blank or at % 5 < 4)
    return page


@pytest.mark.parametrize(
    ("page", "said"),
    [
        (numbered(), LEASE),
        (numbered(x=540), LEASE),
        (numbered(step=5), LEASE),
        (numbered(step=5, first=98, x=540), LEASE),
        (numbered(first=230, x=53, text_x=75, gap=14, size=6), LEASE),
        ([*numbered(), *(Text(540, 740 - at * 24, str(at + 1), 8) for at in range(16))], LEASE),
        (numbered(said=VERTRAG), VERTRAG),
        (numbered(step=5, first=2, blank=1), LEASE),
        (numbered(blank=1, x=540), LEASE),
    ],
    ids=["left", "right", "fifth", "fifth at the right", "near", "both", "German", "fifth, blank lines", "blank lines"],
)
def test_numbers_of_lines_in_the_margin_leave_the_text(page, said):
    document = read_pdf("a.pdf", laid(page))
    assert document.text.split() == ["Agreement", *" ".join(said * 4).split()]
    assert " ".join(said[:2]) in document.text
    assert (document.tables, document.rows) == ((), ())


def test_numbers_of_lines_that_begin_again_on_each_page_leave_the_text():
    pages = [
        [replace(text, words=f"{text.words} {city}") if text.size == 11 else text for text in numbered()]
        for city in CITIES
    ]
    said = [word for city in CITIES for word in " ".join(f"{line} {city}" for line in LEASE * 4).split()]
    assert [word for word in text_of(*pages).split() if word != "Agreement"] == said


def test_numbers_of_paragraphs_entries_and_years_stay():
    decision = [
        text
        for at in range(8)
        for text in (Text(50, 740 - at * 40, str(at + 14)), *lines(90, 740 - at * 40, LEASE[0], LEASE[1], size=11))
    ]
    assert all(str(number) in text_of(decision) for number in range(14, 22))
    rules = [
        "Close the valve of the pump and wait for ten",
        "Open the drain below it and let the water out",
        "Call the desk.",
    ]
    entries = [
        text
        for at in range(9)
        for text in (Text(50, 740 - at * 14, str(at + 1)), Text(72, 740 - at * 14, rules[at % 3]))
    ]
    assert all(str(number) in text_of(entries) for number in range(1, 10))
    assert "2024" in text_of(numbered(first=2015))
    assert "No" in text_of([Text(50, 754, "No"), *numbered()])


HALL = [
    "he deposit for a hall is 400 EUR and has to be",
    "paid two weeks before the event takes place. It is",
    "returned when the hall has been handed back clean, and",
    "when all keys have been given to the caretaker again.",
]


def opened(letter, size, y, beside, first=HALL[0], indent=30):
    said = [first, *HALL[1:]]
    return [
        Text(72, 800, "Deposits", 14, BOLD),
        Text(72, y, letter, size),
        *(Text(72 + indent * (at < beside), 760 - 14 * at, line, 11) for at, line in enumerate(said)),
    ]


@pytest.mark.parametrize(
    ("page", "begins"),
    [
        (opened("T", 42, 738, 2), "The deposit for a hall is 400 EUR and has to be paid two weeks before"),
        (opened("T", 34, 745, 2, indent=24), "The deposit for"),
        (opened("T", 60, 730, 3, indent=40), "The deposit for"),
        (opened('"T', 40, 745, 2, indent=42), '"The deposit for'),
        (opened("A", 42, 745, 2, "hall costs 400 EUR, and the deposit has to be"), "A hall costs"),
        (opened("A", 42, 745, 2, "fter the event the deposit of the hall is"), "After the event"),
        (opened("C", 42, 745, 2, "Rules of the hall and of its deposit, to be"), "C Rules of"),
    ],
    ids=["two lines", "near", "three lines", "quote", "a word", "no word", "a title"],
)
def test_large_first_letter_begins_the_first_line_beside_it(page, begins):
    document = read_pdf("a.pdf", laid(page))
    assert document.text.startswith(f"Deposits\n\n{begins}")
    assert " ".join(document.text.split()).endswith(" ".join(HALL[1:]))
    assert [heading.text for heading in document.headings] == ["Deposits"]


def test_the_number_of_a_note_is_not_glued_to_its_text():
    page = [Text(72, 100, "5", 6), Text(72 + 3.4, 100, "This is said in a note.", 8)]
    assert text_of(page) == "5 This is said in a note."


CITIES = ["Kobe", "Oslo", "Rome", "Lima", "Riga", "Bonn"]


def body(city):
    """Return the same rules on each page would be taken for furniture, as they should."""
    return [f"In {city}: {line}" for line in BODY]


def furnished(header, footer):
    """Six pages of known text with a header and a footer, which contain the page number."""
    return laid(
        *(
            [
                Text(72, 800, header(number), 9),
                *lines(72, 740, *body(city), leading=2),
                Text(280, 40, footer(number), 9),
            ]
            for number, city in enumerate(CITIES, 1)
        )
    )


@pytest.mark.parametrize(
    ("header", "footer"),
    [
        (lambda page: "The handbook, release 12", str),
        (lambda page: f"Page {page} of 6", lambda page: "Confidential"),
        (lambda page: "Leave" if page % 2 else "Handbook of the company", lambda page: f"- {page + 20} -"),
        (lambda page: f"{page + 3} CHAPTER 2. LEAVE", lambda page: ["", "i", "ii", "iii", "iv", "v", "vi"][page]),
    ],
)
def test_headers_footers_and_page_numbers_are_left_out_and_nothing_else(header, footer):
    document = read_pdf("a.pdf", furnished(header, footer))
    assert document.text.split() == " ".join(line for city in CITIES for line in body(city)).split()
    assert len(document.parts) == 6


def test_page_with_only_a_header_is_empty():
    header = [Text(72, 800, "The handbook, release 12", 9)]
    document = read_pdf("a.pdf", laid(*([*header, *lines(72, 740, *body(city))] for city in CITIES), header))
    assert "handbook" not in document.text
    assert [part.page for part in document.parts] == [1, 2, 3, 4, 5, 6, 7]
    assert text_of(*[header] * 4).count("handbook") == 4


def test_passages_of_a_pdf_carry_the_headings_above_them():
    page = [
        Text(72, 780, "Handbook", 24, BOLD),
        Text(72, 740, "Journeys", 16, BOLD),
        *lines(72, 700, *BODY),
        Text(72, 640, "What is paid", 12, BOLD),
        *lines(72, 610, *LEFT),
        Text(72, 520, "When it is paid", 10, BOLD),
        *lines(72, 496, *RIGHT),
    ]
    document = read_pdf("a.pdf", laid(page))
    assert [(heading.level, heading.text) for heading in document.headings] == [
        (1, "Handbook"),
        (2, "Journeys"),
        (3, "What is paid"),
        (4, "When it is paid"),
    ]
    assert document.title == "Handbook"
    assert [document.text[heading.start : heading.end] for heading in document.headings] == [
        heading.text for heading in document.headings
    ]


def test_a_heading_of_two_lines_is_one():
    page = [*lines(72, 780, "Journeys that are paid for", "by the company", size=18), *lines(72, 700, *BODY)]
    headings = read_pdf("a.pdf", laid(page)).headings
    assert [heading.text for heading in headings] == ["Journeys that are paid for by the company"]


def test_pages_use_file_labels_and_viewer_numbers():
    pages = [[Text(72, 700, f"Text {name}.")] for name in ("one", "two", "three", "four")]
    document = read_pdf("a.pdf", laid(*pages, labels="0 << /S /r >> 2 << /S /D >>"))
    assert [(part.name, part.page) for part in document.parts] == [
        ("page i", 1),
        ("page ii", 2),
        ("page 1", 3),
        ("page 2", 4),
    ]
    assert [part.name for part in read_pdf("a.pdf", laid(*pages)).parts] == ["page 1", "page 2", "page 3", "page 4"]


def test_a_table_of_contents_is_left_out():
    entries = [f"{number}.1 About the matter {'. ' * 40}{number + 3}" for number in range(1, 9)]
    assert text_of(lines(72, 700, *entries), lines(72, 700, *BODY)).split() == " ".join(BODY).split()


def test_a_page_that_is_set_sideways_is_read_like_others():
    turned = "0 1 -1 0 595 0 cm"
    page = [Text(100, 500, "Title of it", 20), *lines(100, 460, *BODY)]
    assert text_of(page, turned=turned) == text_of(page)


@pytest.mark.parametrize(
    "mark",
    [Text(150, 300, "draft", 150, degrees=45, grey=0.8), Text(60, 640, "CONFIDENTIAL", 80, grey=0.75)],
    ids=["at a slant", "pale and large over the text"],
)
def test_a_watermark_is_no_text_no_heading_and_no_title(mark):
    page = [Text(72, 780, "Leave", 18), *lines(72, 700, *BODY)]
    marked = read_pdf("a.pdf", laid([mark, *page], [mark, *lines(72, 700, *LEFT)]))
    assert marked == read_pdf("a.pdf", laid(page, lines(72, 700, *LEFT)))
    assert marked.title == "Leave"


@pytest.mark.parametrize("grey", [0, 0.5])
def test_a_large_title_beside_the_text_stays_black_or_grey(grey):
    assert read_pdf("a.pdf", laid([Text(72, 760, "Leave", 40, grey=grey), *lines(72, 700, *BODY)])).title == "Leave"


def test_a_stamp_in_the_margin_is_neither_heading_nor_title():
    stamp = Text(30, 250, "arXiv:2004.04906v3 [cs.CL]", 20, degrees=90)
    document = read_pdf("a.pdf", laid([stamp, Text(72, 780, "Leave", 18), *lines(72, 700, *BODY)]))
    assert (document.title, [one.text for one in document.headings]) == ("Leave", ["Leave"])
    assert document.text.endswith("arXiv:2004.04906v3 [cs.CL]")


def test_one_letter_and_default_titles_are_ignored():
    assert read_pdf("a.pdf", laid([Text(72, 780, "d", 30), *lines(72, 700, *BODY)])).title == "a.pdf"
    for given in (r"\(anonymous\)", "untitled", r"\(unspecified\)"):
        assert read_pdf("a.pdf", pdf("Words of it.", title=given)).title == "a.pdf"


def test_words_that_run_together_are_warned_of():
    glued = "Acopyofthelicenseisavailable as Ifyouwanttoprintthisreference and so on it goes"
    document = read_pdf("a.pdf", laid(lines(72, 700, *[glued] * 12)))
    assert document.warnings == ("a.pdf has words that run together (24 of 96 are very long); print it to a new PDF.",)
    assert read_pdf("a.pdf", laid(lines(72, 700, *LEFT * 6))).warnings == ()


def test_pieces_never_run_over_a_page_and_say_which_it_is():
    pages = [[Text(72, 780, f"Part {number}", 16), *lines(72, 740, *BODY, leading=2)] for number in range(1, 4)]
    document = read_pdf("a.pdf", laid(*pages, labels="0 << /S /r >>"))
    found = [(piece.locator, piece.page) for piece in split(document)]
    assert found == [("page i", 1), ("page ii", 2), ("page iii", 3)]


def test_a_page_s_label_of_a_megabyte_is_cut():
    document = read_pdf("a.pdf", laid(lines(72, 700, *BODY), labels=f"0 << /P ({'A' * 1_000_000}) >>"))
    assert 1_000 < len(document.parts[0].name) < 20_000
