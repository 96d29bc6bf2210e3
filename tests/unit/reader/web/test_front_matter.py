"""Front matter of Markdown files: title, tags and date, and no part of the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfrag.domain.documents import Labels
from selfrag.reader.readers import parse
from selfrag.reader.web.markdown import MAX_FRONT_MATTER, MAX_TITLE, front_matter

BODY = "# Install\n\nRun it."
YAML = "---\ntitle: Setup\ntags: [HR, Travel]\ndate: 2026-02-01\n---\n"
TOML = '+++\ntitle = "Setup"\ntags = ["HR", "Travel"]\ndate = 2026-02-01T10:00:00Z\n+++\n'


def read(text, key="a.md"):
    document = parse(key, text.encode() if isinstance(text, str) else text)
    return document.title, document.tags, document.date, document.text, [heading.text for heading in document.headings]


SETUP = ("Setup", ("hr", "travel"), "2026-02-01", "Install\nRun it.", ["Install"])


@pytest.mark.parametrize(
    "front",
    [
        YAML,
        TOML,
        YAML.replace("---\n", "---  \n"),
        YAML.removesuffix("---\n") + "...\n",
        "---\n# a comment\ntitle: 'Setup'\n\nTags: HR, Travel\nDate: February 1, 2026\n---\n",
        "---\ntitle: Setup\nkeywords:\n  - HR\n  - travel\nlast_updated: 2026/02/01\n---\n",
        "---\ntitle: Setup\ntags: HR; travel\nlastmod: 2026-02-01 10:00:00 +0900\nparams: {a: [b]}\n---\n",
        "---\ntitle: Setup\ntags: [HR, Travel]\ndate: soon\nupdated: 1 Feb 2026\n---\n",
        '+++\n# a comment\ntitle = "Setup"\nkeywords = "HR, Travel"\nupdated = "2026-02-01"\n[extra]\na = 1\n+++\n',
    ],
)
@pytest.mark.parametrize("written", ["as it is", "with a mark", "with CRLF", "in UTF-16"])
def test_front_matter_gives_title_tags_and_date_outside_text(front, written):
    content = (front + BODY).replace("\n", "\r\n") if written == "with CRLF" else front + BODY
    codec = {"with a mark": "utf-8-sig", "in UTF-16": "utf-16"}.get(written, "utf-8")
    assert read(content.encode(codec)) == SETUP


@pytest.mark.parametrize(
    ("front", "title"),
    [
        ("---\ntitle: Setup: a guide\ntags: [HR, Travel]\ndate: 2026-02-01\n---\n", "Setup: a guide"),
        ("---\ntitle: Setup\ntags:\n- HR\n- 'Travel'\n bad indent\ndate: 2026-02-01\n- x: [\n---\n", "Setup"),
        ("---\ntitle: \"Setup\"\ntags: [HR, 'Travel'\ndate: 2026-02-01\n---\n", "Setup"),
        ('+++\ntitle = "Setup"\ntags = ["HR", "Travel"]\ndate = 2026-02-01\nbroken\n+++\n', "Setup"),
        ("---\ntitle: @setup\ntags: HR, Travel\ndate: 2026-02-01\n---\n", "@setup"),
        ("---\ntitle: Setup\nthis is no YAML\ntags: HR, Travel\n\tdate: x\ndate: 2026-02-01\n---\n", "Setup"),
    ],
)
def test_invalid_front_matter_is_plain_lines_and_no_heading(front, title):
    assert read(front + BODY) == (title, *SETUP[1:])


def test_title_is_short_single_line_without_forbidden_characters():
    assert read(f'---\ntitle: "a\\ud800\\0b\\n  c"\n---\n{BODY}')[0] == "a b c"
    assert read(f"---\ntitle: {'x' * 500}\n---\n{BODY}")[0] == "x" * MAX_TITLE
    assert read(f"---\ntitle: [Setup]\n---\n{BODY}")[0] == "Install"


@pytest.mark.parametrize(
    "text",
    [
        "---\n\nWords.\n\n---\n\nMore.",
        "---\n\n# Words\n\n---\n\nMore.",
        "---\nWords without a key.\n---\nMore.",
        "---\nNote: a sentence.\n\nA second one, of another paragraph.\n\nA third one.\n\n---\n\nMore.",
        "Words.\n\n---\ntags: [a]\n---\n",
        "---\n- tags\n---\n\nWords.",
        "---\ntitle: not closed\n\nWords.",
        "--- \n\n---\n\nWords.",
        "+++\nWords.\n+++\n",
        "+++ b/file\n@@ -1 +1 @@\n",
        " ---\ntitle: Setup\n---\nWords.",
    ],
)
def test_a_rule_at_the_top_of_a_document_stays_a_rule(text):
    assert front_matter(text).labels == Labels()
    assert front_matter(text).title == ""
    document = parse("a.md", text.encode())
    assert (document.tags, document.date) == ((), None)
    # Every word is read.
    lines = [line.strip("#-+ ") for line in text.split("\n")]
    assert all(line in document.text.replace("\n", " ") for line in lines if line and line[0].isalpha())


def test_front_matter_alone_is_no_text():
    assert front_matter("---\ntitle: Setup\n---").body == ""
    assert front_matter("---\n---\nWords.").body == "Words."


@pytest.mark.parametrize(
    "front",
    [
        "---\ntitle: Setup\n" + "a: b\n" * 25_000 + "tags: [a]\n---\n",
        "---\ntitle: Setup\na: " + "[" * 100_000 + "\ntags: a\n---\n",
        "---\ntitle: Setup\na: &a [x]\n" + "".join(f"{n}: &a [*a, *a, *a, *a]\n" for n in range(30)) + "tags: a\n---\n",
        "---\ntitle: Setup\na: &a {b: c}\nd: {<<: *a}\ne: !!python/object/apply:os.getcwd []\ntags: a\n---\n",
        "---\ntitle: Setup\ntags: a\n" + "- " * 4000 + "x\n---\n",
        "---\ntitle: Setup\ntags: a\nb" + " " * 200_000 + "\n---\n",
        '+++\ntitle = "Setup"\ntags = "a"\nb = ' + "[" * 100_000 + "\n+++\n",
        '+++\ntitle = "Setup"\ntags = "a"\nb = ' + "1" * 9000 + "\n+++\n",
    ],
)
def test_front_matter_of_any_size_and_shape_is_read(front):
    result = front_matter(front + BODY)
    assert (result.title, result.labels.tags, result.body) == ("Setup", ("a",), BODY)


@given(st.text(max_size=200), st.sampled_from(["---", "+++"]))
def test_any_front_matter_is_read_and_what_is_below_it_stays(front, mark):
    result = front_matter(f"{mark}\n{front}\n{mark}\n{BODY}")
    assert result.body.endswith(BODY)
    result.title.encode()
    assert len(result.title) <= MAX_TITLE < MAX_FRONT_MATTER


@pytest.mark.parametrize(
    "front",
    [
        "+++\ntitle = 'Setup'\ndate = 2026-02-01\ntags = ['a', 'b']\n+++\n",
        "+++\n\ntitle = 'Setup'\n\ndate = 2026-02-01T08:00:00Z\n[taxonomies]\ntags = [\n 'a',\n 'b',\n]\n+++\n",
        "\ufeff+++\r\ntitle = 'Setup'\r\ndate = 2026-02-01\r\ntags = 'a, b'\r\n+++\r\n",
        "\ufeff---\r\ntitle: 'Setup'\r\ndate: 2026-02-01\r\ntags:\r\n  - a\r\n  - b\r\n...\r\n",
    ],
)
def test_toml_and_yaml_front_matter_give_title_date_and_tags(front):
    document = parse("a.md", f"{front}# Install\nRun it.\n".encode())
    assert (document.title, document.date, document.tags) == ("Setup", "2026-02-01", ("a", "b"))
    assert document.text == "Install\nRun it."
