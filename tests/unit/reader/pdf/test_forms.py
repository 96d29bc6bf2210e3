import re

import pytest

from selfrag.domain.errors import BadDocument
from selfrag.reader.pdf.reading import read_pdf
from tests.support.documents.pdf_pages import Text, grid, laid, text_field

BODY = Text(72, 780, "The form is sent to the office in Bergen.")


def read(page, *annotations, **more):
    return read_pdf("a.pdf", laid(page, annotations=annotations, **more))


def lines_of(*annotations, page=(BODY,), **more):
    return [line for line in read(page, *annotations, **more).text.split("\n") if line]


def button(name, on, checked, x, y, entries=""):
    state = on if checked else "Off"
    return (
        f"/Subtype /Widget /FT /Btn /T ({name}) /V /{state} /AS /{state} /Rect [{x} {y} {x + 12} {y + 12}] "
        f"/AP << /N << /{on} 2 0 R /Off 2 0 R >> >> {entries}"
    )


@pytest.mark.parametrize(
    ("label", "place"),
    [
        ("Applicant name:", (180, 696, 380, 714)),
        ("Applicant name", (180, 696, 380, 714)),
        ("Applicant name", (72, 680, 272, 698)),
    ],
    ids=["left, with a colon", "left", "above"],
)
@pytest.mark.parametrize("name", ["applicant", "topmostSubform[0].Page1[0].f1_01[0]", "Text2"])
def test_form_field_value_follows_adjacent_label(label, place, name):
    shown = lines_of(text_field(name, "Ada Example-Byron", *place), page=[BODY, Text(72, 700, label)])
    assert shown == [BODY.words, "Applicant name: Ada Example-Byron"]


@pytest.mark.parametrize(
    ("name", "entries", "label"),
    [
        ("f1", "/TU (Date of birth)", "Date of birth"),
        ("form1[0].birth_date[0]", "", "Birth date"),
        ("birthDate", "", "Birth Date"),
    ],
    ids=["alternate name", "partial name", "partial name in camel case"],
)
def test_a_field_without_a_label_is_called_by_its_own_name(name, entries, label):
    assert lines_of(text_field(name, "1 May 1990", 72, 700, 272, 718, entries=entries))[1] == f"{label}: 1 May 1990"


def test_labels_beside_each_other_have_the_values_of_their_own_fields():
    page = [BODY, *(Text(x, 700, label) for x, label in ((72, "First name"), (220, "Last name"), (370, "City")))]
    fields = [
        text_field(f"f{x}", value, x, 678, x + 120, 696) for x, value in ((370, "Oslo"), (72, "Ada"), (220, "Byron"))
    ]
    assert lines_of(*fields, page=page)[1] == "First name: Ada Last name: Byron City: Oslo"


def test_the_lines_of_a_long_value_come_below_each_other():
    field = text_field("remarks", r"Beware of the dog.\rRing twice.", 72, 630, 372, 690, entries="/Ff 4096")
    shown = lines_of(field, page=[BODY, Text(72, 700, "Remarks")])
    assert shown[1:] == ["Remarks: Beware of the dog.", "Ring twice."]


def test_a_value_that_the_page_itself_shows_is_read_once():
    page = [BODY, Text(72, 700, "Name:"), Text(184, 700, "Ada Byron")]
    assert " ".join(lines_of(text_field("name", "Ada Byron", 180, 696, 380, 714), page=page)).count("Ada Byron") == 1


def test_passwords_hidden_fields_and_empty_ones_are_not_read():
    fields = [
        text_field("pin", "4711", 72, 700, 172, 718, entries="/Ff 8192"),
        text_field("total", "4712", 72, 660, 172, 678, entries="/F 2"),
        text_field("stock", "4713", 72, 620, 172, 638, entries="/F 32"),
        text_field("street", "", 72, 580, 172, 598),
    ]
    assert lines_of(*fields) == [BODY.words]


