"""EPUB books and messages, which hold other documents."""

from base64 import b64encode
from email.message import EmailMessage

import pytest

from selfrag.domain.errors import BadDocument
from selfrag.reader.readers import parse
from tests.support.documents.files import docx, encrypted_pdf, paragraph, pdf
from tests.support.documents.office import eml, epub, pptx, shape

HEAD = "Leave\nFrom: Ada <ada@example.com>; To: Bo <bo@example.com>; Date: 2026-01-31 10:00\n"


def read(*given, **more):
    return parse("a.epub", epub(*given, **more))


def mail(*given, **more):
    return parse("a.eml", eml(*given, **more))


def refusal(key, content):
    with pytest.raises(BadDocument) as refused:
        parse(key, content)
    return str(refused.value)


def test_the_chapters_of_a_book_come_in_the_order_of_its_spine_without_the_contents():
    chapters = {"nav": "<p>1. One</p>", "two": "<h1>Two</h1><p>End.</p>", "one": "<h1>One</h1><p>Begin.</p>"}
    document = read(chapters, ["nav", "one", "two"])
    assert document.text == "One\nBegin.\nTwo\nEnd."
    assert [(heading.text, heading.level) for heading in document.headings] == [("One", 1), ("Two", 1)]
    assert all(document.text[one.start : one.end] == one.text for one in document.headings)
    assert (document.title, document.date) == ("Handbook", "2026-01-31")


def test_the_chapters_that_stand_in_one_part_with_the_contents_are_read():
    links = "<p><a href='#one'>I. Down the hole</a></p><p><a href='two.xhtml'>II. The pool</a></p>"
    first = f"<h1>Alice</h1><div id='toc'>{links}</div><h2 id='one'>I</h2><p>{'She was very tired. ' * 9}</p>"
    book = {"first": first, "two": "<h2>II</h2><p>Tears.</p>", "toc": f"<h2>Contents</h2>{links}"}
    assert "She was very tired." in read(book, toc="first.xhtml#toc").text
    assert "Contents" not in read(book, toc="toc.xhtml").text


def test_steps_of_a_book_keep_their_numbers():
    assert read({"one": '<ol start="3"><li>Close</li><li><p>Wait</p></li></ol>'}).text == "3. Close\n4. Wait"


def test_notes_of_a_book_are_kept_and_elements_that_close_themselves_take_nothing():
    page = (
        '<p>Carry over<a epub:type="noteref" href="#n">1</a>.</p><script src="x"/><p>Ask<a id="x"/>.</p>'
        '<aside epub:type="footnote" id="n">At most 9 days.</aside>'
    )
    assert read({"one": page}).text == "Carry over[1].\nAsk.\nAt most 9 days."


def test_pages_of_pictures_are_passed_over_and_other_chapters_without_words_are_told():
    document = read({"cover": '<img src="x.png"/>', "empty": "<p></p>", "one": "<p>Words.</p>"})
    assert document.text == "Words."
    assert document.warnings == ("a.epub has 1 chapters that cannot be read or hold no words.",)


def test_a_book_that_is_protected_is_refused_and_one_that_hides_fonts_is_read():
    method = '<encryption><EncryptedData><EncryptionMethod Algorithm="{}"/></EncryptedData></encryption>'
    locked = {"META-INF/encryption.xml": method.format("http://www.w3.org/2001/04/xmlenc#aes128-cbc")}
    fonts = {"META-INF/encryption.xml": method.format("http://www.idpf.org/2008/embedding")}
    assert refusal("a.epub", epub({"one": "<p>Words.</p>"}, **locked)) == (
        "a.epub is protected against copying (DRM); get it without, or as another document."
    )
    assert read({"one": "<p>Words.</p>"}, **fonts).text == "Words."


def test_a_message_says_who_wrote_whom_about_what_and_when():
    document = mail("Hello,\n\n25 days.\n")
    assert document.text == HEAD + "Hello,\n\n25 days."
    assert (document.title, document.date, document.parts) == ("Leave", "2026-01-31", ())


def test_the_text_of_a_message_is_plain_or_else_its_web_page():
    assert mail("25 days.", html="<p>Other</p>").text == HEAD + "25 days."
    assert mail(" \n", html="<meta charset='iso-2022-jp'><p>年次 <b>25</b> days</p>").text == HEAD + "年次 25 days"


