import signal
from email.message import EmailMessage

import pytest

from selfrag.domain.errors import BadDocument, Misconfigured
from selfrag.ingestion.split_document.logic import split
from selfrag.reader import files
from selfrag.reader.files import read_guarded
from selfrag.reader.pdf.reading import read_pdf
from selfrag.reader.processes import pool
from selfrag.reader.processes.pool import ContainedFunction
from tests.support.documents.files import assembled, docx, encrypted_pdf, paragraph, pdf, stream, zipped
from tests.support.documents.pdf_pages import Text, laid

SENTENCE = "The allowance is paid in the month after the claim was made."


WORDS = b"BT /F1 9 Tf (%s) Tj ET"
SHOWN = b"q 9 0 0 9 0 0 cm /Im Do Q"
IMAGE = stream(b"\0", "/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8")
HAS_IMAGE = "/XObject << /Im {} 0 R >>"


def refusal(content, key="a.pdf"):
    with pytest.raises(BadDocument) as refused:
        read_guarded(key, content)
    return str(refused.value)


def pages_of(*contents, forms=(), resources=""):
    """Return a PDF of pages with these instructions; {} in the resources is the number of the first of the forms."""
    numbers = range(4, 4 + len(contents))
    resources = resources.format(4 + 2 * len(contents))
    pages = [
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents {number + len(contents)} 0 R "
        f"/Resources << /Font << /F1 3 0 R >> {resources} >> >>".encode()
        for number in numbers
    ]
    kids = " ".join(f"{number} 0 R" for number in numbers)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(contents)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        *pages,
        *map(stream, contents),
        *forms,
    ]
    return assembled(objects, "/Root 1 0 R")


def test_the_text_of_a_pdf_is_read_page_by_page():
    document = read_guarded("leave.pdf", pdf("Annual leave.", "Sick (or ill) leave.", title="Leave,  paid"))
    assert document.title == "Leave, paid"
    assert document.text == "Annual leave.\n\nSick (or ill) leave."
    assert [document.text[part.start :][:4] for part in document.parts] == ["Annu", "Sick"]
    assert document.warnings == ()


def test_a_pdf_without_a_title_is_named_by_its_file():
    assert read_guarded("a/leave.PDF", pdf("Annual leave.")).title == "leave.PDF"


def test_words_and_sentences_continued_on_next_line_are_joined():
    shown = "Leave is gran-\nted by the manager\nof the team.\nSick Leave\nIt is paid by X-\nRay Ltd"
    assert read_guarded("a.pdf", pdf(shown)).text == (
        "Leave is granted by the manager of the team.\nSick Leave\nIt is paid by X-\nRay Ltd"
    )


def test_pieces_of_a_pdf_tell_the_page_on_which_they_begin():
    pages = [" ".join([f"Page {number}.", *[SENTENCE] * 14]) for number in range(1, 6)]
    pieces = split(read_guarded("a.pdf", pdf(*pages)))
    assert [piece.page for piece in pieces if piece.text.startswith("Page")] == [1, 2, 3, 4, 5]


def test_a_page_that_is_blank_is_still_counted():
    pieces = split(read_guarded("a.pdf", pdf("", f"Second. {SENTENCE}", "")))
    assert [(piece.text[:7], piece.page) for piece in pieces] == [("Second.", 2)]


def test_a_scanned_pdf_is_told_from_a_damaged_one():
    assert refusal(pages_of(SHOWN, SHOWN, forms=[IMAGE], resources=HAS_IMAGE)) == (
        "a.pdf holds no text on any of its 2 pages, so it is probably scanned; run text recognition on it."
    )


def test_pages_that_are_scanned_among_others_are_warned_of():
    some = pages_of(WORDS % b"Words.", SHOWN, b"", forms=[IMAGE], resources=HAS_IMAGE)
    assert read_guarded("a.pdf", some).warnings == (
        "a.pdf has pages that show images but hold no text, perhaps scanned: 2.",
    )


