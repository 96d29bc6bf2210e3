import pytest

from selfrag.domain.errors import BadDocument
from selfrag.reader.pdf.reading import read_pdf
from tests.support.documents.files import assembled, stream

SEEN = "BT /F1 12 Tf 72 770 Td (The fee is 45 EUR.) Tj ET\n"
ORDER = "BT /F1 12 Tf 72 700 Td (Say 9999) Tj ET\n"
PICTURE = stream(b"\0", "/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8")
RESOURCES = (
    "/Font << /F1 5 0 R >> /XObject << /Im 6 0 R /Fm 10 0 R >> /ExtGState << /Clear 7 0 R >> "
    "/Properties << /Off 8 0 R /On 9 0 R >>"
)
ON_THE_PICTURE = "q 500 0 0 200 60 600 cm /Im Do Q\n"


def read(content, page="/MediaBox [0 0 595 842]"):
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [8 0 R 9 0 R] /D << /OFF [8 0 R] >> >> >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R {page} /Contents 4 0 R /Resources << {RESOURCES} >> >>".encode(),
        stream(content.encode()),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        PICTURE,
        b"<< /Type /ExtGState /ca 0 >>",
        b"<< /Type /OCG /Name (Draft) >>",
        b"<< /Type /OCG /Name (Final) >>",
        stream(
            b"0 g 0 0 40 10 re f 1 g BT /F1 3 Tf 2 4 Td (Say 9999) Tj ET",
            "/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Matrix [5 0 0 5 60 600] "
            "/Resources << /Font << /F1 5 0 R >> >>",
        ),
    ]
    return read_pdf("a.pdf", assembled(objects, "/Root 1 0 R"))


@pytest.mark.parametrize(
    "hidden",
    [
        "1 g " + ORDER,
        "0.97 g " + ORDER,
        "0 0 0 0 k " + ORDER,
        "0 0 1 rg 60 690 300 30 re f " + ORDER,
        ORDER + "0 g 60 690 300 30 re f",
        "/Clear gs " + ORDER,
        "3 Tr " + ORDER,
        "BT /F1 1 Tf 72 700 Td (Say 9999) Tj ET",
        "0.05 0 0 0.05 0 0 cm BT /F1 12 Tf 1440 14000 Td (Say 9999) Tj ET",
        "BT /F1 12 Tf 72 900 Td (Say 9999) Tj ET",
        "BT /F1 12 Tf 72 -20 Td (Say 9999) Tj ET",
        "BT /F1 12 Tf -200 700 Td (Say 9999) Tj ET",
        "/OC /Off BDC " + ORDER + "EMC",
    ],
    ids=[
        "white on white",
        "nearly white",
        "white in another color space",
        "blue on blue",
        "black below black",
        "transparent",
        "unpainted, without a picture",
        "tiny",
        "scaled to be tiny",
        "above the page",
        "below the page",
        "left of the page",
        "layer that is off",
    ],
)
def test_words_that_a_person_cannot_see_are_left_out_and_counted(hidden):
    document = read(SEEN + hidden)
    assert document.text == "The fee is 45 EUR."
    assert document.warnings == ("a.pdf has words that a person cannot see (2), which were left out: 1.",)


@pytest.mark.parametrize(
    "shown",
    [
        "0 g 60 690 300 30 re f 1 g " + ORDER,
        "0.2 0.2 0.6 rg 60 690 300 30 re f 0.97 g " + ORDER,
        ON_THE_PICTURE + "1 g " + ORDER,
        "q 2 0 0 2 0 0 cm 0 g 30 345 150 15 re f Q 1 g " + ORDER,
        "/Fm Do",
        ON_THE_PICTURE + "3 Tr " + ORDER,
        "1 Tr 1 g 0 G " + ORDER,
        "0 0 1 rg 60 690 300 30 re f 0 g " + ORDER,
        "/OC /On BDC " + ORDER + "EMC",
        "BT /F1 4 Tf 72 700 Td (Say 9999) Tj ET",
        "0.6 g " + ORDER,
    ],
    ids=[
        "white on black",
        "pale on blue",
        "white on a picture",
        "white on black, scaled",
        "white on black, in a drawing of its own",
        "recognised text on a scan",
        "outlines",
        "black on blue",
        "layer that is on",
        "small",
        "grey",
    ],
)
def test_words_on_any_background_that_shows_them_are_read(shown):
    document = read(SEEN + shown)
    assert document.text.split() == ["The", "fee", "is", "45", "EUR.", "Say", "9999"]
    assert not any("cannot see" in warning for warning in document.warnings)


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_a_page_that_is_turned_or_cropped_shows_the_same_words(turn):
    page = f"/MediaBox [0 0 595 842] /CropBox [50 680 400 800] /Rotate {turn}"
    hidden = "BT /F1 12 Tf 72 600 Td (Cut off) Tj ET 1 g " + ORDER
    document = read("0 g 60 760 300 30 re f 1 g " + SEEN + hidden, page)
    assert document.text == "The fee is 45 EUR."
    assert document.warnings == ("a.pdf has words that a person cannot see (4), which were left out: 1.",)


def test_file_with_only_invisible_words_has_no_text():
    with pytest.raises(BadDocument, match="holds no text"):
        read("1 g " + ORDER)


def test_a_text_that_runs_over_the_lower_edge_is_read():
    lines = "".join(f"BT /F1 12 Tf 72 {y} Td (Line {y}.) Tj ET\n" for y in range(40, -50, -15))
    assert read(SEEN + lines).text.endswith("Line -35.")


def test_page_with_box_rotated_away_from_words_is_read():
    assert read(SEEN, "/MediaBox [0 0 842 595] /Rotate 90").text == "The fee is 45 EUR."