def sent_as(kind, text):
    head = "From: a@example.com\nSubject: Fees\nMIME-Version: 1.0\n"
    return parse("a.eml", f"{head}Content-Type: {kind}; charset=utf-8\n\n{text}".encode())


@pytest.mark.parametrize(
    "kind", ["text/asciidoc", "text/enriched", "text/x-patch", "text/markdown", "Text/X-Unheard-Of"]
)
def test_the_text_of_a_message_is_read_whatever_kind_of_text_it_is(kind):
    document = sent_as(kind, "The yearly fee is 45 EUR.\n")
    assert document.text == "Fees\nFrom: a@example.com\nThe yearly fee is 45 EUR."
    assert document.warnings == ()


def test_a_body_in_markdown_has_its_headings_and_one_of_values_its_rows():
    assert [one.text for one in sent_as("text/markdown", "# Prices\n\n45 EUR.\n").headings] == ["Fees", "Prices"]
    assert sent_as("text/csv", "office,capacity\nKobe,12\n").text.endswith("office: Kobe; capacity: 12")


def test_a_text_of_another_kind_between_attachments_is_the_text_and_no_attachment_without_a_name():
    message = EmailMessage()
    message["From"], message["Subject"] = "a@example.com", "Fees"
    message.set_content("The yearly fee is 45 EUR.", subtype="asciidoc")
    message.make_mixed()
    message.add_attachment(b"PK", maintype="application", subtype="zip", filename="x.zip")
    document = parse("a.eml", bytes(message))
    assert document.text == "Fees\nFrom: a@example.com\nThe yearly fee is 45 EUR."
    assert document.warnings == ("a.eml has attachments that were not read: x.zip.",)


def test_a_message_without_text_is_a_warning():
    told = "a.eml holds a message without text; its head and attachments are read."
    assert mail(" \n").warnings == (told,)
    assert mail("", attached={"offices.csv": b"office,capacity\nKobe,12\n"}).warnings == (told,)


INVITATION = """BEGIN:VCALENDAR
VERSION:2.0
METHOD:{method}
BEGIN:VEVENT
SUMMARY:Review\\, the
  second
DTSTART;TZID=Europe/Berlin:20260303T100000
DTEND;TZID=Europe/Berlin:20260303T113000
LOCATION:Room 4
RRULE:FREQ=WEEKLY;COUNT=10
END:VEVENT
BEGIN:VEVENT
SUMMARY:Inventory
DTSTART;VALUE=DATE:20260310
END:VEVENT
END:VCALENDAR
"""
EVENTS = (
    "Event: Review, the second; When: 2026-03-03 10:00 to 11:30 (Europe/Berlin); Where: Room 4; Repeats: weekly\n"
    "Event: Inventory; When: 2026-03-10"
)


def test_an_invitation_gives_its_summary_time_and_place_alone_beside_a_text_and_attached():
    invitation = INVITATION.format(method="REQUEST")
    alone = sent_as("text/calendar", invitation)
    assert (alone.text, alone.warnings) == (f"Fees\nFrom: a@example.com\n{EVENTS}", ())
    message = EmailMessage()
    message["From"] = "a@example.com"
    message.set_content("Please come.")
    message.add_alternative(invitation, subtype="calendar")
    message.add_attachment(invitation.encode(), maintype="application", subtype="ics", filename="invite.ics")
    both = parse("a.eml", bytes(message))
    assert (both.text, both.warnings) == (f"From: a@example.com\nPlease come.\n{EVENTS}", ())


def test_a_cancelled_event_is_called_so_and_a_damaged_invitation_is_named():
    assert "Cancelled event: Review" in sent_as("text/calendar", INVITATION.format(method="CANCEL")).text
    damaged = mail("See there.", attached={"invite.ics": b"junk"})
    assert damaged.warnings == ("a.eml has attachments that were not read: invite.ics.",)


