"""Image-only pages of a PDF: found, stored for the recogniser, and reported if there is none."""

import pytest

from selfrag.domain.documents import Document, Part
from selfrag.domain.writing import list_names
from selfrag.ingestion.parse_document.logic import ParseDocumentTask, read_object
from selfrag.ports.objects import Object
from selfrag.reader.scans.detection import scan_of, stretches
from tests.support.documents.files import pdf
from tests.support.documents.scans import blank_pdf, scanned_pdf, spelled

KEY = "c/scan.pdf"
TASK = ParseDocumentTask(bucket="b", key=KEY, document_id="d")
HOW = 'text recognition reads them: `text_recognition = "lines"` in Terraform, or on a laptop tesseract on the PATH'


class Bucket:
    """One object, and stored data."""

    def __init__(self, content: bytes) -> None:
        self.content, self.held = content, {}

    def get(self, bucket, key, most):
        return Object(self.content[:most], {})

    def put_json(self, key, value):
        self.held[key] = value


class Keeps:
    """A recogniser that is only given pages."""

    def __init__(self) -> None:
        self.kept = {}

    def keep(self, name, pages):
        self.kept[name] = pages


def read(content, recognizer=None, most=500):
    bucket = Bucket(content)
    return read_object(TASK, bucket, "1", recognizer, most), bucket


def test_only_pages_with_pictures_are_kept_for_recogniser():
    keeps = Keeps()
    result, bucket = read(scanned_pdf("First.", "Second.", among="Typed text."), keeps)
    assert (result.outcome, result.scanned.pages) == ("scanned", [2, 3])
    assert [spelled(pages) for pages in keeps.kept.values()] == [["First.", "Second."]]
    assert "Typed text." in bucket.held[result.document_key]["text"]


def test_recogniser_name_is_same_only_for_same_file():
    names = []
    for text in ("One.", "One.", "Two."):
        keeps = Keeps()
        read(scanned_pdf(text), keeps)
        names += keeps.kept
    assert names[0] == names[1] != names[2]
    assert all(len(name) == 64 for name in names), "Textract's token has 64 letters at the most"


def test_file_of_only_pictures_is_rejected_with_advice():
    result, _ = read(scanned_pdf("One.", "Two."))
    assert result.outcome == "unreadable"
    assert result.reason == f"{KEY} shows pictures and holds no text on any of its 2 pages; {HOW}."


def test_with_recognition_off_a_warning_names_the_pages_that_were_not_read():
    result, _ = read(scanned_pdf("One.", "Two.", among="Typed text."))
    assert result.outcome == "read"
    told = f"{KEY} has pages that show pictures and hold no text, which were not read: 2 to 3; {HOW}."
    assert told in result.content.warnings


def test_a_file_without_pictures_waits_for_nobody():
    keeps = Keeps()
    assert read(pdf("Typed text.", ""), keeps)[0].outcome == "read"
    empty, _ = read(blank_pdf(3), keeps)
    assert (empty.outcome, keeps.kept) == ("unreadable", {})


def test_first_pages_are_recognised_up_to_the_limit():
    keeps = Keeps()
    result, _ = read(scanned_pdf("1", "2", "3", "4", among="Typed."), keeps, most=2)
    assert result.scanned.pages == [2, 3]
    assert [spelled(pages) for pages in keeps.kept.values()] == [["1", "2"]]
    assert any("which were not read: 4 to 5; more than are recognised" in told for told in result.content.warnings)


@pytest.mark.parametrize("content", [b"", b"%PDF-1.7\n", b"%PDF-1.7\n" + b"\0" * 1000, pdf("x")[:200]])
def test_damaged_pdf_is_rejected_without_mention_of_pictures(content):
    result, _ = read(content, Keeps())
    assert result.outcome == "unreadable"
    assert "pictures" not in result.reason


def test_other_kinds_are_never_looked_through():
    assert scan_of("c/a.md", scanned_pdf("One."), None, 10) is None


def test_pages_without_a_word_are_found_by_the_parts_of_a_document():
    parts = (Part(0, "page i", 1), Part(6, "page ii", 2), Part(8, "page iii", 3))
    scan = scan_of("c/a.pdf", scanned_pdf("a", "b", "c"), Document("c/a.pdf", "A", "words\n\n\n", parts=parts), 10)
    assert scan.pages == (2, 3)


def test_many_pages_are_named_as_stretches():
    assert stretches((1, 2, 3, 7, 9, 10)) == ["1 to 3", "7", "9 to 10"]
    assert list_names(stretches(tuple(range(1, 41, 2)))).endswith("17, 19 and 10 more")