@pytest.mark.parametrize(("side", "told"), [(1, False), (5, True), (9, False)])
def test_page_with_a_large_picture_without_text_gets_a_warning(side, told):
    shown = WORDS % b"Words." + b" q %d 0 0 %d 0 0 cm /Im Do Q" % (side, side)
    sentence = "a.pdf has pages with words and a large picture, of which no text or table is read: 2."
    document = read_guarded("a.pdf", pages_of(WORDS % b"Words.", shown, forms=[IMAGE], resources=HAS_IMAGE))
    assert document.warnings == ((sentence,) if told else ())


ALGORITHMS = pytest.mark.parametrize("algorithm", ["RC4-40", "RC4-128", "AES-128", "AES-256-R5", "AES-256"])


@ALGORITHMS
def test_an_encrypted_pdf_that_opens_without_a_password_is_read(algorithm):
    assert read_guarded("a.pdf", encrypted_pdf("Words.", "", algorithm)).text == "Words."


@ALGORITHMS
def test_a_pdf_with_a_password_is_refused(algorithm):
    assert refusal(encrypted_pdf("Words.", "secret", algorithm)) == "a.pdf is encrypted; save it without a password."


def test_pdf_without_pages_is_not_called_encrypted_after_encrypted_file():
    with pytest.raises(BadDocument, match="is encrypted"):
        read_pdf("a.pdf", encrypted_pdf("Words.", "secret", "AES-256"))
    with pytest.raises(BadDocument, match="is a damaged PDF"):
        read_pdf("b.pdf", pdf())


def test_an_empty_pdf_is_refused():
    assert refusal(b"") == "a.pdf is empty (0 bytes); save it again."
    assert refusal(pdf()) == "a.pdf is a damaged PDF and cannot be read; save it as PDF again."


@pytest.mark.parametrize("kept", [9, 100, 500, -50])
def test_a_pdf_whose_end_is_missing_is_refused(kept):
    sentence = "a.pdf is cut off at its end and cannot be read; save it as PDF again."
    assert refusal(pdf("Annual leave.", "Sick leave.")[:kept]) == sentence


def test_pdf_with_truncated_updates_is_read_with_warning():
    document = read_guarded("a.pdf", pdf("Annual leave.", "Sick leave.") + b"9 0 obj\n<< /Note (" + b"x" * 5000)
    assert document.text == "Annual leave.\n\nSick leave."
    assert document.warnings == ("a.pdf is cut off at its end: only what its first 2 pages still hold was read.",)


LEFT_OUT = "a.pdf has pages that are damaged or too complex, which were left out: 2."


