"""Navigation of a web page is in no passage, and the article is complete."""

import re

import pytest

from selfrag.domain.errors import BadDocument
from selfrag.ingestion.split_document.logic import split
from tests.support.documents.pages import ARTICLE, PAGES
from tests.support.documents.rows import read_page


def words(text):
    return re.findall(r"\w+", text)


@pytest.mark.parametrize("generator", PAGES)
def test_no_passage_holds_navigation_and_no_word_of_the_article_is_lost(generator):
    page, furniture = PAGES[generator]
    passages = split(read_page(page))
    found = words(" ".join(piece.text for piece in passages))
    assert not set(words(furniture)) & set(found)
    assert not set(words(furniture)) & set(words(" ".join(piece.heading for piece in passages)))
    remaining = list(found)
    for word in words(ARTICLE):
        remaining.remove(word)


@pytest.mark.parametrize(
    "furniture",
    [
        "<div role=navigation>Skip <p>all this</div>",
        "<div role='banner'>Our company</div>",
        "<div role=contentinfo>Made with care</div>",
        "<div role=search>Find</div>",
        "<ul role=menu><li>File<li>Edit</ul>",
        "<footer>Made with care. Call us.</footer>",
        "<div id=footer>Last updated 2026</div>",
        "<aside><a href=a.html>Other news</a></aside>",
        "<div class='toc'><p>Contents<ul><li><a href=#a>A</a></ul></div>",
        "<div class='contents topic'><p>Contents</div>",
        "<div class=copyright>Made by the company.</div>",
        "<ul><li>1. <a href=#a>Leave</a><li>2. <a href=#b>Pay</a><li>3. <a href=c.html>Travel</a></ul>",
        "<dl><dt><a href=#a>I. Leave</a><dd><dl><dt><a href=#b>Pay</a><dt><a href=#c>Travel</a></dl></dl>",
        "<nav role=none>Menu</nav>",
        "<div class='container topNav'>Menu</div>",
        "<table><tr><td><a href=a>Leave</a><td><a href=b>Pay</a><td><a href=c>Travel</a></table>",
        "<p>[ <a href=a>previous</a> ] [ <a href=b>Contents</a> ] [ <a href=c>1</a> ] [ <a href=d>next</a> ]",
        "<p>Next: <a href=a rel=next>Leave</a>, Up: <a href=b rel=up>Pay</a>",
        "<p><a href=a>前へ</a> <a href=b>次へ</a>",
        "<p>Copyright © 2024-2026 The company.",
        "<p>Permission is granted to copy, distribute and/or modify this document.",
        "<p>This manual is free software; you may redistribute it.",
        "<h2>Contents</h2><ul><li><a href=#a>Leave</a><li><a href=#b>Pay</a><li><a href=#c>Travel</a></ul>",
    ],
)
def test_declared_navigation_and_lists_of_links_are_omitted(furniture):
    assert (
        read_page(f"<h1>Leave</h1>{furniture}<h2>Days</h2><p>It is paid.</p>{furniture}").text
        == "Leave\nDays\nIt is paid."
    )


