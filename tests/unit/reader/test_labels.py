"""Tags and a date: a document's own metadata, and metadata of its object, which takes precedence."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfrag.domain.documents import MAX_TAG_CHARACTERS, MAX_TAGS, Labels
from selfrag.domain.questions import UploadRequest
from selfrag.reader.labels import labels, last_modified, object_labels
from selfrag.reader.readers import parse
from tests.support.documents.files import docx, paragraph, pdf, zipped

CORE = (
    '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
    'xmlns:dcterms="http://purl.org/dc/terms/"><cp:keywords>HR, Travel</cp:keywords>'
    "<dcterms:created>2019-01-01T08:00:00Z</dcterms:created><dcterms:modified>2026-01-31T09:30:00Z</dcterms:modified>"
    "</cp:coreProperties>"
)


def said(key, content):
    document = parse(key, content if isinstance(content, bytes) else content.encode())
    return document.tags, document.date


@pytest.mark.parametrize("tags", ["[HR,  Travel]", "hr, travel", "\n  - HR\n  - travel\n  - ＨＲ"])
def test_a_markdown_file_says_its_tags_and_date_in_its_front_matter(tags):
    text = f"---\ntitle: Leave\ntags: {tags}\ndate: 2026-01-31\n---\n\n# Leave\n\n25 days.\n"
    assert said("a.md", text) == (("hr", "travel"), "2026-01-31")
    assert said("a.md", text.replace("\n", "\r\n")) == (("hr", "travel"), "2026-01-31")


def test_half_of_a_surrogate_pair_in_front_matter_is_left_out():
    assert said("a.md", '---\ntags: ["a\\ud800"]\n---\nWords.')[0] == ("a",)


def test_an_html_page_says_them_in_its_head():
    page = "<head><meta name=Keywords content='HR, Travel'><meta property='article:published_time' content='{}'></head>"
    assert said("a.html", page.format("2026-01-31T10:00+09:00") + "<p>25 days.") == (("hr", "travel"), "2026-01-31")
    inside = "<body><p>25 days.<meta name=keywords content=spam>"
    assert said("a.html", page.format("soon") + inside) == (("hr", "travel"), None)


def test_a_pdf_says_them_in_its_information():
    content = pdf("25 days.", information="/Keywords (HR; Travel) /CreationDate (D:20260131093000Z)")
    assert said("a.pdf", content) == (("hr", "travel"), "2026-01-31")
    assert said("a.pdf", pdf("25 days.", information="/CreationDate (yesterday)")) == ((), None)


def test_a_word_document_says_them_in_its_properties():
    plain = docx(paragraph("25 days."))
    assert said("a.docx", plain) == ((), None)
    with_core = {"docProps/core.xml": CORE}
    assert said("a.docx", zipped(with_core, onto=plain)) == (("hr", "travel"), "2026-01-31")
    bomb = {"docProps/core.xml": CORE.replace("HR", "HR, " + "x" * 60_000_000)}
    assert said("a.docx", zipped(bomb, onto=plain)) == (("hr",), "2026-01-31")
    damaged = {"docProps/core.xml": CORE.replace("</cp:keywords>", "")}
    assert parse("a.docx", zipped(damaged, onto=plain)).text == "25 days."


@pytest.mark.parametrize(
    ("name", "created", "modified", "date"),
    [
        ("minutes-2026-10-14.docx", "2013-12-23T23:15:00Z", "2013-12-23T23:15:00Z", "2026-10-14"),
        ("20261014_minutes.docx", "2019-01-01T08:00:00Z", "2026-10-20T08:00:00Z", "2026-10-14"),
        ("Minutes of 14 October 2026.docx", "2019-01-01T08:00:00Z", "2019-01-01T08:00:00Z", "2026-10-14"),
        ("minutes.docx", "2013-12-23T23:15:00Z", "2013-12-23T23:15:00Z", None),
        ("minutes.docx", "2013-12-23T23:15:00Z", "2026-10-20T08:00:00Z", "2026-10-20"),
        ("minutes.docx", "2026-10-20T08:00:00Z", "2019-01-01T08:00:00Z", "2026-10-20"),
        ("rules-v2.12.2013.docx", "2019-01-01T08:00:00Z", "", "2019-01-01"),
    ],
)
def test_date_in_the_name_comes_before_those_of_a_template(name, created, modified, date):
    core = CORE.replace("2019-01-01T08:00:00Z", created).replace("2026-01-31T09:30:00Z", modified)
    assert said(name, zipped({"docProps/core.xml": core}, onto=docx(paragraph("25 days."))))[1] == date


def test_date_in_the_title_is_the_documents_unless_it_says_another():
    title = "Protokoll vom 14. Oktober 2026"
    assert said("a.txt", f"{title}\n\nDer Kran wird repariert.\n")[1] == "2026-10-14"
    assert said("a.md", f"---\ndate: 2026-01-31\n---\n# {title}\n\n25 days.\n")[1] == "2026-01-31"
    assert said("a.pdf", pdf("25 days.", information=f"/Title ({title}) /CreationDate (D:20130131)"))[1] == "2026-10-14"


def test_an_object_says_them_in_percent_encoded_metadata():
    assert object_labels({"tags": "HR, %E4%BC%91%E6%9A%87", "date": "2026-01-31"}) == Labels(
        ("hr", "休暇"), "2026-01-31"
    )
    assert object_labels({"owner": "Ann"}) == Labels()


@pytest.mark.parametrize(
    "date",
    [
        "2026-02-01", "2026-02-01T10:00:00+09:00", "2026-02-01 10:00", "2026/02/01", "2026.2.1", "2026-2-1", "20260201",
        "1.2.2026", "01. 02. 2026", "1 February 2026", "1st Feb 2026", "February 1, 2026", "Feb. 1st, 2026",
        "Sun, 01 Feb 2026 10:00:00 +0000", "2026年2月1日", "2026년 2월 1일",
    ],
)  # fmt: skip
def test_a_date_may_be_written_in_many_ways(date):
    assert labels([], date).date == "2026-02-01"


@pytest.mark.parametrize(
    "date",
    ["01/02/2026", "2/1/2026", "February 2026", "2026-02", "2026-02-30", "31 February 2026", "1 Fob 2026", "2026"],
)
def test_ambiguous_and_invalid_dates_are_ignored(date):
    assert labels([], date).date is None


def test_an_object_says_when_it_was_last_changed():
    assert [last_modified({"modified": text}) for text in ("2026-01-31", "", "soon")] == ["2026-01-31", None, None]
    assert last_modified({}) is None


def test_tags_are_limited_in_number_and_length():
    given = ["x" * (MAX_TAG_CHARACTERS + 1), "", " ", "!", *map(str, range(MAX_TAGS + 5))]
    assert labels(given, "").tags == tuple(map(str, range(MAX_TAGS)))


@given(st.text(), st.text())
def test_any_text_is_a_label_or_none(tags, date):
    found = labels([tags], date)
    assert labels([", ".join(found.tags)], found.date or "") == found
    # The parsed labels are valid in filters and uploads.
    request = UploadRequest(key="a/a.md", size=1, tags=list(found.tags), date=found.date)
    assert (tuple(request.tags), request.date) == (found.tags, found.date)


@given(st.text(max_size=60))
def test_a_tag_that_an_upload_may_have_is_the_documents_tag(text):
    with suppress(ValueError):
        (kept,) = UploadRequest(key="a/a.md", size=1, tags=[text]).tags
        assert labels([kept], "").tags == (kept,)
