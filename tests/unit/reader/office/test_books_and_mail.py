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


def test_book_chapters_follow_spine_order_without_contents():
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


def test_book_notes_are_kept_and_self_closing_elements_swallow_nothing():
    page = (
        '<p>Carry over<a epub:type="noteref" href="#n">1</a>.</p><script src="x"/><p>Ask<a id="x"/>.</p>'
        '<aside epub:type="footnote" id="n">At most 9 days.</aside>'
    )
    assert read({"one": page}).text == "Carry over[1].\nAsk.\nAt most 9 days."


def test_picture_pages_are_skipped_and_other_empty_chapters_reported():
    document = read({"cover": '<img src="x.png"/>', "empty": "<p></p>", "one": "<p>Words.</p>"})
    assert document.text == "Words."
    assert document.warnings == ("a.epub has 1 chapters that cannot be read or hold no words.",)


def test_protected_book_is_rejected_and_obfuscated_fonts_are_accepted():
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
def test_message_text_is_read_whatever_its_type(kind):
    document = sent_as(kind, "The yearly fee is 45 EUR.\n")
    assert document.text == "Fees\nFrom: a@example.com\nThe yearly fee is 45 EUR."
    assert document.warnings == ()


def test_markdown_body_keeps_headings_and_csv_body_keeps_rows():
    assert [one.text for one in sent_as("text/markdown", "# Prices\n\n45 EUR.\n").headings] == ["Fees", "Prices"]
    assert sent_as("text/csv", "office,capacity\nKobe,12\n").text.endswith("office: Kobe; capacity: 12")


def test_unusual_text_type_is_message_body_and_not_unnamed_attachment():
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
    "Event: Review, the second; When: 2026-03-03 10:00 to 11:30 (Europe/Berlin); Where: Room 4; "
    "Repeats: weekly, 10 times\nEvent: Inventory; When: 2026-03-10"
)


def test_invitation_gives_summary_time_and_place_wherever_it_stands():
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


def calendar(*events):
    """Return a calendar of events, each by its lines, of which a summary is one."""
    lines = [f"BEGIN:VEVENT\n{event}\nEND:VEVENT\n" for event in events]
    return f"BEGIN:VCALENDAR\n{OUTLOOK_ZONE}{''.join(lines)}END:VCALENDAR\n".encode()


OUTLOOK_ZONE = """BEGIN:VTIMEZONE
TZID:W. Europe Standard Time
BEGIN:STANDARD
DTSTART:16010101T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
END:STANDARD
END:VTIMEZONE
"""
START = "DTSTART;TZID=W. Europe Standard Time:20240605T140000\n"
WHEN = "When: 2024-06-05 14:00 (W. Europe Standard Time)"


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (f"{START}DURATION:PT1H30M", "When: 2024-06-05 14:00 to 15:30 (W. Europe Standard Time)"),
        (
            'DTSTART;TZID="(UTC+01:00) Amsterdam, Berlin":20240605T140000',
            "When: 2024-06-05 14:00 ((UTC+01:00) Amsterdam, Berlin)",
        ),
        ("DTSTART:20240605T220000Z\nDTEND:20240606T010000Z", "When: 2024-06-05 22:00 to 2024-06-06 01:00 (UTC)"),
        ("DTSTART;VALUE=DATE:20241224\nDTEND;VALUE=DATE:20241227", "When: 2024-12-24 to 2024-12-26"),
        ("DTSTART;VALUE=DATE:20241224\nDURATION:P3D", "When: 2024-12-24 to 2024-12-26"),
        ("DTSTART;VALUE=DATE:20241224\nDTEND;VALUE=DATE:20241225", "When: 2024-12-24"),
        (
            f"{START}RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;UNTIL=20241231T000000Z\nEXDATE:20240619T140000",
            f"{WHEN}; Repeats: every 2 weeks on Mon, Wed until 2024-12-31; without 2024-06-19",
        ),
        (
            f"{START}RRULE:FREQ=MONTHLY;BYDAY=1WE,-1FR;COUNT=6\nRDATE;VALUE=DATE:20240620",
            f"{WHEN}; Repeats: monthly on 1st Wed, last Fri, 6 times; also on 2024-06-20",
        ),
        (f"{START}RRULE:FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=-1", f"{WHEN}; Repeats: yearly in Dec on day last"),
        (
            "DTSTART;TZID=America/New_York:20240604T200000\nRRULE:FREQ=DAILY;UNTIL=20240703T035959Z",
            "When: 2024-06-04 20:00 (America/New_York); Repeats: daily until 2024-07-02",
        ),
        (f"{START}RECURRENCE-ID:20240604T140000", f"{WHEN}; in place of 2024-06-04"),
        (
            f"{START}ORGANIZER;CN=Ada:mailto:a@example.com\nATTENDEE:mailto:b@example.com\nDESCRIPTION:Costs\\nDial 12",
            f"{WHEN}; Organizer: Ada; Attendees: b@example.com; Description: Costs Dial 12",
        ),
    ],
)
def test_event_says_when_how_often_with_whom_and_why(event, said):
    document = parse("plan.ics", calendar(f"SUMMARY:Review\n{event}"))
    assert document.text == f"Event: Review; {said}"
    assert [document.text[row.start : row.end] for row in document.rows] == [document.text]


