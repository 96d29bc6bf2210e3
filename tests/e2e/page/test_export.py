"""A conversation saved as Markdown: its texts remain plain text in any renderer."""

import json
import re
import string
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from tests.support.page.browsing import Tab, browsing
from tests.support.page.hostile import CASES
from tests.support.page.said import response_of, saying_each

READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
# The page's own blocks: a heading, paragraphs, a numbered list with a quotation in each item.
OURS = {"heading", "paragraph", "ordered_list", "list_item", "blockquote", "inline", "text", "text_special"}
BREAKS = {"softbreak", "hardbreak"}
# Pieces of Markdown, from which random texts come that mean something to its reader.
WORDS = ["\r\n", "    ", "1.", "9)", "www.", "http://", "```", "---", "&amp;", "<b>"]
PIECES = [*WORDS, *"\n\t a", *string.punctuation]
STARTS = [f"\n{mark} " for mark in ("-", "+", "*", "1.", "9)", "#", ">", "|", "    ", ":", "```", "~~~")] + [
    "\n---\n",
    "\n===",
]
LETTERS = st.characters(exclude_categories=["Cs"])
TEXTS = st.lists(st.sampled_from(PIECES) | st.sampled_from(STARTS) | LETTERS, max_size=30)


@pytest.fixture(scope="module")
def page() -> Iterator[Tab]:
    """Yield the page, of which only what writes the Markdown is asked."""
    with browsing() as tab, saying_each([]) as url:
        tab.open(url)
        yield tab


def written(page: Tab, text: str) -> str:
    """Return the Markdown of a conversation of one question, each text of which is this one."""
    response = {**response_of(text), "citations": response_of(text)["citations"] * 6}
    return str(page.run(f"markdown([{{question: {json.dumps(text)}, response: {json.dumps(response)}}}])"))


def flat(tokens: list[Token]) -> Iterator[Token]:
    """All tokens, those within others too."""
    for token in tokens:
        yield token
        yield from flat(token.children or [])


def read(text: str) -> str:
    """Return the visible letters: control characters as the page writes them, without spaces."""
    shown = re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", "\ufffd", text)
    return "".join(shown.split())


def holds(page: Tab, text: str) -> None:
    """Markdown's reader finds our own structure in it, and the text as text."""
    markdown = READER.parse(written(page, text))
    kinds = {token.type.removesuffix("_open").removesuffix("_close") for token in flat(markdown)}
    assert kinds <= OURS | BREAKS, (kinds - OURS, text[:200])
    assert sum(token.type == "ordered_list_open" for token in markdown) == 1
    quotes = [token.level for token in markdown if token.type == "blockquote_open"]
    assert quotes == [2] * 12
    inline = ["".join(part.content for part in flat(token.children or [])) for token in markdown if token.children]
    assert read(inline[0]) == read(text) or not read(text)
    assert read(inline[-2]) == read(text) or not read(text)


@pytest.mark.parametrize("name", CASES)
def test_a_hostile_text_is_text_in_the_saved_conversation(page: Tab, name: str) -> None:
    holds(page, CASES[name][:5000])


@given(text=TEXTS.map("".join))
@settings(max_examples=200, deadline=None)
def test_any_text_is_text_in_the_saved_conversation(page: Tab, text: str) -> None:
    holds(page, f"x{text}x")


def test_addresses_and_names_of_people_are_no_links_in_the_saved_conversation(page: Tab) -> None:
    saved = written(
        page,
        "See https://elsewhere.example, www.elsewhere.example, //elsewhere.example and @somebody, mailto:a@b.example",
    )
    assert not re.search(r"https?://|www\.|(?<!\\)@|(?<!\\)//", saved)


def test_lines_and_numbers_of_citations_stay_in_the_saved_conversation(page: Tab) -> None:
    response: dict[str, Any] = {**response_of("Fact."), "answer": "One.\n- Two.\n\nThree."}
    response["citations"] = [{**response["citations"][0], "answer_span": [0, 4]}]
    saved = page.run(f"markdown([{{question: 'What?', response: {json.dumps(response)}}}])")
    assert saved.startswith(
        "## What?\n\nOne. \\[1\\]\\\n\\- Two.\n\nThree.\n\n1. Fact. › Fact. › Fact.\n\n   > Fact.\n\n"
    )


def test_the_conversation_is_saved_as_a_file_without_the_key(page: Tab) -> None:
    with saying_each(["Fact."]) as url:
        page.open(f"{url}/#case-0")
        page.run("sessionStorage.setItem('selfrag-key', 'the-key')")
        page.until("turns.length")
        page.run("URL.createObjectURL = (file) => { window.file = file; return 'data:,'; }; null")
        page.click("#show-history")
        page.click("#export")
        saved = page.until("window.file && file.text()")
        assert "Fact." in saved
        assert "the-key" not in saved
        assert page.run("file.type") == "text/markdown"
