from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfrag.domain.errors import BadDocument
from selfrag.reader.readers import parse

# The codec that writes them, the name that is shown, and sentences of a handbook.
_SAID = {
    "cp932": (
        "Shift-JIS",
        "出張の上限\n\n東京での宿泊費は一泊につき一万円までです。申請は三日以内に行ってください。\n",
    ),
    "euc_jp": ("EUC-JP", "有給休暇\n\n有給休暇は入社日に十二日付与されます。翌年に九日まで繰り越すことができます。\n"),
    "iso2022_jp": ("ISO-2022-JP", "連絡先\n\n総務部への問い合わせは、電子メールでお願いします。\n"),
    "cp949": ("EUC-KR", "출장 한도\n\n서울 출장의 숙박비는 하룻밤에 구만 원까지입니다. 사흘 안에 신청하세요.\n"),
    "gb18030": ("GB18030", "出差标准\n\n在上海出差的住宿费每晚不超过六百元。请在三天之内向财务部提出申请。\n"),
    "big5": ("Big5", "出差標準\n\n在臺北出差的住宿費每晚不超過三千元。請在三天之內向財務部提出申請。\n"),
    "cp1252": (
        "Windows-1252",
        "Dienstreisen\n\nÜbernachtung in Köln: höchstens 90 € je Nacht, größere Beträge prüft der Geschäftsführer.\n",
    ),
    "utf-16-be": ("UTF-16", "Dienstreisen\n\nFür Übernachtungen in Köln gilt: höchstens 90 € je Nacht.\n"),
}
_ENCODINGS = pytest.mark.parametrize(("codec", "name", "text"), [(codec, *said) for codec, said in _SAID.items()])


def as_csv(text):
    """Return the same sentences in the second column of a table."""
    title, sentence = text.split("\n\n")
    return f"Nr;{title}\r\n1;{sentence.strip()}\r\n2;{title}\r\n"


@_ENCODINGS
@pytest.mark.parametrize("ending", ["txt", "md"])
def test_text_in_legacy_encoding_keeps_letters_and_guess_is_reported(codec, name, text, ending):
    document = parse(f"a.{ending}", text.encode(codec))
    assert document.text == (text if ending == "txt" else text.replace("\n\n", "\n").strip())
    assert document.warnings == (f"a.{ending} was read as {name} (guessed); save it as UTF-8 to be certain.",)


@_ENCODINGS
def test_table_in_legacy_encoding_keeps_letters_and_guess_is_reported(codec, name, text):
    document = parse("a.csv", as_csv(text).encode(codec))
    title, sentence = text.split("\n\n")
    assert f"Nr: 1; {title}: {sentence.strip()}" in document.text
    assert [warning for warning in document.warnings if f"was read as {name} (guessed" in warning]


@_ENCODINGS
def test_a_page_in_the_encoding_that_it_declares_needs_no_guess(codec, name, text):
    if codec == "utf-16-be":
        codec = name = "utf-8"
    labels = {"cp932": "shift_jis", "cp949": "euc-kr", "gb18030": "gb2312", "cp1252": "latin1"}
    label = labels.get(codec, name)
    page = f'<!doctype html><html><head><meta charset="{label}"></head><body><p>{text}'
    document = parse("a.html", page.encode(codec))
    assert text.split("\n\n")[1].strip() in document.text
    assert document.warnings == ()


@pytest.mark.parametrize(
    "declaration",
    [
        '<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">',
        "<META CHARSET='x-sjis'>",
        '<!-- <meta charset="utf-8"> --><meta charset=windows-31j>',
        '<?xml version="1.0" encoding="Shift_JIS"?>',
    ],
)
def test_a_declaration_is_found_however_it_is_written(declaration):
    text = _SAID["cp932"][1]
    document = parse("a.html", f"{declaration}<p>①{text}".encode("cp932"))
    assert "①出張の上限" in document.text
    assert document.warnings == ()


def test_declared_encoding_is_decoded_as_browsers_do():
    page = '<meta charset="euc-jp"><p>①有給休暇は十二日です'.encode("euc_jis_2004")
    assert parse("a.html", page).text == "①有給休暇は十二日です"
    assert parse("a.html", page).warnings == ()


def test_wrongly_declared_encoding_is_corrected_with_a_warning():
    page = b'<meta charset="iso-8859-1"><p>'
    assert parse("a.html", page + "Größe: 9 €".encode()).text == "Größe: 9 €"
    assert parse("a.html", page + "Größe: 9 €".encode()).warnings == (
        "a.html declares the encoding iso-8859-1, which it is not in; it was read as UTF-8.",
    )
    said = _SAID["cp949"][1].replace("\n\n", ": ").strip()
    document = parse("a.html", b'<meta charset="utf-8"><p>' + said.encode("cp949"))
    assert document.text == said
    assert document.warnings == (
        "a.html declares the encoding utf-8, which it is not in; it was read as EUC-KR (guessed).",
    )


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("ending", ["txt", "md", "html", "csv"])
def test_a_byte_order_mark_is_believed(codec, ending):
    document = parse(f"a.{ending}", "Größe;Maß\n9 €;10".encode(codec))
    assert document.text.startswith("Größe")
    assert "9 €" in document.text
    assert document.warnings == ()


def test_big_endian_utf_16_is_read_by_its_mark():
    assert parse("a.txt", b"\xfe\xff" + "Größe 9".encode("utf-16-be")).text == "Größe 9"


def test_a_guess_that_is_not_sure_is_said_to_be_so():
    document = parse("a.txt", "Größe 9".encode("cp1252"))
    assert document.text == "Größe 9"
    assert document.warnings == (
        "a.txt was read as Windows-1252 (guessed, not sure); look at its letters, and save it as UTF-8.",
    )


def test_a_list_of_chinese_names_is_not_taken_for_japanese():
    rows = ["姓名,城市", "张伟,广州市", "王芳,郑州市", "李娜,杭州市"]
    assert "姓名: 王芳; 城市: 郑州市" in parse("a.csv", "\n".join(rows).encode("gb18030")).text


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"Annual\x00leave", "a.txt holds a NUL byte, so it is not text; save it as UTF-8 text."),
        (b"\xff\xfeA\x00\x00\x00", "a.txt holds a NUL byte, so it is not text; save it as UTF-8 text."),
        (
            b"\xff\xfeA\x00B",
            "a.txt begins as UTF-16, but is not valid UTF-16 (at byte 2); save it as UTF-8 text.",
        ),
        (
            b"\xef\xbb\xbfAnnual \xff leave",
            "a.txt begins as UTF-8, but is not valid UTF-8 (at byte 7); save it as UTF-8 text.",
        ),
        (
            b"plain \x81\x02\x9d\x03\xfe\xff\x01\x8f",
            "a.txt is not valid UTF-8 (at byte 6), nor text in another encoding; save it as UTF-8 text.",
        ),
    ],
)
def test_bytes_that_no_encoding_explains_are_refused_with_a_sentence(content, sentence):
    with pytest.raises(BadDocument) as refused:
        parse("a.txt", content)
    assert str(refused.value) == sentence


@given(st.binary(max_size=300), st.sampled_from(["md", "txt", "html", "csv"]))
def test_any_bytes_are_a_document_or_refused(content, ending):
    with suppress(BadDocument):
        assert parse(f"a.{ending}", content).text