def test_attachments_of_kinds_that_are_read_are_parts_and_the_others_are_named():
    attached = {"offices.csv": b"office,capacity\nKobe,12\n", "deck.pptx": pptx(shape("Prices", kind="title"))}
    document = mail("See there.", attached={**attached, "x.zip": b"PK", "photo.png": b"\x89PNG"})
    assert [part.name for part in document.parts] == [
        "message",
        "attachment offices.csv",
        "attachment deck.pptx, slide 1",
    ]
    assert document.text.endswith("office: Kobe; capacity: 12\nPrices")
    assert [document.text[row.start : row.end] for row in document.rows] == ["office: Kobe; capacity: 12"]
    assert document.warnings == ("a.eml has attachments that were not read: x.zip, photo.png.",)


def test_an_attachment_that_cannot_be_read_is_a_warning_and_the_message_is_read():
    attached = {
        "a.pdf": encrypted_pdf("Words.", "secret", "RC4-128"),
        "b.docx": docx(paragraph("Good.")),
        "c.pdf": pdf("P"),
    }
    document = mail("See there.", attached=attached)
    assert document.text == HEAD + "See there.\nGood.\nP"
    assert document.warnings == ("a.eml attachment a.pdf is encrypted; save it without a password.",)
    assert [part.name for part in document.parts] == ["message", "attachment b.docx", "attachment c.pdf, page 1"]


def test_messages_in_messages_are_read_three_deep():
    content = eml("number 5")
    for number in range(4, -1, -1):
        content = eml(f"number {number}", attached={f"m{number + 1}.eml": content})
    document = parse("a.eml", content)
    assert [number for number in range(6) if f"number {number}" in document.text] == [0, 1, 2, 3]
    assert document.warnings == ("a.eml has attachments that were not read: m4.eml.",)


def test_a_forwarded_message_is_a_part_of_its_own():
    outer = EmailMessage()
    outer["From"], outer["Subject"] = "c@example.com", "Fwd"
    outer.set_content("See below.")
    inner = EmailMessage()
    inner["Subject"] = "Prices"
    inner.set_content("49 EUR")
    outer.add_attachment(inner)
    document = parse("a.eml", bytes(outer))
    assert document.text == "Fwd\nFrom: c@example.com\nSee below.\nPrices\n49 EUR"
    assert [part.name for part in document.parts] == ["message", "attachment message.eml"]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "a.eml is empty (0 bytes); save it again."),
        (b"Only words.\n", "a.eml is no message: it has no sender, subject or date; save it as .eml again."),
        (
            b"Subject: x\nContent-Type: application/pkcs7-mime\n\nabc",
            "a.eml is encrypted; save it as .eml without encryption.",
        ),
        (b"Subject: x\n" + b"A: b\n" * 20_000, "a.eml has more than 10000 lines of headers; save it as .eml again."),
        (
            b"Subject: x\nContent-Type: multipart/mixed; boundary=a\n" * 300,
            "a.eml has more than 200 parts that hold others; save its attachments by themselves.",
        ),
    ],
)
def test_what_is_no_message_that_can_be_read_is_refused_with_what_to_do(content, sentence):
    assert refusal("a.eml", content) == sentence


@pytest.mark.parametrize(
    ("label", "content", "text"),
    [
        ("iso-8859-1", b"45 \x80 \x96 f\xe4llig", "45 € \u2013 fällig"),
        ("us-ascii", b"45 \x80 \x96 f\xe4llig", "45 € \u2013 fällig"),
        ("latin1", "fällig".encode(), "fällig"),
        ("iso-8859-9", b"\x80 \xf0", "€ ğ"),
        ("gb2312", "镕基".encode("gbk"), "镕基"),
        ("ks_c_5601-1987", "똠방".encode("cp949"), "똠방"),
        ("shift_jis", "①番".encode("cp932"), "①番"),
        ("tis-620", "ไทย €".encode("cp874"), "ไทย €"),
        ("iso-2022-kr", "한국".encode("iso2022_kr"), "한국"),
    ],
)
@pytest.mark.parametrize("kind", ["plain", "html"])
def test_the_text_and_subject_of_a_message_are_in_the_encoding_that_their_label_means(label, content, text, kind):
    subject = b64encode(content).decode()
    head = f'From: a@example.com\nSubject: =?{label}?B?{subject}?=\nContent-Type: text/{kind}; charset="{label}"\n'
    message = f"{head}Content-Transfer-Encoding: base64\n\n{subject}\n"
    document = parse("a.eml", message.encode())
    assert document.text.split("\n")[-1] == text
    assert label == "latin1" or document.title == text
