import pytest

from selfrag.reader.pdf.reading import read_pdf
from tests.support.documents.files import assembled, stream
from tests.support.documents.pdf_pages import Text, laid

NOTES = [Text(72, 62, "1", 5), Text(75, 60, "See the census.", 8), Text(72, 52, "2", 5), Text(75, 50, "By the law.", 8)]


def read(content, ranges="<00> <ff> <0000>"):
    """Return a page with these instructions, whose font maps its codes to Unicode by these ranges."""
    mapped = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def 1 begincodespacerange <00> <ff> "
        f"endcodespacerange {len(ranges.split()) // 3} beginbfrange {ranges} endbfrange endcmap end end"
    )
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        stream(content.encode("cp1252")),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /ToUnicode 6 0 R >>",
        stream(mapped.encode()),
    ]
    return read_pdf("a.pdf", assembled(objects, "/Root 1 0 R"))


def shown(*parts, notes=()):
    """Return the text of a line whose parts are raised by +, lowered by _, or level."""
    signs = {"+": "4 Ts /F1 7 Tf", "_": "-2 Ts /F1 7 Tf"}
    drawn = " ".join(f"{signs.get(part[0], '0 Ts /F1 11 Tf')} ({part.lstrip('+_')}) Tj" for part in parts)
    below = "\n".join(f"BT /F1 {note.size} Tf {note.x} {note.y} Td ({note.words}) Tj ET" for note in notes)
    return read(f"BT /F1 11 Tf 72 700 Td {drawn} ET\n{below}").text.split("\n")[0]


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (["The key space has 2", "+32", " values."], "The key space has 2^32 values."),
        (["An error of 10", "+-3", " is small."], "An error of 10^-3 is small."),
        (["The room has 25 m", "+2", " of floor."], "The room has 25 m² of floor."),
        (["It runs at 10", "+6", "m a day."], "It runs at 10^6m a day."),
        (["Air has CO", "_2", " and H", "_2", "O in it."], "Air has CO2 and H2O in it."),
        (["The value x", "_i", " is x", "+n", " here."], "The value x_i is x^n here."),
        (["The town of Oslo", "+1", " has grown."], "The town of Oslo[1] has grown."),
        (["It is the 4", "+th", " city."], "It is the 4th city."),
    ],
)
def test_superscripts_and_subscripts_are_read_as_people_write_them(parts, text):
    assert shown(*parts) == text


def test_the_number_of_a_note_behind_a_year_is_no_power():
    assert shown("It was built in 2026", "+2", " by the town.", notes=NOTES) == "It was built in 2026[2] by the town."


def test_words_of_a_smaller_size_on_a_line_are_no_scripts():
    page = [Text(72, 700, "Note", 14), Text(110, 701, "the small print of it", 8)]
    assert read_pdf("a.pdf", laid(page)).text == "Note the small print of it"


def test_soft_hyphen_divides_word_only_at_line_end():
    first = "Die Betriebs\xadkosten\xadabrechnung der Wirt\xad"
    second = "schaft ist als E-Mail und am 10\xad12 zu senden."
    text = read(f"BT /F1 10 Tf 12 TL 72 700 Td ({first}) Tj T* ({second}) Tj ET").text
    assert text == "Die Betriebskostenabrechnung der Wirtschaft ist als E-Mail und am 10-12 zu senden."


def test_hebrew_drawn_left_to_right_is_reversed_with_a_warning():
    document = read("BT /F1 12 Tf 72 700 Td (IFWAT 500 DCB) Tj ET", "<20> <40> <0020> <41> <5a> <05d0>")
    letters = {chr(65 + number): chr(0x5D0 + number) for number in range(26)}
    assert document.text == " ".join(
        ["".join(letters[letter] for letter in "BCD"), "500", "".join(letters[letter] for letter in "TAWFI")]
    )
    assert document.warnings == (
        "a.pdf has Hebrew or Arabic text, whose words may come in a wrong order; check what is quoted of it.",
    )
