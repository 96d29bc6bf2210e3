"""Note marks and exponents on web pages stay separate from the adjacent text."""

import pytest

from tests.support.documents.rows import read_page


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ('<p>Leave<a href="#fn1" class="footnote-ref"><sup>1</sup></a> is paid.', "Leave[1] is paid."),
        ('<p>Leave<sup><a href="#n">a</a></sup> is paid.', "Leave[a] is paid."),
        ('<p>Leave<a class="footnote-reference brackets" href="#id8">8</a>.', "Leave[8]."),
        ('<p>Leave<a href="page.html#n" role="doc-noteref">*</a>.', "Leave[*]."),
        ('<p>Leave<a href="#ftn.a" class="footnote"><sup class="footnote">[18]</sup></a>.', "Leave[18]."),
        ("<p><sup>1</sup>The days are counted.", "[1]The days are counted."),
        ("<p> <sup>†</sup>The days are counted.", "[†]The days are counted."),
        (
            '<table><tr><th>City<th>Limit<tr><td>Oslo<td>140<sup><a href="#n">1</a></sup></table>',
            "City: Oslo; Limit: 140[1]",
        ),
    ],
)
def test_the_mark_of_a_note_is_kept_apart_from_the_words(html, text):
    assert read_page(html).text == text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>at most 2<sup>32</sup> pages of 10<sup>-3</sup>", "at most 2^32 pages of 10^-3"),
        ("<p>20 m<sup>2</sup>, the 1<sup>st</sup> of H<sub>2</sub>O", "20 m², the 1st of H2O"),
        ("<p>Oslo<sup>1</sup> and x<sup><i>n</i>+1</sup>", "Oslo[1] and x^(n+1)"),
        ("<p><b>10</b><sup>-3</sup> s of Leave<sup>[18]</sup>", "10^-3 s of Leave[18]"),
        ('<p>See <a href="#3">3</a> and <a href="#all">all of it</a>.', "See 3 and all of it."),
    ],
)
def test_superscripts_and_subscripts_are_written_as_searched(html, text):
    assert read_page(html).text == text
