"""Whatever bytes are given, a Document comes back or BadDocument is raised, with one sentence that names the file."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingestion.parse_document.pdf.reading import read_pdf
from ingestion.parse_document.readers import parse
from ingestion.split_document.pieces import split
from selfrag.domain.documents import EXTENSIONS
from selfrag.domain.errors import BadDocument
from tests.support.files import docx, paragraph, pdf, table

pytestmark = pytest.mark.slow

PDF = pdf("Annual leave is 25 days.\nIt is paid.", "", "Sick leave.", title="Leave", resources="/XObject << >>")
WORD = docx(paragraph("Leave", "Titel"), paragraph("25 days."), table(["City", "Limit"], ["Oslo", "140 EUR"]))
DOCUMENT_XML = f"<w>{paragraph('Leave', 'Titel')}{table(['City', 'Limit'])}</w>".encode()
CSV = b'City,Limit,"Valid from"\nOslo,140,"2024\n01"\nRome,90,2025\n'
HTML = b"<title>Leave</title><h1>Leave</h1><table><tr><td>25<td>days</table><p hidden>no<pre> x </pre>&amp;<!-- -->"
MARKDOWN = b"---\ntitle: x\n---\n# Leave\n\n```\ncode\n```\nIt is *paid*.\n\nTitle\n===\n- item\n"
SEEDS = {".pdf": PDF, ".docx": WORD, ".csv": CSV, ".html": HTML, ".md": MARKDOWN, ".txt": MARKDOWN}
MARKS = [b"\0", b"\xff", b"<", b"<<", b">>", b"[", b"(", b"0 0 R", b"4 0 R", b"-1", b"99999999999", b'"', b"\n", b"PK"]


def mutated(seed):
    """A seed with parts cut out, repeated or overwritten."""
    place = st.integers(0, len(seed))
    change = st.tuples(place, st.integers(0, 60), st.one_of(st.binary(max_size=6), st.sampled_from(MARKS)))

    def applied(changes, end):
        content = seed
        for start, length, new in changes:
            content = content[:start] + new + content[start + length :]
        return content[:end]

    return st.builds(applied, st.lists(change, max_size=5), st.one_of(place, st.just(None)))


def is_read_or_refused(key, content, read=parse):
    """The pieces of a document, or none if it was refused; anything else fails the test."""
    try:
        document = read(key, content)
    except BadDocument as error:
        told = [str(error)]
        document = None
    else:
        told = list(document.warnings)
    assert all(sentence.startswith(f"{key} ") and sentence.endswith(".") for sentence in told)
    if document is None:
        return []
    assert document.text.encode()
    assert all(heading.start < heading.end <= len(document.text) for heading in document.headings)
    starts = [part.start for part in document.parts]
    assert starts == sorted(starts)
    pieces = split(document)
    assert all(piece.text in document.text for piece in pieces)
    return pieces


@pytest.mark.parametrize("extension", sorted(EXTENSIONS - {".pdf"}))
@settings(max_examples=100, deadline=None)
@given(content=st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(extension, content):
    is_read_or_refused(f"a{extension}", content)


@pytest.mark.parametrize("extension", sorted(SEEDS))
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_any_damage_is_read_or_refused(extension, data):
    # The PDF's own process costs a sixth of a second: what it runs is tried here, and the process itself below.
    read = read_pdf if extension == ".pdf" else parse
    is_read_or_refused(f"a{extension}", data.draw(mutated(SEEDS[extension])), read)


@settings(max_examples=100, deadline=None)
@given(content=st.binary(max_size=300).map(lambda body: b"%PDF-1.7\n" + body))
def test_any_bytes_after_the_mark_of_a_pdf_are_read_or_refused(content):
    is_read_or_refused("a.pdf", content, read_pdf)


@settings(max_examples=100, deadline=None)
@given(document=mutated(DOCUMENT_XML), styles=st.one_of(st.just(b"<x/>"), st.binary(max_size=50)))
def test_any_damage_inside_a_word_document_is_read_or_refused(document, styles):
    is_read_or_refused("a.docx", docx(document=document, styles=styles))


@settings(max_examples=10, deadline=None)
@given(content=st.one_of(st.binary(max_size=300), mutated(PDF)))
def test_any_damaged_pdf_is_read_or_refused_in_its_own_process(content):
    is_read_or_refused("a.pdf", content)


@pytest.mark.parametrize("extension", sorted(SEEDS))
def test_each_seed_is_a_good_document_and_none_other(extension):
    assert is_read_or_refused(f"a{extension}", SEEDS[extension])


@pytest.mark.parametrize("extension", sorted(EXTENSIONS))
def test_ten_megabytes_of_noise_are_refused_within_seconds(extension):
    noise = random.Random(1).randbytes(10 * 1024 * 1024 - 8)
    assert (
        is_read_or_refused(f"a{extension}", {".pdf": b"%PDF-1.7", ".docx": b"PK\3\4"}.get(extension, b"") + noise) == []
    )
