"""Whatever bytes are given, a Document comes back or BadDocument is raised, with one sentence that names the file."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfrag.domain.errors import BadDocument
from selfrag.domain.kinds import EXTENSIONS
from selfrag.ingestion.split_document.logic import split
from selfrag.reader.pdf.reading import read_pdf
from selfrag.reader.readers import parse
from tests.support.documents.damaged_office import GOOD
from tests.support.documents.files import docx, paragraph, pdf, table
from tests.support.documents.office import ODF, ODP_TYPE, ODT_TYPE, SLIDE, epub, notes, odf, pptx, shape, slide_table

pytestmark = pytest.mark.long

PDF = pdf("Annual leave is 25 days.\nIt is paid.", "", "Sick leave.", title="Leave", resources="/XObject << >>")
WORD = docx(paragraph("Leave", "Titel"), paragraph("25 days."), table(["City", "Limit"], ["Oslo", "140 EUR"]))
DOCUMENT_XML = f"<w>{paragraph('Leave', 'Titel')}{table(['City', 'Limit'])}</w>".encode()
CSV = b'City,Limit,"Valid from"\nOslo,140,"2024\n01"\nRome,90,2025\n'
HTML = b"<title>Leave</title><h1>Leave</h1><table><tr><td>25<td>days</table><p hidden>no<pre> x </pre>&amp;<!-- -->"
MARKDOWN = b"---\ntitle: x\n---\n# Leave\n\n```\ncode\n```\nIt is *paid*.\n\nTitle\n===\n- item\n"
SEEDS = {".pdf": PDF, ".docx": WORD, ".csv": CSV, ".html": HTML, ".md": MARKDOWN, ".txt": MARKDOWN}
SEEDS |= {**GOOD, ".docx": WORD}
SLIDE_XML = f"<p:sld {SLIDE}>{shape('Leave', kind='title')}{slide_table(['a', 'b'], ['c', 'd'])}</p:sld>".encode()
ODF_BODY = (
    '<draw:page><text:h text:outline-level="1">Leave<text:note><text:note-body><text:p>Once.</text:p></text:note-body>'
    '</text:note></text:h><text:list text:style-name="L"><text:list-item><text:p>Ask</text:p></text:list-item>'
    '</text:list><table:table><table:table-row><table:table-cell table:number-rows-spanned="2"><text:p>a</text:p>'
    "</table:table-cell></table:table-row><table:table-row><table:covered-table-cell/></table:table-row></table:table></draw:page>"
)
LEVEL = '<text:list-level-style-number text:level="1" style:num-format="1"/>'
LIST = f'<text:list-style style:name="L">{LEVEL}</text:list-style>'
STYLES = f"<office:automatic-styles>{LIST}</office:automatic-styles>"
ODF_XML = f"<office:document-content {ODF}>{STYLES}{ODF_BODY}</office:document-content>".encode()
NOTES = notes("footnotes", n1="Once.").encode()
MARKS = [b"\0", b"\xff", b"<", b"<<", b">>", b"[", b"(", b"0 0 R", b"4 0 R", b"-1", b"99999999999", b'"', b"\n", b"PK"]
MARKS += [b"\\", b"{", b"}", b"/>", b"</", b"\n\n"]


def mutated(seed):
    """Return a seed with parts cut out, repeated or overwritten."""
    place = st.integers(0, len(seed))
    change = st.tuples(place, st.integers(0, 60), st.one_of(st.binary(max_size=6), st.sampled_from(MARKS)))

    def applied(changes, end):
        content = seed
        for start, length, new in changes:
            content = content[:start] + new + content[start + length :]
        return content[:end]

    return st.builds(applied, st.lists(change, max_size=5), st.one_of(place, st.just(None)))


def is_read_or_refused(key, content, read=parse):
    """Return the pieces of a document, or none if it was refused; anything else fails the test."""
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
    # The PDF process takes a sixth of a second, so its function is called directly here; the process is tested below.
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


@settings(max_examples=100, deadline=None)
@given(
    notes=mutated(notes("footnotes", n1="Once.").encode()), numbering=mutated(b"<a><lvl ilvl='0'/><num numId='1'/></a>")
)
def test_damage_outside_word_text_is_read_or_rejected(notes, numbering):
    body = '<w:p><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:footnoteReference w:id="1"/></w:r></w:p>'
    is_read_or_refused("a.docx", docx(body, paragraph("Words."), footnotes=notes, numbering=numbering))


@settings(max_examples=100, deadline=None)
@given(slide=mutated(SLIDE_XML))
def test_any_damage_inside_a_presentation_is_read_or_refused(slide):
    is_read_or_refused("a.pptx", pptx("", **{"ppt/slides/slide1.xml": slide}))


@pytest.mark.parametrize(("key", "kind"), [("a.odt", ODT_TYPE), ("a.odp", ODP_TYPE)])
@settings(max_examples=100, deadline=None)
@given(content=mutated(ODF_XML))
def test_any_damage_inside_an_opendocument_file_is_read_or_refused(key, kind, content):
    is_read_or_refused(key, odf(kind, "", **{"content.xml": content}))


@settings(max_examples=100, deadline=None)
@given(page=mutated(HTML), package=mutated(b'<p><item id="a" href="text/one.xhtml"/><itemref idref="a"/></p>'))
def test_any_damage_inside_a_book_is_read_or_refused(page, package):
    is_read_or_refused("a.epub", epub({"one": ""}, **{"OPS/text/one.xhtml": page}))
    is_read_or_refused("a.epub", epub({"one": "Words."}, **{"OPS/book.opf": package}))


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
    marks = {".pdf": b"%PDF-1.7", ".eml": b"A: b\n\n"}
    zipped = dict.fromkeys((".docx", ".pptx", ".odt", ".odp", ".epub"), b"PK\3\4")
    pieces = is_read_or_refused(f"a{extension}", ({**marks, **zipped}.get(extension, b"") + noise)[: len(noise)])
    assert pieces == []
