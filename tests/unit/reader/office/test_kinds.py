"""Files of kinds that are not read, whatever their names say."""

import pytest

from selfrag.domain.errors import BadDocument
from selfrag.domain.kinds import EXTENSIONS, REFUSED
from selfrag.reader.readers import parse
from tests.support.documents.files import docx, paragraph, zipped
from tests.support.documents.office import ODP_TYPE, ODT_TYPE, eml, epub, odf, pptx, shape

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
ARCHIVE = "an archive; unpack it, and add the files that it holds"
OLD = "an Office file of the old kind; save it as .docx, .xlsx or .pptx"


def refusal(key, content):
    with pytest.raises(BadDocument) as refused:
        parse(key, content)
    return str(refused.value)


def stream(name):
    """Return an OLE file whose directory has this stream."""
    return OLE + name.encode("utf-16-le") + bytes(64)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (zipped({"a.txt": "Words."}), ARCHIVE),
        (stream("WordDocument") + stream("Workbook"), OLD),
        (stream("PowerPoint Document"), OLD),
        (stream("EncryptedPackage"), "an Office file with a password; save it without one"),
        (b"{\\rtf1 Words.}", "an RTF document; save it as .docx"),
        (OLE, OLD),
    ],
)
def test_archives_and_old_office_files_are_refused_by_content(content, told):
    keys = ["a.docx", "a.pptx", "a.odt", "a.epub", "a.eml", "a.pdf", "a.txt", "a.md"]
    assert [refusal(key, content) for key in keys] == [f"{key} is {told}." for key in keys]


def test_known_unsupported_extension_is_refused_with_advice():
    told = {ending: refusal(f"a{ending.upper()}", b"anything") for ending in REFUSED}
    assert told == {ending: f"a{ending.upper()} is {what}." for ending, what in REFUSED.items()}
    assert REFUSED.keys().isdisjoint(EXTENSIONS)


@pytest.mark.parametrize(
    ("content", "kind", "ending"),
    [
        (docx(paragraph("Words.")), "a Word document", ".docx"),
        (pptx(shape("Words.")), "a PowerPoint presentation", ".pptx"),
        (zipped({"xl/workbook.xml": ""}), "an Excel workbook", ".xlsx"),
        (zipped({"xl/workbook.bin": ""}), "an Excel workbook in binary form", ".xlsb"),
        (stream("Workbook"), "an Excel workbook of the old kind", ".xls"),
        (odf(ODT_TYPE, ""), "an OpenDocument text", ".odt"),
        (odf(ODP_TYPE, ""), "an OpenDocument presentation", ".odp"),
        (epub({"one": "Words."}), "an EPUB book", ".epub"),
    ],
)
def test_a_document_with_a_wrong_name_is_told_which_name_it_needs(content, kind, ending):
    for key, wanted in (("a.txt", "text"), ("a.pdf", "a PDF"), ("a.eml", "a message")):
        assert refusal(key, content) == f"{key} is {kind}, not {wanted}; name it {ending}."


@pytest.mark.parametrize("key", ["a.pptx", "a.odt", "a.odp", "a.epub"])
def test_words_alone_are_no_office_document(key):
    assert refusal(key, b"Words.").endswith(", whatever its name says; save it again, or name it by what it is.")


def test_message_quoting_office_file_name_is_message():
    assert "EncryptedPackage" in parse("a.eml", eml("EncryptedPackage")).text
