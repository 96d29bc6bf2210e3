"""The blocks of a passage: sentences, and rows that stay whole."""

from hypothesis import given
from hypothesis import strategies as st

from selfrag.text.sentences import split_around, split_sentences

TEXT = (
    "Offices. They are open.\noffice: Kobe. Near the port.; capacity: 12\noffice: Lisbon; capacity: 40\nAsk us. Or not."
)
KOBE, LISBON = (TEXT.index("office: K"), TEXT.index("\noffice: L")), (TEXT.index("office: L"), TEXT.index("\nAsk"))


def blocks(text: str, *whole: tuple[int, int]) -> list[str]:
    return [text[start:end] for start, end in split_around(text, whole)]


def test_a_row_is_one_block_whatever_it_holds_and_its_line_end_begins_the_next() -> None:
    assert blocks(TEXT, KOBE, LISBON) == [
        "Offices. ",
        "They are open.\n",
        "office: Kobe. Near the port.; capacity: 12",
        "\noffice: Lisbon; capacity: 40",
        "\nAsk us. ",
        "Or not.",
    ]


def test_rows_that_do_not_fit_a_stored_text_are_cut_like_the_rest() -> None:
    assert blocks("One. Two.", (7, 3), (2, 99), (-4, 2)) == ["One. ", "Two."]


@given(st.text("ab .\n。", max_size=60), st.lists(st.integers(0, 60), max_size=8))
def test_blocks_are_the_text_again_and_a_row_is_in_one_of_them(text: str, edges: list[int]) -> None:
    bounds = sorted(edge for edge in edges if edge <= len(text))
    rows = [(a, b) for a, b in zip(bounds[::2], bounds[1::2], strict=False) if text[a:b].strip()]
    found = split_around(text, rows)
    assert "".join(text[start:end] for start, end in found) == (text if text.strip() else "")
    assert all(text[start:end].strip() for start, end in found)
    assert all(sum(start < b and a < end for start, end in found) == 1 for a, b in rows)


@given(st.text("ab .\n。", max_size=60))
def test_without_rows_blocks_are_sentences(text: str) -> None:
    assert "".join(blocks(text)) == "".join(split_sentences(text))
    assert len(blocks(text)) == len(split_sentences(text))
