"""Rows, tables and parts: related content shares a piece, and each piece has its location."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from selfrag.domain.documents import Document, Labels, Piece, Row, has_words
from selfrag.domain.writing import Writer
from selfrag.ingestion.split_document.logic import split
from selfrag.text.weight import CAPACITY

SENTENCE = "The allowance is paid in the month after the claim was made. "
WORDS = st.text("ab 1.;:\n休暇", max_size=40)
# Headings share no word with the text below them, or its position would be ambiguous.
HEADINGS = st.text("xy 7.;:\n給料", max_size=40)
WRITTEN = st.lists(
    st.one_of(
        st.tuples(st.just("line"), st.one_of(WORDS, st.just(SENTENCE * 20))),
        st.tuples(st.just("heading"), HEADINGS),
        st.tuples(st.just("part"), st.sampled_from(["page iv", "slide 2"])),
        st.tuples(st.just("definition"), WORDS),
        st.tuples(
            st.just("table"), st.lists(st.one_of(WORDS, st.just("x" * 1200), st.just(SENTENCE * 20)), max_size=9)
        ),
    ),
    max_size=12,
)


def written(steps: list[tuple[str, str | list[str]]]) -> Document:
    """Return a document as a reader would write it."""
    writer = Writer("a.html")
    for number, (kind, value) in enumerate(steps):
        if isinstance(value, list):
            with writer.table("Limits" if number % 2 else ""):
                for row, cell in enumerate(value, 2):
                    writer.row(["item", "limit"], [f"r{row}", cell], f"row {row}")
        elif kind == "line":
            writer.line(value)
        elif kind == "heading":
            writer.heading(1 + number % 3, value)
        elif kind == "part":
            writer.part(f"{value} of {number}", number)
        else:
            writer.definition(f"term {number}", value)
    return writer.document("Handbook", Labels())


def placed(document: Document) -> list[tuple[int, Piece]]:
    """Return where each piece begins in the text."""
    found, end = [], 0
    for piece in split(document):
        start = document.text.index(piece.text, end)
        end = start + len(piece.text)
        found.append((start, piece))
    return found


@settings(deadline=None, max_examples=200)
@given(WRITTEN)
def test_fitting_row_is_in_one_piece_and_pieces_stay_within_parts(steps: list[tuple[str, str | list[str]]]) -> None:
    document = written(steps)
    pieces = placed(document)
    stretches = [(start, start + len(piece.text)) for start, piece in pieces]
    for row in document.rows:
        if row.end - row.start <= 300 and has_words(document.text[row.start : row.end]):
            told = document.text[row.start : row.end].strip()
            at = document.text.index(told, row.start)
            [(start, piece)] = [(s, p) for s, p in pieces if s <= at < s + len(p.text)]
            assert (at - start, at + len(told) - start, row.name) in {(r.start, r.end, r.name) for r in piece.rows}
    for part in document.parts:
        assert not [1 for start, end in stretches if start < part.start < end]
    for start, piece in pieces:
        named = [part for part in document.parts if part.start <= start]
        assert (piece.locator, piece.page) == ((named[-1].name, named[-1].page) if named else ("", None))
        assert all(piece.text[row.start : row.end].strip() for row in piece.rows)


@settings(deadline=None, max_examples=200)
@given(WRITTEN)
def test_no_word_is_lost_but_of_headings_that_stand_alone(steps: list[tuple[str, str | list[str]]]) -> None:
    document = written(steps)
    kept = set()
    for start, piece in placed(document):
        kept |= set(range(start, start + len(piece.text)))
    headings = {at for heading in document.headings for at in range(heading.start, heading.end)}
    lost = [c for at, c in enumerate(document.text) if at not in kept and at not in headings and has_words(c)]
    assert not lost


def table(rows: int, caption: str = "", before: str = "", after: str = "") -> Document:
    """Return a page with a table under two headings."""
    writer = Writer("a.html")
    writer.heading(1, "Manual")
    writer.heading(2, "Limits")
    if before:
        writer.line(before)
    with writer.table(caption):
        for number in range(2, rows + 2):
            writer.row(["item", "upper limit"], [f"thing {number}", f"{number}00 MB"], f"row {number}")
    if after:
        writer.line(after)
    return writer.document("Manual", Labels())


def test_each_table_piece_is_titled_by_headings_and_caption() -> None:
    pieces = split(table(120, "Limits of the server"))
    assert len(pieces) > 3
    assert {piece.title for piece in pieces} == {"Manual > Limits > Limits of the server"}
    assert {piece.heading for piece in pieces} == {"Limits"}
    assert all(line.startswith("item: ") for piece in pieces[1:] for line in piece.text.split("\n"))
    assert [row.name for piece in pieces for row in piece.rows] == [f"row {number}" for number in range(2, 122)]


def test_table_is_split_from_surrounding_text_but_keeps_its_introduction() -> None:
    lead, table_and_lead, after = "The limits are:", SENTENCE * 5, SENTENCE * 4
    first, second = split(table(8, "", lead, after))
    assert first.text.startswith(f"Manual\nLimits\n{lead}\nitem: thing 2; upper limit: 200 MB\n")
    assert second.text == after.strip()
    assert [len(piece.rows) for piece in split(table(8, "", table_and_lead, after))] == [0, 8, 0]


def test_few_rows_without_caption_stay_with_surrounding_text() -> None:
    [piece] = split(table(2, "", SENTENCE, SENTENCE))
    assert [piece.text[row.start : row.end] for row in piece.rows] == [
        "item: thing 2; upper limit: 200 MB",
        "item: thing 3; upper limit: 300 MB",
    ]


def test_each_piece_of_long_row_names_row_in_title() -> None:
    writer = Writer("a.csv")
    with writer.table("Offices"):
        writer.row(["city", "note"], ["Rome", SENTENCE * 30], "row 2")
        writer.row(["city", "note"], ["Bonn", "short"], "row 3")
    first, *further, last = split(writer.document("a.csv", Labels()))
    assert first.title == "a.csv > Offices"
    assert len(further) >= 1
    assert {piece.title for piece in further} == {"a.csv > Offices > city: Rome"}
    assert {row.name for piece in [first, *further] for row in piece.rows} == {"row 2"}
    assert (last.text, last.title) == ("city: Bonn; note: short", "a.csv > Offices")


def test_each_piece_of_long_definition_keeps_term_in_title() -> None:
    writer = Writer("a.html")
    writer.heading(1, "Fields")
    writer.definition("Breaks", SENTENCE * 40)
    assert {piece.title for piece in split(writer.document("Fields", Labels()))[1:]} == {"Fields > Breaks"}


def test_a_list_of_definitions_is_cut_between_terms() -> None:
    writer = Writer("a.html")
    for number in range(40):
        writer.definition(f"--option-{number}", SENTENCE)
    pieces = split(writer.document("Options", Labels()))
    assert len(pieces) > 2
    assert all(line.startswith("--option-") for piece in pieces for line in piece.text.split("\n"))


def test_a_page_in_the_middle_of_a_section_carries_its_headings() -> None:
    writer = Writer("a.pdf")
    writer.part("page iv", 4)
    writer.heading(1, "Rules")
    writer.heading(2, "Travel")
    writer.line(SENTENCE * 5)
    writer.part("page 1", 5)
    writer.line(SENTENCE * 5)
    pieces = split(writer.document("Rules", Labels()))
    assert [(piece.title, piece.locator, piece.page) for piece in pieces] == [
        ("Rules > Travel", "page iv", 4),
        ("Rules > Travel", "page 1", 5),
    ]


def test_headings_alone_are_no_piece() -> None:
    writer = Writer("a.pptx")
    for number, lines in enumerate((["Welcome"], ["Prices", SENTENCE], ["Visitors", SENTENCE, "Next year"]), 1):
        writer.part(f"slide {number}", number)
        writer.heading(1, lines[0])
        for line in lines[1:]:
            (writer.heading if line == "Next year" else lambda _, text: writer.line(text))(2, line)
    texts = [piece.text for piece in split(writer.document("Talk", Labels()))]
    assert texts == [f"Prices\n{SENTENCE}".strip(), f"Visitors\n{SENTENCE}\nNext year"]


def test_a_document_of_headings_alone_keeps_them() -> None:
    writer = Writer("a.pptx")
    for number, title in enumerate(("Welcome", "Thank you"), 1):
        writer.part(f"slide {number}", number)
        writer.heading(1, title)
    assert [piece.text for piece in split(writer.document("Talk", Labels()))] == ["Welcome", "Thank you"]


def test_lines_that_were_taken_for_headings_are_not_lost() -> None:
    writer = Writer("a.txt")
    for number in range(200):
        writer.heading(2, f"Room {number} belongs to team {number}")
    writer.line(SENTENCE)
    told = "\n".join(piece.text for piece in split(writer.document("Rooms", Labels())))
    assert all(f"Room {number} belongs" in told for number in range(200))


def test_continuing_sentence_is_not_separated_from_previous_one() -> None:
    for position in range(4, 16):
        text = f"{SENTENCE * position}A commit that cannot be judged has a code. This code is 125. {SENTENCE * 14}"
        writer = Writer("a.txt")
        writer.line(text)
        assert [
            piece for piece in split(writer.document("a", Labels())) if "has a code. This code is 125." in piece.text
        ]


def test_paragraphs_that_fit_are_not_cut() -> None:
    paragraphs = [f"{number}. {SENTENCE * 9}".strip() for number in range(6)]
    writer = Writer("a.txt")
    writer.line("\n\n".join(paragraphs))
    found = "\n\n".join(piece.text for piece in split(writer.document("a", Labels())))
    assert found == "\n\n".join(paragraphs)
    assert all(len(piece.text) <= CAPACITY for piece in split(writer.document("a", Labels())))


def test_a_line_that_was_wrapped_in_mid_sentence_is_not_cut_there() -> None:
    wrapped = "The allowance is paid in the month\nafter the claim was made, and only\nonce. "
    writer = Writer("a.txt")
    writer.line(wrapped * 20)
    assert all(piece.text.endswith("once.") for piece in split(writer.document("a", Labels())))


def test_heading_across_pages_is_in_titles_and_not_in_text() -> None:
    writer = Writer("a.html")
    writer.heading(1, "Rules")
    writer.line(SENTENCE * 5)
    writer.resume(1, "Handbook")
    writer.resume(2, "Travel")
    writer.line(SENTENCE * 5)
    found = [(piece.title, piece.text) for piece in split(writer.document("Rules", Labels()))]
    assert found == [("Rules", f"Rules\n{SENTENCE * 5}".strip()), ("Handbook > Travel", (SENTENCE * 5).strip())]


def test_the_pieces_of_one_long_row_take_time_in_proportion_to_it() -> None:
    looked_at = 0

    class Watched(str):
        """A text that counts the characters that are taken out of it."""

        def __getitem__(self, key: Any) -> str:
            nonlocal looked_at
            taken = str.__getitem__(self, key)
            looked_at += len(taken)
            return taken

    def share(size: int) -> float:
        nonlocal looked_at
        looked_at, text = 0, Watched("name: " + "words are here. " * (size // 16))
        pieces = split(Document("a.csv", "A", text, rows=(Row(0, len(text), "row 2"),)))
        assert len(pieces) > size / 2000
        return looked_at / size

    assert share(400_000) < 1.5 * share(100_000)
