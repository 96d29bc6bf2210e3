from zipfile import ZIP_LZMA

import pytest

from selfrag.domain.errors import BadDocument
from selfrag.ingestion.split_document.logic import split
from selfrag.reader.readers import parse
from tests.support.documents.files import docx, encrypted_pdf, paragraph, pdf, table, zipped

OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512)
SENTENCE = "The allowance is paid in the month after the claim was made. "


def read(*body, **parts):
    return parse("a.docx", docx(*body, **parts))


def refusal(content, key="a.docx"):
    with pytest.raises(BadDocument) as refused:
        parse(key, content)
    return str(refused.value)


def test_word_headings_are_recognised_by_style_in_every_language():
    document = read(
        paragraph("Handbuch", "Titel"),
        paragraph("Urlaub", "berschrift1"),
        paragraph("25 Tage."),
        paragraph("Sonderurlaub", "Eigen"),
        paragraph("Zwei Tage."),
    )
    assert document.title == "Handbuch"
    assert document.text == "Handbuch\nUrlaub\n25 Tage.\nSonderurlaub\nZwei Tage."
    assert [(heading.text, heading.level) for heading in document.headings] == [
        ("Handbuch", 1),
        ("Urlaub", 2),
        ("Sonderurlaub", 3),
    ]
    assert all(document.text[heading.start : heading.end] == heading.text for heading in document.headings)


def test_the_headings_of_a_word_document_name_its_pieces():
    body = [paragraph("Leave", "berschrift1"), paragraph(SENTENCE * 5), paragraph("Pay", "berschrift2")]
    pieces = split(read(*body, paragraph(SENTENCE * 5)))
    assert [(piece.title, piece.heading) for piece in pieces] == [("Leave", "Leave"), ("Leave > Pay", "Pay")]


def test_a_word_document_without_headings_is_named_by_its_file():
    assert read(paragraph("Words.")).title == "a.docx"


def test_word_table_row_is_one_unit_that_names_columns():
    document = read(paragraph("Limits"), table(["City", "Limit"], ["Oslo", "140 EUR"]), paragraph("End"))
    assert document.text == "Limits\nCity: Oslo; Limit: 140 EUR\nEnd"
    assert [document.text[row.start : row.end] for row in document.rows] == ["City: Oslo; Limit: 140 EUR"]


def test_nested_table_and_paragraphs_of_cell_stay_in_row():
    inner = table(["a", "b"])
    cell = f"<w:tc>{paragraph('One')}{paragraph('two')}{inner}</w:tc>"
    assert read(f"<w:tbl><w:tr>{cell}<w:tc>{paragraph('End')}</w:tc></w:tr></w:tbl>").text == "One two a; b; End"


def test_deleted_moved_and_hidden_text_is_omitted():
    body = (
        "<w:p><w:pPr><w:tabs><w:tab/></w:tabs><w:rPr><w:vanish/></w:rPr></w:pPr>"
        "<w:r><w:t>Kept</w:t><w:tab/><w:t>here</w:t><w:br/><w:t>and</w:t></w:r>"
        "<w:ins><w:r><w:t> there</w:t></w:r></w:ins>"
        "<w:del><w:r><w:delText>deleted</w:delText></w:r></w:del>"
        "<w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom>"
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>"
        '<w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>.</w:t></w:r>'
        "<w:r><w:instrText>PAGE</w:instrText></w:r></w:p>"
    )
    assert read(body).text == "Kept\there\nand there."


def test_a_text_box_is_read_once():
    box = f"<w:txbxContent>{paragraph('In the box')}</w:txbxContent>"
    both = f'<m:A xmlns:m="x"><m:Choice>{box}</m:Choice><m:Fallback>{box}</m:Fallback></m:A>'
    assert read(f"<w:p><w:r>{both}<w:t>Around it</w:t></w:r></w:p>").text == "In the box\nAround it"


@pytest.mark.parametrize("styles", ["<broken", "<!DOCTYPE x><x/>", "<x>" * 300])
def test_without_readable_styles_the_text_is_read_with_a_warning(styles):
    document = read(paragraph("Leave", "berschrift1"), paragraph("Words."), styles=styles)
    assert (document.text, document.headings) == ("Leave\nWords.", ())
    assert document.warnings == ("a.docx has styles that cannot be read, so its headings may be missing.",)


