import pytest

from selfrag.domain.errors import BadDocument, InvalidInput
from selfrag.domain.kinds import EXTENSIONS
from selfrag.reader.readers import parse
from tests.support.documents.made_files import facts, made_files


def visible(html):
    return parse("page.html", html.encode()).text


def test_a_file_of_every_kind_that_may_be_uploaded_is_read() -> None:
    files = made_files()
    assert files.keys() == EXTENSIONS
    for ending, content in files.items():
        text = parse(f"file{ending}", content).text
        assert all(str(value) in text for value in facts()[ending]), ending


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"one\0two", "notes/a.md holds a NUL byte, so it is not text; save it as UTF-8 text."),
        (b"", "notes/a.md holds no words."),
        ("\ufeff \n---\n*** ！？\n".encode(), "notes/a.md holds no words."),
    ],
)
def test_file_without_text_is_rejected_with_message_naming_it(content, sentence):
    with pytest.raises(BadDocument) as refused:
        parse("notes/a.md", content)
    assert str(refused.value) == sentence
    assert isinstance(refused.value, InvalidInput)


def test_ten_megabytes_are_read_and_one_byte_more_is_refused():
    assert len(parse("a.txt", b"a" * 10 * 1024 * 1024).text) == 10 * 1024 * 1024
    with pytest.raises(BadDocument, match=r"^a\.txt is larger than 10 MB; split it into several files\.$"):
        parse("a.txt", b"a" * (10 * 1024 * 1024 + 1))


def test_a_byte_order_mark_is_no_part_of_the_text():
    assert parse("a.txt", b"\xef\xbb\xbfwords").text == "words"


def test_line_endings_stay_as_they_are():
    assert parse("a.txt", b"one\r\ntwo\rthree\n").text == "one\r\ntwo\rthree\n"


@pytest.mark.parametrize(
    ("path", "content", "title"),
    [
        ("a/leave.md", "Intro.\n\n# Annual *leave*\n", "Annual leave"),
        ("a/leave.md", "Leave\n=====\n", "Leave"),
        ("a/leave.md", "No heading at all.", "leave.md"),
        ("a/leave.txt", "Leave in short\n\nLeave is granted.\n\nIt is paid.", "Leave in short"),
        ("a/leave.txt", "Leave is granted.\n\nIt is paid.", "leave.txt"),
        ("a/leave.html", "<title>Leave,\n paid</title><h1>Heading</h1>", "Leave, paid"),
        ("a/leave.html", "<h1>Heading</h1>", "Heading"),
        ("a/leave.HTM", "<p>Text", "leave.HTM"),
        ("a/https://example.md/", "<title>Leave</title><p>Text", "Leave"),
        ("a/https://example.com/v1.2?file=x.pdf#.html", "<title>Leave</title><p>Text", "Leave"),
        ("a/https://example.com/leave.md", "# Leave\n", "Leave"),
    ],
)
def test_the_title_is_the_documents_own_else_its_file_name(path, content, title):
    assert parse(path, content.encode()).title == title


def test_only_visible_text_of_a_web_page_is_read():
    page = """<html><head><title>T</title><style>p {color: red}</style></head><body><nav>Menu</nav>
    <script>alert("never")</script><template>Later</template><p hidden>Hidden</p><p style="display: none">Gone</p>
    <!-- a remark --><noscript>Enable it</noscript><p>Only <b>thi</b>s.</p></body></html>"""
    assert visible(page) == "Only this."


def test_blocks_of_a_web_page_stand_on_lines_of_their_own():
    assert visible("<h1>Pay</h1><p>One\n  two<br>three</p><ul><li>a</li><li>b</li></ul>end") == (
        "Pay\nOne two\nthree\na\nb\nend"
    )


def test_preformatted_text_keeps_its_lines():
    assert visible("<p>Run:</p><pre>if x:\n    go()</pre>") == "Run:\nif x:\n    go()"


def test_readings_of_japanese_words_do_not_tear_the_words_apart():
    assert visible("<p><ruby>年<rp>(</rp><rt>ねん</rt><rp>)</rp>次<rt>じ</rt></ruby>休暇</p>") == "年次休暇"


@pytest.mark.parametrize("tag", ["div", "span", "b", "ul><li", "table><tr><td", "h2"])
def test_a_web_page_may_nest_as_deeply_as_it_likes(tag):
    document = parse("deep.html", f"<p>Top {f'<{tag}>' * 50_000}bottom".encode())
    assert document.text.split() == ["Top", "bottom"]


def test_broken_markup_is_read_as_a_browser_would():
    assert visible("<p>one<p>two</b><unknown> three</div> &amp; &lt;four&gt; <a href='x") == "one\ntwo three & <four>"