def test_a_damaged_page_is_left_out_with_a_warning():
    whole = pages_of(WORDS % b"First.", WORDS % b"Second.", WORDS % b"Third.")
    document = read_guarded(
        "a.pdf", whole.replace(b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 8", b"[ 8", 1)
    )
    assert (document.text, len(document.parts)) == ("First.\n\nThird.", 3)
    assert document.warnings == (LEFT_OUT,)


def test_a_pdf_of_more_pages_than_are_read_is_refused():
    assert refusal(pages_of(*[b""] * 2001)) == (
        "a.pdf has 2001 pages, and at most 2000 are read; split it into several files."
    )


def test_a_pdf_that_says_one_thing_millions_of_times_is_refused(monkeypatch):
    monkeypatch.setattr("selfrag.reader.pdf.reading.MAX_CHARACTERS", 1_000_000)
    much = b"BT /F1 9 Tf " + (b"(" + b"x" * 30_000 + b") Tj ") * 20 + b"ET"
    with pytest.raises(
        BadDocument, match=r"^a\.pdf has more than 1 million characters; split it into several files\.$"
    ):
        read_pdf("a.pdf", pages_of(much, much))


@pytest.mark.parametrize("kids", ["[2 0 R]", "[4 0 R 4 0 R]", "4 0 R", "(x)", "[99 0 R null]"])
def test_a_tree_of_pages_that_makes_no_sense_is_refused(kids):
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids {kids} /Count 1 >>".encode()]
    assert refusal(assembled([*objects, b"null", b"<< /Type /Pages /Kids [2 0 R] >>"], "/Root 1 0 R"))


AGAIN = "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X {} 0 R >> >>"
# Each shows the next one ten times.
FORMS = [stream(b"/X Do " * 10, AGAIN.format(11 + level)) for level in range(12)]


@pytest.mark.parametrize("much", ["time", "memory"])
def test_page_exceeding_limits_is_dropped_and_others_are_read(much, monkeypatch):
    asks = b"/X Do" if much == "time" else WORDS % b"Words." + b" %" + b" " * 40_000_000
    monkeypatch.setattr(files, "MAX_SECONDS_A_PAGE", 1)
    monkeypatch.setattr(pool, "MAX_MEMORY", 100 * 1024 * 1024)
    content = pages_of(WORDS % b"First.", asks, WORDS % b"Third.", forms=FORMS, resources="/XObject << /X {} 0 R >>")
    document = read_guarded("a.pdf", content)
    assert (document.text, document.warnings) == ("First.\n\nThird.", (LEFT_OUT,))


def test_slow_attachment_is_dropped_and_message_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(files, "MAX_SECONDS_AN_ATTACHMENT", 1)
    message = EmailMessage()
    message["Subject"], message["From"] = "Leave", "a@example.com"
    message.set_content("Parents receive 18 weeks.")
    slow = pages_of(b"/X Do", b"", b"", forms=FORMS, resources="/XObject << /X {} 0 R >>")
    message.add_attachment(slow, maintype="application", subtype="pdf", filename="slow.pdf")
    message.add_attachment(b"Oslo 140", maintype="text", subtype="plain", filename="good.txt")
    document = read_guarded("a.eml", bytes(message))
    assert "18 weeks" in document.text
    assert "Oslo 140" in document.text
    assert document.warnings == ("a.eml attachment slow.pdf is damaged or too complex and was left out.",)


def attaching(*files, pinned=False):
    """Return a PDF with files by their names, attached to it or pinned to its page."""
    specification = "<< /Type /Filespec /F ({0}) /UF ({0}) /EF << /F {1} 0 R >> >>"
    first, extra = 8 + pinned * len(files), []
    for number, (name, content) in enumerate(files):
        extra += [specification.format(name, first + 2 * number + 1).encode(), stream(content, "/Type /EmbeddedFile")]
    places = [(name, first + 2 * number) for number, (name, _) in enumerate(files)]
    tree = " ".join(f"({name}) {place} 0 R" for name, place in places)
    return laid(
        [Text(72, 700, "The offers are attached.")],
        catalog="" if pinned else f"/Names << /EmbeddedFiles << /Names [{tree}] >> >>",
        annotations=[f"/Subtype /FileAttachment /Rect [5 5 9 9] /FS {at} 0 R" for _, at in places] if pinned else (),
        extra=extra,
    )


OFFER = ("offer.csv", b"Bidder,Price,Days\nAcme,4200,3\n")


@pytest.mark.parametrize("pinned", [False, True], ids=["attached", "pinned"])
def test_attached_files_are_read_as_parts_or_named_in_a_warning(pinned):
    files = [
        OFFER,
        ("plan.dwg", b"AC10"),
        ("terms.docx", docx(paragraph("Terms: 30 days."))),
        ("cut.docx", b"PK\x03\x04"),
    ]
    document = read_guarded("a.pdf", attaching(*files, pinned=pinned))
    assert document.text.split("\n")[-2:] == ["Bidder: Acme; Price: 4200; Days: 3", "Terms: 30 days."]
    assert [part.name for part in document.parts] == ["page 1", "attachment offer.csv", "attachment terms.docx"]
    assert [piece.locator for piece in split(document) if "4200" in piece.text] == ["attachment offer.csv"]
    assert document.warnings == (
        "a.pdf attachment cut.docx is a damaged Word document and cannot be read; save it as .docx again.",
        "a.pdf has attachments that were not read: plan.dwg.",
    )


def test_an_attached_pdf_is_read_and_a_slow_one_left_out(monkeypatch):
    monkeypatch.setattr(files, "MAX_SECONDS_A_PAGE", 1)
    slow = pages_of(b"/X Do", b"", b"", forms=FORMS, resources="/XObject << /X {} 0 R >>")
    document = read_guarded("a.pdf", attaching(("slow.pdf", slow), ("whole.pdf", attaching(OFFER))))
    assert document.text.count("Bidder: Acme; Price: 4200; Days: 3") == 1
    assert document.warnings == ("a.pdf attachment slow.pdf is damaged or too complex and was left out.",)


def test_a_pdf_that_asks_for_much_memory_is_stopped(monkeypatch):
    monkeypatch.setattr(pool, "MAX_MEMORY", 100 * 1024 * 1024)
    greedy = pages_of(*[WORDS % b"x" + b" %" + b" " * 40_000_000] * 5)
    assert refusal(greedy) == "a.pdf takes more than 100 MB of memory to read; split it, or print it to a new PDF."


def test_a_pdf_that_asks_for_much_time_is_stopped(monkeypatch):
    monkeypatch.setattr(pool, "MAX_SECONDS", 1)
    slow = pages_of(b"/X Do", WORDS % b"Words.", b"", forms=FORMS, resources="/XObject << /X {} 0 R >>")
    assert refusal(slow) == "a.pdf takes more than 1 seconds to read; split it, or print it to a new PDF."


def test_endless_line_of_one_letter_is_read_in_normal_time(monkeypatch):
    monkeypatch.setattr(pool, "MAX_SECONDS", 15)
    assert len(read_guarded("a.pdf", pages_of(WORDS % (b"a" * 30_000))).text) == 30_000


def test_a_title_of_half_a_character_is_none():
    broken = pdf("Annual leave.", information="/Title <FEFF0041D8000042> /Keywords <FEFFDC00>")
    assert read_guarded("a.pdf", broken) == read_guarded("a.pdf", pdf("Annual leave."))


def test_a_text_of_broken_characters_becomes_one_of_valid_ones():
    shown = pages_of(b"BT /F1 9 Tf (One\\000\\001two \\(\\377) Tj ET")
    document = read_guarded("a.pdf", shown)
    assert document.text.encode()
    assert "\0" not in document.text


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"Only words.", "a.pdf is not a PDF, whatever its name says; save it again, or name it by what it is."),
        (zipped({"a": "b"}), "a.pdf is an archive; unpack it, and add the files that it holds."),
    ],
)
def test_foreign_content_named_pdf_is_rejected(content, sentence):
    assert refusal(content) == sentence


