"""Any web page whatever is read or refused, and no word that it shows is lost."""

import re
from itertools import count, pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from selfrag.domain.errors import BadDocument
from selfrag.ingestion.split_document.logic import split
from selfrag.reader.readers import parse

OPENING = re.findall(
    r"\S+",
    """article aside b blockquote br caption center dd div dl dt em figcaption figure h1 h2 h3 header hr li main ol p
    pre section span table tbody td tfoot th thead tr ul""",
)
TAGS = [
    *(f"<{tag}>" for tag in OPENING),
    *(f"</{tag}>" for tag in OPENING),
    *("<td colspan=2>", "<td rowspan=3>", "<th rowspan=2>", "<th colspan=3>", "<table role=presentation>"),
    *("<div class=table>", "<p class=title>", "<div class=example>", "<dl><dt>", "<table><tr><td>", "<footer>"),
]
FURNITURE = [
    "<nav>",
    "<div class=toc>",
    "<p hidden>",
    "</nav>",
    "</div>",
    "</p>",
    "<a href=a>x</a>",
    "<script>",
    "&#0;",
]
WORDS = st.sampled_from(["word ", "word. ", "word word word ", "long " * 200])


def page_of(marks):
    """Return the marks as a page, with another word wherever there is one."""
    numbers = count()
    return re.sub(r"word|long", lambda _: f"w{next(numbers)}", "".join(marks))


@settings(deadline=None, max_examples=300)
@given(marks=st.lists(st.one_of(WORDS, st.sampled_from(TAGS).filter(lambda tag: tag != "<footer>")), max_size=40))
def test_every_word_of_any_page_without_furniture_is_read(marks):
    page = page_of(marks)
    try:
        found = set(re.findall(r"w\d+", parse("a.html", page.encode()).text))
    except BadDocument as error:
        found, told = set(), str(error)
        assert told == "a.html holds no words."
    assert set(re.findall(r"w\d+", page)) == found


@settings(deadline=None, max_examples=300)
@given(marks=st.lists(st.one_of(WORDS, st.text(max_size=9), st.sampled_from([*TAGS, *FURNITURE])), max_size=40))
def test_any_page_is_read_or_refused_and_says_where_its_parts_are(marks):
    try:
        document = parse("a.html", page_of(marks).encode())
    except BadDocument as error:
        assert str(error).endswith(".")  # noqa: PT017
        return
    for stretches in (document.headings, document.rows, document.tables):
        assert all(0 <= one.start < one.end <= len(document.text) for one in stretches)
        assert all(one.end <= following.start for one, following in pairwise(stretches))
    assert "".join(piece.text for piece in split(document))