def test_unreadable_event_loses_only_itself_with_a_warning():
    damaged = calendar("SUMMARY:One\nDTSTART:20240605T140000", "SUMMARY:Two\nDTSTART:2024-13-99")
    unread = "has calendar entries that were not read (1): tasks, and events that are damaged."
    assert "Event: One; When: 2024-06-05 14:00" in mail("See.", attached={"plan.ics": damaged}).text
    assert mail("See.", attached={"plan.ics": damaged}).warnings == (f"a.eml {unread}",)
    assert parse("plan.ics", damaged).warnings == (f"plan.ics {unread}",)
    assert refusal("a.ics", b"x") == (
        "a.ics holds no event that can be read, or is larger than 5 MB; export it again, in parts."
    )


@pytest.mark.parametrize(
    ("said", "label"),
    [
        ("On Mon, 2 Nov 2026 at 09:12, Bo <bo@example.com> wrote:", "Bo, 2 Nov 2026"),
        ("----- Original message -----\nFrom: Bo\nDate: 2 Nov 2026", "Bo, 2 Nov 2026"),
        ("On Mon, Nov 2, 2026 at 9:12 AM Bo Lee\n<bo@example.com> wrote:", "Bo Lee, Nov 2, 2026"),
        ("Am Mo., 2. Nov. 2026 um 09:12 Uhr schrieb Bo <bo@example.com>:", "Bo, 2. Nov. 2026"),
        ("Le lun. 2 nov. 2026 à 09:12, Bo <bo@example.com> a écrit\xa0:", "Bo, 2 nov. 2026"),
        ("El lun, 2 nov 2026 a las 9:12, Bo (<bo@example.com>) escribió:", "Bo, 2 nov 2026"),
        ("2026年11月2日(月) 9:12 山田 <bo@example.com>:", "山田, 2026年11月2日"),
        ("2026년 11월 2일 (월) 오전 9:12, 김보 <bo@example.com>님이 작성:", "김보, 2026년 11월 2일"),
        (
            "-----Original Message-----\nFrom: Bo Lee [mailto:bo@example.com]\nSent: November 2, 2026",
            "Bo Lee, November 2, 2026",
        ),
        ("Von: Bo\nGesendet: Montag, 2. November 2026 09:12\nAn: Ada\nBetreff: Ventil", "Bo, 2. November 2026"),
        ("De : Bo\nEnvoyé : lundi 2 novembre 2026\nÀ : Ada\nObjet : Vanne", "Bo, 2 novembre 2026"),
        ("보낸 사람: 김보\n보낸 날짜: 2026년 11월 2일\n제목: 밸브", "김보, 2026년 11월 2일"),
        ("差出人: 山田\n送信日時: 2026年11月2日\n件名: 弁", "山田, 2026年11月2日"),
    ],
)
def test_quoted_message_stands_below_its_author_and_day(said, label):
    document = mail(f"It is 95 EUR.\n\n{said}\n> It is 80 EUR.\n")
    text = document.text
    assert text.index("It is 95 EUR.") < text.index(f"\nEarlier message of {label}\n") < text.index("\nIt is 80 EUR.")
    assert [heading.text for heading in document.headings] == ["Leave", f"Earlier message of {label}"]


def test_answers_between_quotations_are_the_senders_own():
    said = "On Mon, 2 Nov 2026, Bo <bo@example.com> wrote:"
    below = mail(f"{said}\n> Is it 80?\n>\n>> It is 70.\nNo, 95.\n> Sure?\nYes.\n")
    quoted = '<p>On Mon, 2 Nov 2026, Bo wrote:</p><blockquote type="cite"><p>Is it 80?</p></blockquote>'
    html = mail(" \n", html=f"{quoted}<p>No, 95.</p><blockquote><p>The law says so.</p></blockquote>")
    earlier, own = "Earlier message of Bo, 2 Nov 2026", "Message of Ada"
    assert [heading.text for heading in below.headings][1:] == [earlier, "Earlier message", own, earlier, own]
    assert [heading.text for heading in html.headings][1:] == [earlier, own]
    assert html.text.endswith("Is it 80?\nMessage of Ada\nNo, 95.\nThe law says so.")


