from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfrag.domain.documents import Document, Part, has_words
from selfrag.domain.errors import BadDocument
from selfrag.ingestion.split_document.logic import split
from selfrag.reader.readers import parse

SENTENCE = "The allowance is paid in the month after the claim was made. "
SOME_LINES = st.lists(
    st.one_of(
        st.sampled_from(["", "# Pay", "## Leave ##", "Title", "===", "---", "```", "- item", "> quote", "\t", "  \r"]),
        st.sampled_from([SENTENCE * 8, "休暇の申請は三日前までに行います。" * 40, "x" * 2000]),
        st.text(max_size=80),
    ),
    max_size=30,
)
SOME_TEXT = st.one_of(st.text(), st.builds("\n".join, SOME_LINES), st.builds("\r\n".join, SOME_LINES))


def pieces_of(text, path="handbook/leave.md"):
    return split(parse(path, text.encode()))


@pytest.mark.parametrize("path", ["a.md", "a.txt", "a.html", "a.csv"])
@settings(deadline=None)
@given(text=SOME_TEXT)
def test_pieces_are_ordered_verbatim_slices_holding_every_word(path, text):
    try:
        document = parse(path, text.encode())
    except BadDocument:
        return
    end = 0
    for piece in split(document):
        assert has_words(piece.text)
        assert piece.title.strip()
        assert piece.text == piece.text.strip()
        start = document.text.index(piece.text, end)
        assert not has_words(document.text[end:start])
        end = start + len(piece.text)
    assert not has_words(document.text[end:])


@settings(deadline=None)
@given(text=SOME_TEXT.filter(lambda text: "\0" not in text and has_words(text)))
def test_a_piece_is_never_too_long_to_be_embedded_whole(text):
    for piece in pieces_of(text, "a.txt"):
        east_asian = sum("\u3040" <= letter <= "\u9fff" for letter in piece.text)
        assert len(piece.text) + 1.5 * east_asian <= 902


def test_the_title_of_a_piece_is_the_path_of_headings_above_it():
    text = f"# Annual leave\n\n{SENTENCE * 5}\n## Carry-over\n\n{SENTENCE * 5}\n# Sick leave\n\n{SENTENCE * 5}"
    assert [piece.title for piece in pieces_of(text)] == ["Annual leave", "Annual leave > Carry-over", "Sick leave"]


def test_the_headings_of_a_web_page_name_its_pieces():
    page = f"<title>Handbook</title><p>{SENTENCE * 5}<h1>Leave</h1><h2>Of <i>fathers</i></h2><p>{SENTENCE * 5}"
    assert [piece.title for piece in pieces_of(page, "a.html")] == ["Handbook", "Leave > Of fathers"]


def test_lines_that_stand_alone_are_the_headings_of_a_plain_text():
    text = f"Retention of data\r\n\r\n{SENTENCE * 5}\r\n\r\n1. Backups\r\n\r\n{SENTENCE * 5}\r\n"
    assert [piece.title for piece in pieces_of(text, "a.txt")] == [
        "Retention of data",
        "Retention of data > 1. Backups",
    ]


def test_a_text_without_headings_is_named_by_its_file():
    assert [piece.title for piece in pieces_of("Leave is granted.")] == ["leave.md"]


def test_a_heading_is_found_together_with_what_stands_below_it():
    pieces = pieces_of(f"# Leave\n\n## Of fathers\n\n{SENTENCE * 40}")
    assert len(pieces) > 2
    assert pieces[0].text.startswith(f"Leave\nOf fathers\n{SENTENCE}")
    assert {piece.title for piece in pieces} == {"Leave > Of fathers"}


def test_tiny_sections_share_a_piece_named_by_what_they_have_in_common():
    text = "# Contacts\n\n## Lisbon\n\nCall 4400.\n\n## Tallinn\n\nCall 5500.\n"
    assert [(piece.title, piece.text) for piece in pieces_of(text)] == [
        ("Contacts", "Contacts\nLisbon\nCall 4400.\nTallinn\nCall 5500.")
    ]


def test_long_paragraph_is_cut_between_sentences_into_even_pieces():
    quoted = """The team's "green" rule says that a claim is paid in the month after it was made, isn't it so? """
    for path in ("a.md", "a.txt"):
        texts = [piece.text for piece in pieces_of(quoted * 11, path)]
        assert len(texts) == 2
        assert all(text.endswith("isn't it so?") for text in texts)
        assert max(map(len, texts)) < 1.5 * min(map(len, texts))