@pytest.mark.parametrize(
    "kept",
    [
        "<article><footer>Granted by Ada in spring.</footer></article>",
        "<blockquote>Work is good.<footer>Bob</footer></blockquote>",
        "<aside class=footnote><a href=#r>1</a> Unless it rains.</aside>",
        "<aside>Ask twice.</aside>",
        "<header><h1>Leave</h1></header>",
        "<p><a href=a.html>git-add</a>, <a href=b.html>git-rm</a>, <a href=c.html>git-mv</a></p>",
        "<ul><li><a href=a>git-add</a> adds one<li><a href=b>git-rm</a> removes it<li><a href=c>git-mv</a> moves it",
        "<p>We have these offices in all:<ul><li><a href=a>Oslo</a><li><a href=b>Rome</a><li><a href=c>Bonn</a></ul>",
        "<div><p>We have these offices in Europe:</div><div><ul><li><a href=a>Oslo</a><li><a href=b>Rome</a>"
        "<li><a href=c>Bonn</a></ul></div>",
        "<ul><li><a href=https://a.org>One</a><li><a href=https://b.org>Two</a><li><a href=//c.org>Three</a></ul>",
        "<ul><li><a href=a>Oslo</a><li><a href=b>Rome</a></ul>",
        "<ul><li><a name=a>Oslo</a><li><a name=b>Rome</a><li><a name=c>Bonn</a></ul>",
        "<p>Permission is granted by the manager within three days.",
        "<p>Copyright law of 1976 says so.",
        "<blockquote><p>Copyright © 2024 The company.</blockquote>",
        "<h2>Licence of this manual</h2><p>Permission is granted to copy this document.",
        "<div class=legalnotice><p>You may copy this.<p>Permission is granted to copy this document.</div>",
        "<div class=titlepage><p class=copyright>Copyright © 2024 The company.</div>",
        "<h2>著作権</h2><p>Copyright © 2024 The company.",
        "<table><tr><td>Ada<td><a href=#1>1</a>, <a href=#2>2</a></td><td>x</table>",
        "<div>Days off <a href=#1>1</a> <a href=#2>2</a></div>",
        "<p>Call <a href=home>Home</a> or <a href=up>Up</a>.</p>",
        "<section id=navigation><h2>Navigation</h2><p>How to steer a ship.</section>",
        "<div class=section id=footer><h2>Footer</h2><p>A page may have one.</div>",
        "<body class='toc'><p>All of it.",
        "<div class=contents><p>All of it.</div>",
        "<h2>Open from 9 to 5</h2>",
    ],
)
def test_furniture_like_content_is_kept(kept):
    text = read_page(f"{kept}<p>It is paid.</p>").text
    assert words(text) == words(re.sub(r"<[^>]*>", " ", kept) + " It is paid")


def test_skip_links_and_language_links_are_dropped():
    skip = "<a href=#main class=x>Skip to main content</a><div><a href='#p'>Jump to content</a></div>"
    others = "".join(f"<li><a href=https://{it}.example.org/wiki hreflang={it}>{it}</a>" for it in ("de", "ja", "ko"))
    page = f"{skip}<h1>Leave</h1><ul>{others}</ul><p>It is paid; <a href=#days>skip to days</a>.</p>"
    assert read_page(page).text == "Leave\nIt is paid; skip to days."
    linked = others.replace("hreflang", "title")
    assert "de" in read_page(f"<h1>Leave</h1><ul>{linked}</ul><p>It is paid.</p>").text.split()


def test_a_heading_is_left_out_only_if_nothing_stays_below_it():
    contents = "<ul><li><a href=#a>Leave</a><li><a href=#b>Pay</a><li><a href=#c>Travel</a></ul>"
    page = f"<h1>Handbook</h1>{contents}<h2>Chapters</h2>{contents}<h3>More</h3>{contents}<h2>Leave</h2><p>Paid.</p>"
    assert read_page(page).text == "Handbook\nLeave\nPaid."
    assert read_page(f"<h2>Chapters</h2>{contents}<p>Read them.</p>").text == "Chapters\nRead them."
    assert read_page("<p>We are here for you.</p><h2>Open from 9 to 5</h2>").text.endswith("Open from 9 to 5")


@pytest.mark.parametrize(
    "page",
    [
        "<nav>Menu</nav>",
        "<title>Index</title><h1>Index</h1><ul><li><a href=#a>A b</a><li><a href=#b>B c</a><li><a href=#c>C d</a></ul>",
        "<div class=toc>Contents</div><p>Copyright © 2026 The company.",
    ],
)
def test_page_of_only_navigation_is_rejected_with_message(page):
    with pytest.raises(BadDocument) as refused:
        read_page(page)
    assert str(refused.value) == (
        "page.html holds only navigation: links to other pages, contents or notices, and no text."
    )


def test_a_page_without_words_is_not_called_navigation():
    with pytest.raises(BadDocument, match=r"^page\.html holds no words\.$"):
        read_page("<nav> | </nav><p>!</p><p hidden>word</p>")