def test_lists_of_places_and_prices_are_no_quoted_messages():
    text = "From: Berlin\nTo: Kiel\nDate: 2 May 2026\n\nPrices as of 2 Nov 2026:\n-- table --\nIn 2019 Ada wrote:\nAll."
    assert mail(text).text == HEAD + text


def test_rows_behind_a_quotation_of_a_page_stay_rows():
    rows = "<table><tr><th>City<th>Limit<tr><td>Oslo<td>140<tr><td>Rome<td>90</table>"
    document = mail(" \n", html=f"<p>New.</p><div><b>Von:</b> Bo<br><b>Betreff:</b> Fee</div>{rows}")
    assert [document.text[row.start : row.end] for row in document.rows] == [
        "City: Oslo; Limit: 140",
        "City: Rome; Limit: 90",
    ]
    assert all(document.text[one.start : one.end] == one.text for one in document.headings)


def test_text_that_is_only_signed_is_read():
    inner = b"Content-Type: text/plain; charset=utf-8\n\nThe gate opens at nine.\n"
    signed, data = b"\x06\x09*\x86H\x86\xf7\r\x01\x07\x02", b"\x06\x09*\x86H\x86\xf7\r\x01\x07\x01"
    whole = b"\xa0\x81%c\x04\x81%c" % (len(inner) + 3, len(inner)) + inner
    halves = b"\xa0\x80$\x80" + b"".join(b"\x04%c" % len(part) + part for part in (inner[:20], inner[20:])) + bytes(4)
    for content in (whole, halves):
        sealed = b64encode(b"0\x80" + signed + b"\xa0\x80" + data + content).decode()
        for kind in ("application/pkcs7-mime; smime-type=signed-data", "application/x-pkcs7-mime; name=smime.p7m"):
            head = f"From: a@example.com\nSubject: Note\nContent-Type: {kind}\nContent-Transfer-Encoding: base64\n\n"
            document = parse("a.eml", f"{head}{sealed}\n".encode())
            assert (document.text, document.warnings) == ("Note\nFrom: a@example.com\nThe gate opens at nine.", ())


def test_signature_beside_a_text_is_no_unread_attachment():
    signature = "--x\nContent-Type: application/pkcs7-signature; name=s.p7s\n\nMII\n--x--\n"
    body = f"--x\nContent-Type: text/plain; charset=utf-8\n\nNine.\n{signature}"
    head = "From: a@example.com\nContent-Type: multipart/signed; boundary=x\n\n"
    document = parse("a.eml", (head + body).encode())
    assert (document.text, document.warnings) == ("From: a@example.com\nNine.", ())


def test_lines_that_flow_on_are_joined_without_blanks_in_words():
    assert sent_as("text/plain; format=flowed; delsp=yes", "今月の料金は \n千円です。\n").text.endswith(
        "今月の料金は千円です。"
    )
    flowed = "The fee \nis 45.\n> It was \n> 40.\n> \n-- \nAda\n"
    assert "The fee is 45.\nEarlier message\nIt was 40." in sent_as("text/plain; format=flowed", flowed).text


def test_a_cancelled_event_is_called_so_and_a_damaged_invitation_is_named():
    assert "Cancelled event: Review" in sent_as("text/calendar", INVITATION.format(method="CANCEL")).text
    damaged = mail("See there.", attached={"invite.ics": b"junk"})
    assert damaged.warnings == ("a.eml has attachments that were not read: invite.ics.",)


def test_readable_attachments_are_parts_and_others_are_named():
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


def test_unreadable_attachment_is_warning_and_message_is_read():
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
def test_unreadable_messages_are_refused_with_advice(content, sentence):
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
def test_message_text_and_subject_use_encoding_meant_by_label(label, content, text, kind):
    subject = b64encode(content).decode()
    head = f'From: a@example.com\nSubject: =?{label}?B?{subject}?=\nContent-Type: text/{kind}; charset="{label}"\n'
    message = f"{head}Content-Transfer-Encoding: base64\n\n{subject}\n"
    document = parse("a.eml", message.encode())
    assert document.text.split("\n")[-1] == text
    assert label == "latin1" or document.title == text