@pytest.mark.parametrize(
    "text",
    [
        f"```\n# a comment\n```\n{SENTENCE}",
        f"~~~ sh\n# a comment\n~~~\n{SENTENCE}",
        f"---\nowner: x\n# a comment\n---\n{SENTENCE}",
        f"    # indented code\n{SENTENCE}",
        f"#hashtag\n{SENTENCE}",
        f"- an item\n---\n{SENTENCE}",
        f"```\n# in a fence that never ends\n{SENTENCE}",
        "# " + "no one writes so long a heading " * 10 + SENTENCE,
    ],
)
def test_text_resembling_a_heading_is_not_a_heading(text):
    assert {piece.title for piece in pieces_of(text)} == {"leave.md"}


@pytest.mark.parametrize(
    "heading", ["# Leave #", "Leave\n=", "   ###### [Leave](leave.html)", "## `Leave`\r", "Leave\r\n---"]
)
def test_headings_are_found_in_every_form_that_markdown_has(heading):
    assert {piece.title for piece in pieces_of(f"{heading}\n{SENTENCE}")} == {"Leave"}


@pytest.mark.parametrize("path", ["a.md", "a.txt", "a.html"])
def test_much_of_anything_can_be_cut(path):
    for unit in ("word ", "x", "休", "# ", "a\n\n", "<div>"):
        document = parse(path, (unit * (100_000 // len(unit.encode())) + "end").encode())
        assert split(document)[-1].text.endswith("end"), unit


def test_a_megabyte_on_one_line_can_be_cut():
    pieces = pieces_of("word " * 200_000, "a.txt")
    assert sum(len(piece.text.split()) for piece in pieces) == 200_000


def test_each_piece_names_the_nearest_heading_above_it():
    text = f"{SENTENCE * 5}\n# Leave\n\n{SENTENCE * 5}\n## Of fathers\n\n{SENTENCE * 40}"
    headings = [piece.heading for piece in pieces_of(text)]
    assert headings[:3] == ["", "Leave", "Of fathers"]
    assert set(headings[2:]) == {"Of fathers"}


def test_only_a_document_of_pages_has_pages_in_its_pieces():
    assert {piece.page for piece in pieces_of(f"# Leave\n\n{SENTENCE * 40}")} == {None}


def test_a_piece_is_of_one_page_and_names_it():
    pages = [SENTENCE * 30, "", f"  Third. {SENTENCE * 30}", "Fourth."]
    starts = [0, *accumulate(len(page) for page in pages)][:4]
    document = Document(
        "a.pdf",
        "a.pdf",
        "".join(pages),
        parts=tuple(Part(start, f"page {page}", page) for page, start in enumerate(starts, 1)),
    )
    text, end = document.text, 0
    for piece in split(document):
        start = text.index(piece.text, end)
        assert piece.page == max(number for number, begins in enumerate(starts, 1) if begins <= start)
        end = start + len(piece.text)
        assert end <= (starts[piece.page] if piece.page < len(starts) else len(text))
    assert {piece.page for piece in split(document)} == {1, 3, 4}


def test_table_is_cut_between_rows_and_each_piece_names_columns():
    rows = [f"{number},Oslo,{'x' * (number % 90)}" for number in range(200)]
    pieces = pieces_of("\n".join(["Number,City,Note", *rows]), "pay/limits.csv")
    assert len(pieces) > 5
    assert {piece.title for piece in pieces} == {"limits.csv > Number, City, Note"}
    assert {piece.heading for piece in pieces} == {"Number, City, Note"}
    lines = [line for piece in pieces for line in piece.text.split("\n")]
    assert lines[0] == "Number, City, Note"
    assert lines[1:3] == ["Number: 0; City: Oslo", "Number: 1; City: Oslo; Note: x"]
    assert all(line.startswith(f"Number: {number}; City: Oslo") for number, line in enumerate(lines[1:]))
    assert all(len(piece.text) <= 900 for piece in pieces)


def test_only_row_too_long_for_piece_is_cut():
    pieces = pieces_of(f"City,Note\nOslo,short\nRome,{SENTENCE * 30}\nBonn,short\n", "a.csv")
    assert pieces[0].text == "City, Note\nCity: Oslo; Note: short"
    assert pieces[-1].text == "City: Bonn; Note: short"
    assert pieces[1].text.startswith(f"City: Rome; Note: {SENTENCE}")
    assert all(len(piece.text) <= 900 for piece in pieces)
    assert len(pieces) > 3


def test_a_table_of_very_many_columns_can_be_cut():
    pieces = pieces_of(",".join(f"column{number}" for number in range(2000)) + "\n" + "x," * 1999, "a.csv")
    assert all(len(piece.text) <= 900 and len(piece.title) <= 200 for piece in pieces)
    assert sum(piece.text.count(": x") for piece in pieces) == 1999


@pytest.mark.parametrize("tag", ["div", "h2", "table><tr><td"])
def test_a_web_page_that_nests_deeply_can_be_cut(tag):
    assert split(parse("deep.html", f"<p>Top {f'<{tag}>' * 50_000}bottom".encode()))
