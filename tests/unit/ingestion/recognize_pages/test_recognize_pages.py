"""Recognition of pages: begun once, looked after, and put where the document has no text."""

from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfrag.domain.documents import Document, Heading, Part, Row, Table
from selfrag.domain.errors import BadDocument
from selfrag.domain.records import Content
from selfrag.ingestion.recognize_pages.logic import RecognizePagesTask, fill_pages, join_lines, recognize
from selfrag.ports.recognizer import RecognizedPage

KEY = "c/scan.pdf"
PARTS = (Part(0, "page i", 1), Part(14, "page 1", 2), Part(16, "page 2", 3))
DOCUMENT = Document(KEY, "Scan", "Typed by hand\n\n\nMore text.", (Heading(0, 5, 1, "Typed"),), PARTS)
TASK = RecognizePagesTask(key=KEY, name="n", pages=[2], document_key="d/g/document.json", content=Content(title="Scan"))


class Work:
    """A work bucket with one document."""

    def __init__(self, document=DOCUMENT) -> None:
        self.held = {TASK.document_key: asdict(document)}

    def get_json(self, key):
        return self.held[key]

    def put_json(self, key, value):
        self.held[key] = value


class Slow:
    """A recogniser that needs several polls, and records started jobs."""

    def __init__(self, *pages, looks=0, error=None) -> None:
        self.pages, self.looks, self.error, self.begun = pages, looks, error, []

    def begin(self, name):
        self.begun.append(name)
        return "job"

    def outcome(self, name, job):
        if self.error:
            raise self.error
        self.looks -= 1
        return None if self.looks >= 0 else list(self.pages)


def test_running_recognition_resumes_its_job_without_a_second_start():
    slow, work = Slow(RecognizedPage(1, "Read off a picture.", 99), looks=2), Work()
    results = [recognize(TASK, slow, work)]
    while results[-1].outcome == "waiting":
        results.append(recognize(TASK.model_copy(update={"job": results[-1].job}), slow, work))
    assert [result.outcome for result in results] == ["waiting", "waiting", "read"]
    assert slow.begun == ["n"]


def test_recognised_text_is_on_its_page_with_a_confidence_warning():
    work = Work()
    result = recognize(TASK, Slow(RecognizedPage(1, "Read off\na picture.", 97.4)), work)
    held = work.held[result.document_key]
    assert held["text"] == "Typed by hand\nRead off a picture.\n\nMore text."
    assert [part["start"] for part in held["parts"]] == [0, 14, 36 - 1]
    assert result.content.warnings == [
        f"{KEY}: the text of 1 page was recognised from pictures, with a confidence of 97%."
    ]


def test_a_page_with_doubtful_letters_and_one_without_any_are_named():
    task = TASK.model_copy(update={"pages": [2, 3]})
    document = Document(KEY, "Scan", "Typed\n\n\n", parts=(Part(0, "1", 1), Part(6, "2", 2), Part(7, "3", 3)))
    result = recognize(task, Slow(RecognizedPage(1, "Rcad", 61)), Work(document))
    assert result.content.warnings[1:] == [
        f"{KEY} has recognised pages that may hold wrong letters: 2.",
        f"{KEY} has pages on which no text was recognised: 3.",
    ]


def test_document_with_text_is_read_even_if_recognition_is_refused():
    result = recognize(TASK, Slow(error=BadDocument("Amazon Textract gave up on them")), Work())
    assert result.outcome == "read"
    assert result.content.warnings == [
        f"{KEY} has pages on which no text was recognised (Amazon Textract gave up on them): 2."
    ]


def test_a_document_of_pictures_without_a_word_is_refused_with_the_reason():
    empty = Document(KEY, "Scan", "", parts=(Part(0, "page 1", 1),))
    result = recognize(TASK.model_copy(update={"pages": [1]}), Slow(RecognizedPage(1, "~ .", 20)), Work(empty))
    assert result.outcome == "unreadable"
    assert result.reason == f"{KEY} shows pictures, and no text was recognised on them."


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ("The leave of em-\nployees is paid.", "The leave of employees is paid."),
        ("It is paid\nin May.\nThen it ends.", "It is paid in May.\nThen it ends."),
        ("A-\nB", "A-\nB"),
    ],
)
def test_lines_that_end_where_the_paper_does_are_put_together(lines, text):
    assert join_lines(lines) == text


PAGES = st.lists(st.sampled_from(["", "\n", "Some words here.\n", "One; two\nThree\n"]), min_size=1, max_size=6)


@given(PAGES, st.dictionaries(st.integers(1, 6), st.sampled_from(["New words.", "", "More\n\nof them"])))
def test_parts_headings_rows_and_tables_keep_their_words_after_recognition(pages, texts):
    starts = [sum(map(len, pages[:place])) for place in range(len(pages))]
    parts = tuple(Part(start, f"page {place}", place) for place, start in enumerate(starts, 1))
    full = [(start, start + len(page.rstrip("\n"))) for start, page in zip(starts, pages, strict=True) if page.strip()]
    rows = tuple(Row(start, end) for start, end in full)
    tables = (Table(full[0][0], full[-1][1]),) if full else ()
    headings = tuple(Heading(start, end, 1, "h") for start, end in full)
    before = Document("c/a.pdf", "A", "".join(pages), headings, parts, rows, tables)
    after = fill_pages(before, texts)

    def words(document, spans):
        return [document.text[span.start : span.end] for span in spans]

    assert words(after, after.rows) == words(before, before.rows)
    assert words(after, after.headings) == words(before, before.headings)
    assert [part.name for part in after.parts] == [part.name for part in before.parts]
    assert all(0 <= part.start <= len(after.text) for part in after.parts)
    assert [part.start for part in after.parts] == sorted(part.start for part in after.parts)
    for table in after.tables:
        assert after.text[table.start : table.end].startswith(before.text[full[0][0] : full[0][1]])
        assert after.text[table.start : table.end].endswith(before.text[full[-1][0] : full[-1][1]])