def test_styles_that_build_on_each_other_in_a_circle_make_no_heading():
    styles = (
        '<w:styles xmlns:w="x"><w:style w:styleId="A"><w:name w:val="a"/><w:basedOn w:val="B"/></w:style>'
        '<w:style w:styleId="B"><w:name w:val="b"/><w:basedOn w:val="A"/></w:style></w:styles>'
    )
    assert read(paragraph("Words", "A"), styles=styles).headings == ()


DAMAGED = "a.docx is a damaged Word document and cannot be read; save it as .docx again."


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "a.docx is empty (0 bytes); save it again."),
        (b"Words.", "a.docx is not a Word document, whatever its name says; save it again, or name it by what it is."),
        (pdf("Words."), "a.docx is a PDF, not a Word document; name it .pdf."),
        (
            OFFICE,
            "a.docx is an Office file of the old kind; save it as .docx, .xlsx or .pptx.",
        ),
        (
            zipped({"xl/workbook.xml": "<x/>"}),
            "a.docx is an Excel workbook, not a Word document; name it .xlsx.",
        ),
        (docx(paragraph("Words."))[:-100], DAMAGED),
        (docx(document="<w:document"), DAMAGED),
        (docx(document=b"\xff\xfe\x00"), DAMAGED),
        (zipped({"word/document.xml": "<x/>"}, ZIP_LZMA), DAMAGED),
        (docx(), "a.docx holds no words."),
    ],
)
def test_damaged_word_documents_are_refused_with_advice(content, sentence):
    assert refusal(content) == sentence


ENTITIES = '<!DOCTYPE w [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("prolog", [ENTITIES, '<!DOCTYPE w SYSTEM "file:///etc/passwd">', "<!DOCTYPE w>"])
def test_a_document_type_is_refused_in_every_encoding(prolog, encoding):
    xml = f'<?xml version="1.0" encoding="{encoding}"?>{prolog}<w>&b;</w>'.encode(encoding)
    assert refusal(docx(document=xml)) == (
        "a.docx declares a document type (DTD), which no such file needs; save it again."
    )


def test_a_zip_bomb_is_refused_by_what_it_declares():
    assert refusal(zipped({"word/document.xml": 65})) == (
        "a.docx unpacks word/document.xml to more than 64 MB; split it into several files."
    )


def test_a_zip_bomb_that_declares_little_is_refused():
    size = 65 * 1024 * 1024 + len("<w></w>")
    honest = zipped({"word/document.xml": 65})
    assert honest.count(size.to_bytes(4, "little")) == 2
    assert refusal(honest.replace(size.to_bytes(4, "little"), (1000).to_bytes(4, "little"))) == DAMAGED


def test_an_archive_of_very_many_files_is_refused():
    many = {"word/document.xml": b"<x/>", **{f"word/media/{number}.png": b"" for number in range(10_000)}}
    assert refusal(zipped(many)) == ("a.docx holds 10001 files, and at most 10000 are read; save it again.")


def test_elements_nested_deeper_than_word_ever_does_are_refused():
    assert refusal(docx("<w:tbl>" * 300 + "</w:tbl>" * 300)) == (
        "a.docx has elements nested more than 200 deep; save it again."
    )


@pytest.mark.parametrize(
    ("key", "content", "sentence"),
    [
        ("a.txt", pdf("Words."), "a.txt is a PDF, not text; name it .pdf."),
        ("a.html", encrypted_pdf("Words.", "", "RC4-128"), "a.html is a PDF, not text; name it .pdf."),
        ("a.md", docx(), "a.md is a Word document, not text; name it .docx."),
        (
            "a.csv",
            OFFICE,
            "a.csv is an Office file of the old kind; save it as .docx, .xlsx or .pptx.",
        ),
        (
            "a.doc",
            OFFICE,
            "a.doc is a Word document of the old kind; save it as .docx.",
        ),
    ],
)
def test_file_with_misleading_extension_is_rejected(key, content, sentence):
    assert refusal(content, key) == sentence