def test_the_name_of_a_pdf_may_be_any():
    key = 'Ordner/"ä\n--help\udc80$(x).pdf'
    assert read_guarded(key, pdf("Words.")).key == key


def test_a_pdf_is_read_the_same_in_a_process_of_its_own():
    content = pdf("Annual leave.", "Sick leave.", title="Leave")
    assert read_guarded("a.pdf", content) == read_pdf("a.pdf", content)


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGILL, signal.SIGTRAP, signal.SIGABRT])
def test_crash_of_c_library_rejects_only_that_file(number, modules):
    (modules / "crashing.py").write_text(f"import os\ndef read(key, content): os.kill(os.getpid(), {number:d})")
    read = ContainedFunction("crashing:read", "PDF", "print it to a new PDF")
    with pytest.raises(BadDocument, match=r"^a\.pdf (is a damaged PDF|takes more than 768 MB).*\.$"):
        read("a.pdf", b"%PDF-1.7")


def test_without_the_library_that_reads_pdf_no_document_is_blamed(modules):
    (modules / "pypdfium2.py").write_text("raise ImportError('pypdfium2 is missing')")
    with pytest.raises(Misconfigured, match=r"(?s)^PDFs cannot be read here: .*pypdfium2 is missing$"):
        read_guarded("a.pdf", pdf("Words."))
