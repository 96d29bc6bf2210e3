"""Lists of definitions on web pages: a term is never without its meaning, nor a meaning without its term."""

import pytest

from selfrag.ingestion.split_document.logic import split
from tests.support.documents.rows import read_page, rows_of

SENTENCE = "The allowance is paid in the month after the claim was made. "


@pytest.mark.parametrize(
    ("terms", "rows"),
    [
        ("<dt>drop<dd>Remove a stash.<dt>pop<dd>Apply it.", ["drop: Remove a stash.", "pop: Apply it."]),
        ("<dt>-a<dt>--all<dd>All files.", ["-a, --all: All files."]),
        ("<dt>Leave<dd>Days off.<dd>What is left.", ["Leave: Days off.\nWhat is left."]),
        ("<div><dt>Leave<dd>Days off.</div><div><dt>Pay<dd>Money.</div>", ["Leave: Days off.", "Pay: Money."]),
        ("<dt>Leave<dd><p>Days off.<pre>a\n  b</pre><ul><li>c</ul>", ["Leave: Days off.\na\n  b\nc"]),
        ("<dt>when<dd><dl><dt>always<dd>Each time.</dl>", ["when: always: Each time."]),
        ("<dt>Returns:<dd>a number", ["Returns: a number"]),
        ("<dt>Alone<dt>Together", ["Alone, Together"]),
        ("<dd>Only indented.", ["Only indented."]),
    ],
)
def test_a_term_stays_with_its_definition(terms, rows):
    assert rows_of(read_page(f"<p>Before.</p><dl>{terms}</dl><p>After.</p>")) == rows


def test_every_passage_of_a_long_definition_carries_its_term():
    found = split(
        read_page(
            f"<h1>Options</h1><dl><dt>--force<dd>{f'<p>{SENTENCE}</p>' * 40}<dt>-q<dd>Be quiet.</dl><p>{SENTENCE * 5}"
        )
    )
    long = [piece for piece in found if SENTENCE.strip() in piece.text and "quiet" not in piece.text][:-1]
    assert len(long) > 1
    assert {piece.title for piece in long} == {"Options > --force"}


def test_text_after_long_definition_is_not_titled_by_term():
    definition = f"<dl><dt>--force<dd>{f'<p>{SENTENCE}</p>' * 40}</dl>"
    found = split(read_page(f"<title>Manual</title>{definition}<p>{'It is quiet here. ' * 40}"))
    assert found[-1].title == "Manual"
    found = split(read_page(f"<h2>Options</h2>{definition}<p>{'It is quiet here. ' * 40}"))
    assert found[-1].title == "Options"


def test_terms_within_a_long_definition_are_below_its_term():
    inner = f"<dl><dt>always<dd>{f'<p>{SENTENCE}</p>' * 40}</dl><p>{'It is quiet here. ' * 40}"
    titles = [piece.title for piece in split(read_page(f"<h2>Options</h2><dl><dt>when<dd>{inner}</dl>"))]
    assert list(dict.fromkeys(titles)) == ["Options > when > always", "Options > when"]


def test_definition_is_row_if_it_fits_into_passage():
    assert len(rows_of(read_page(f"<dl><dt>a<dd>{'x' * 899}</dl>"))) == 1
    assert not rows_of(read_page(f"<dl><dt>a<dd>{'x' * 900}</dl>"))


def test_a_long_term_without_a_definition_is_not_lost():
    assert "end" in read_page(f"<p>Before.<dl><dt>{'long ' * 200}end</dl>").text.split()


def test_a_caption_stays_with_its_figure():
    assert rows_of(
        read_page("<p>A<figure><pre>git push</pre><figcaption>How to <i>publish</i></figcaption></figure><p>B")
    ) == ["git push\nHow to publish"]
