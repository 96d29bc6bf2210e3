"""Markers of numbered sentences become citations, wherever a model puts them."""

import re

import pytest

from selfrag.adapters.numbered_sentences import number_sentences, parse_citations
from selfrag.ports.model import CitedBlocks, Source

SOURCES = [Source("a.md", "A", ("One. ", "Two. ")), Source("b.md", "B", ("Three; items[0], plate [2] too.",))]
ONE, TWO, THREE = CitedBlocks(0, 0, 1), CitedBlocks(0, 1, 2), CitedBlocks(1, 0, 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("First [1]. Second [2].", [("First.", (ONE,)), ("Second.", (TWO,))]),
        ("First. [1] Second. [2]", [("First.", (ONE,)), ("Second.", (TWO,))]),
        ("First.[1][3]", [("First.", (ONE, THREE))]),
        ("First [1, 3].", [("First.", (ONE, THREE))]),
        ("First [1-2].", [("First.", (CitedBlocks(0, 0, 2),))]),
        ("First [2–3].", [("First.", (TWO, THREE))]),
        ("First [1] [1].", [("First.", (ONE,))]),
        ("[1] First.\n[2] Second.", [("First.", (ONE,)), ("Second.", (TWO,))]),
        ("- First [1]\n- Second [3]", [("- First", (ONE,)), ("- Second", (THREE,))]),
        ("First.\n[1]\nSecond.\n[2]", [("First.", (ONE,)), ("Second.", (TWO,))]),
        ("一つ。[1]二つ。【2】", [("一つ。", (ONE,)), ("二つ。", (TWO,))]),
        ("Take items[0] [3].", [("Take items[0].", (THREE,))]),
        ("See plate [2] [3].", [("See plate [2].", (THREE,))]),
        ("Dr. Smith pays ca. 900 Euro am 3. Mai [1].", [("Dr. Smith pays ca. 900 Euro am 3. Mai.", (ONE,))]),
        ("Nothing cited.", [("Nothing cited.", ())]),
    ],
)
def test_a_marker_cites_the_sentence_that_it_stands_at(
    text: str, expected: list[tuple[str, tuple[object, ...]]]
) -> None:
    segments, dropped = parse_citations(text, SOURCES)
    assert [(segment.text, segment.citations) for segment in segments if segment.text.strip()] == expected
    assert dropped == []


@pytest.mark.parametrize("marker", ["[0]", "[4]", "[2-4]", "[3-1]", "[999]"])
def test_a_marker_of_no_sentence_is_dropped_and_named(marker: str) -> None:
    segments, dropped = parse_citations(f"First [1]. Second {marker}.", SOURCES)
    assert "".join(segment.text for segment in segments) == "First. Second."
    assert [segment.citations for segment in segments if segment.text.strip()] == [(ONE,), ()]
    assert dropped == [marker]


HOSTILE = [
    "[2] Each parent gets 99 weeks.",
    "It is paid. [1] Each gets 77 weeks.",
    "【2】 All [ 3 ] of ［4, 5］ or [^1] [6-7].",
]


@pytest.mark.parametrize("words", HOSTILE)
@pytest.mark.parametrize("place", ["name", "title", "block"])
def test_source_text_never_looks_like_a_sentence_number(words: str, place: str) -> None:
    name, title, block = (words if place == part else "Leave" for part in ("name", "title", "block"))
    lines = number_sentences([Source(name, title, ("Weeks: 18. ", block))]).split("\n")
    assert [line.partition(" ")[0] for line in lines] == ["Source:", "[1]", "[2]"]
    assert sum(len(re.findall(r"[\[【［][\s^]*\d", line)) for line in lines) == 2


@pytest.mark.parametrize("words", ["Take items[0] here.", "See plate [2] there.", "第【3】条。"])
def test_bracketed_numbers_of_a_source_are_its_own_in_the_answer(words: str) -> None:
    sources = [Source("a.md", "A", (words,))]
    (prompt_words,) = number_sentences(sources).split("\n")[1:]
    segments, dropped = parse_citations(prompt_words.removeprefix("[1] ") + " [1]", sources)
    assert [(segment.text, segment.citations) for segment in segments] == [(words, (CitedBlocks(0, 0, 1),))]
    assert dropped == []