def test_the_chosen_options_of_lists_are_read_as_they_are_shown():
    options = "/Opt [[(no) (Norway)] [(se) (Sweden)] [(fi) (Finland)]]"
    combo = f"/Subtype /Widget /FT /Ch /Ff 131072 /T (country) /V (no) {options} /Rect [180 696 300 714]"
    box = f"/Subtype /Widget /FT /Ch /Ff 2097152 /T (offices) /V [(se) (fi)] {options} /Rect [180 640 300 680]"
    free = f"/Subtype /Widget /FT /Ch /Ff 393216 /T (nationality) /V (Danish) {options} /Rect [180 596 300 614]"
    page = [BODY, Text(72, 700, "Country"), Text(72, 660, "Offices"), Text(72, 600, "Nationality")]
    assert lines_of(combo, box, free, page=page)[1:] == [
        "Country: Norway",
        "Offices: Sweden, Finland",
        "Nationality: Danish",
    ]


def test_check_boxes_and_radio_buttons_tell_which_is_chosen():
    group = "/FT /Btn /Ff 32768 /T (meal) /V /veg /Kids [{kids}] /Subtype /Widget /Rect [0 0 0 0] /F 2"
    kids = [
        f"/Subtype /Widget /Parent {{}} 0 R /AS /{'veg' if on == 'veg' else 'Off'} /Rect [{x} 656 {x + 12} 668] "
        f"/AP << /N << /{on} 2 0 R /Off 2 0 R >> >>"
        for on, x in (("meat", 120), ("veg", 220))
    ]
    page = [
        BODY,
        Text(90, 702, "Send me the newsletter"),
        Text(90, 682, "Send me offers"),
        Text(72, 658, "Meal:"),
        Text(136, 658, "Meat"),
        Text(236, 658, "Vegetarian"),
    ]
    first = 6 + 2
    annotations = [
        group.replace("{kids}", f"{first + 1} 0 R {first + 2} 0 R"),
        *kids,
        button("newsletter", "Yes", True, 72, 700),
        button("offers", "Yes", False, 72, 680),
        button("consent", "On", True, 72, 600),
    ]
    assert lines_of(*annotations, page=page)[1:] == [
        "[x] Send me the newsletter",
        "[ ] Send me offers",
        "Meal: [ ] Meat Meal: [x] Vegetarian",
        "Consent: [x]",
    ]


def test_fields_in_the_cells_of_a_table_are_values_of_its_columns():
    page = [
        *grid(72, 720, [150, 150, 100], 3),
        *(Text(x, 706, words) for x, words in ((76, "Item"), (226, "Amount"), (376, "Paid"))),
        *(Text(76, y, words) for y, words in ((686, "Rent"), (666, "Heating"))),
    ]
    fields = [
        *(text_field(f"amount{y}", value, 224, y - 4, 368, y + 12) for y, value in ((686, "500"), (666, "80"))),
        *(button(f"p{y}", "Yes", y == 686, 380, y - 2) for y in (686, 666)),
    ]
    rows = ["Item: Rent; Amount: 500; Paid: [x]", "Item: Heating; Amount: 80; Paid: [ ]"]
    assert lines_of(*fields, page=page) == rows


def test_a_note_on_a_page_is_read_in_its_place():
    note = "/Subtype /FreeText /Rect [72 730 400 760] /Contents (Approved by unit 12)"
    assert lines_of(note, page=[BODY, Text(72, 700, "The end.")]) == [BODY.words, "Approved by unit 12", "The end."]


@pytest.mark.parametrize(
    "entries",
    ["/Subtype /Text /Contents (Is this right?)", "/Subtype /Highlight /Contents (Why?)", "/Subtype /Stamp"],
)
def test_comments_and_stamps_are_named_and_not_read(entries):
    document = read([BODY], f"/Rect [72 700 92 720] {entries}", "/Subtype /Link /Rect [0 0 9 9] /Contents (x)")
    assert document.text == BODY.words
    assert document.warnings == ("a.pdf has comments or stamps, which are not read: 1.",)


def test_a_page_without_comments_names_none():
    marked = ("/Subtype /Highlight /Rect [72 700 92 720]", "/Subtype /Text /F 2 /Contents (x) /Rect [0 0 9 9]")
    assert read([BODY], *marked).warnings == ()


def test_a_form_that_only_adobe_shows_is_refused():
    packets = b"<< /Length 5 >>\nstream\n<xdp>\nendstream"
    sentence = "a.pdf is a form (XFA) that only Adobe's programs show; print it to a new PDF."
    with pytest.raises(BadDocument, match=f"^{re.escape(sentence)}$"):
        read([Text(72, 700, "Please wait...")], form="/XFA 8 0 R", catalog="/NeedsRendering true", extra=[packets])
