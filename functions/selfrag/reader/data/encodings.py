"""Decoding of text files: byte order mark first, then the declared encoding, then chardet's guess."""

import codecs
import re
from collections.abc import Iterator
from contextlib import suppress

import webencodings

from selfrag.domain.errors import BadDocument
from selfrag.reader.kinds import TEXT, refuse_other_kinds

_MARKS = {  # UTF-32 comes first: its mark begins with that of UTF-16
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
# Browsers read these labels with tables that hold more than Python's codecs of the same name.
_WIDER = {
    **{"gbk": "gb18030", "euc_jp": "euc_jis_2004", "iso2022_jp": "iso2022_jp_ext"},
    **{"shift_jis": "cp932", "euc_kr": "cp949", "big5": "big5hkscs"},
}
# Browsers look no further and use the first declaration.
_DECLARED_WITHIN = 1024
_DECLARED = re.compile(
    rb"""<!--.*?-->
    | <\?xml\s[^>]*?encoding\s*=\s*["'](?P<xml>[^"'>]+)
    | <meta\s[^>]*?charset\s*=\s*["']?\s*(?P<meta>[^\s"'/>;]+)""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
# Common encodings only: the more candidates, the more often a short text is taken for a rare one. These names are the
# common ones.
_NAMES = {
    **{"cp932": "Shift-JIS", "euc_jis_2004": "EUC-JP", "cp949": "EUC-KR", "gb18030": "GB18030", "big5hkscs": "Big5"},
    **dict.fromkeys(("iso2022_jp_2", "iso2022_jp_2004"), "ISO-2022-JP"),
    **{f"cp{number}": f"Windows-{number}" for number in (1250, 1251, 1252, 1253, 1254, 1257)},
    **{f"iso8859-{part}": f"ISO-8859-{part}" for part in (2, 5, 7, 15)},
    **{f"utf-{bits}-{order}": f"UTF-{bits}" for bits in (16, 32) for order in ("le", "be")},
    "koi8-r": "KOI8-R",
}
_SHIFT = b"\x1b$"  # switches to the characters of ISO-2022-JP, which is ASCII otherwise
_EXAMINED = 100_000  # bytes; the guess is no better for more
# A guess is sure if no other encoding is nearly as likely, and there is enough to judge by.
_CLEARLY, _ENOUGH = 1.2, 8
# Control characters do not occur in text, but single-byte encodings decode every byte.
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")


def decode(key: str, content: bytes, declares: bool = False) -> tuple[str, tuple[str, ...]]:
    """Return the text of a file, with a warning if its encoding was guessed or wrongly declared.

    Set `declares` for kinds such as HTML that declare an encoding. Raises BadDocument if no encoding fits.
    """
    refuse_other_kinds(key, content, TEXT)
    marked = next((mark for mark in _MARKS if content.startswith(mark)), b"")
    if marked:
        return _decode_marked(key, content[len(marked) :], _MARKS[marked]), ()
    label, codec = _find_declaration(content) if declares else ("", "")
    for each in _safe_encodings(content, codec):
        with suppress(UnicodeDecodeError):
            warning = f"{key} declares the encoding {label[:40]}, which it is not in; it was read as UTF-8."
            return content.decode(each), (warning,) if codec and each != codec else ()
    return _guess(key, content, label)


def _safe_encodings(content: bytes, codec: str) -> list[str]:
    """Return the encodings to try before guessing; non-ASCII text is hardly ever valid UTF-8 by chance."""
    if b"\0" in content or (_SHIFT in content and not codec and content.isascii()):
        return []
    ordered = [codec, "utf-8"] if content.isascii() else ["utf-8", codec]
    return [each for each in ordered if each]


def _decode_marked(key: str, content: bytes, encoding: str) -> str:
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        name = encoding.upper().removesuffix("-LE").removesuffix("-BE")
        raise BadDocument(
            f"{key} begins as {name}, but is not valid {name} (at byte {error.start}); save it as UTF-8 text."
        ) from error
    if "\0" in text:
        raise BadDocument(_no_text(key))
    return text


def _find_declaration(content: bytes) -> tuple[str, str]:
    """Return the label that a page gives its encoding, and the codec that browsers use for it; "" if they know none."""
    labels = (match["xml"] or match["meta"] for match in _DECLARED.finditer(content, 0, _DECLARED_WITHIN))
    label = next((label.decode("ascii", "replace") for label in labels if label), "")
    codec = codec_of(label)
    # The declaration was found byte by byte, so the encoding cannot be UTF-16.
    return (label, "utf-8" if codec.startswith("utf-16") else codec) if codec else ("", "")


def codec_of(label: str) -> str:
    """Return the codec that browsers use for a label, such as windows-1252 for iso-8859-1; "" if they have none."""
    encoding = webencodings.lookup(label)
    if encoding is None or encoding.name in ("replacement", "x-user-defined"):
        return ""
    codec: str = encoding.codec_info.name
    return _WIDER.get(codec, codec)


def decoded_as(content: bytes, label: str) -> str | None:
    """Return a text in the encoding of a label, or in UTF-8 if it is that; None if the label is wrong or is none."""
    for codec in _safe_encodings(content, codec_of(label) or label):
        with suppress(LookupError, ValueError):
            return content.decode(codec)
    return None


def _guess(key: str, content: bytes, label: str) -> tuple[str, tuple[str, ...]]:
    """Return the text in the likeliest encoding that explains every byte, and the warning that it is a guess."""
    import chardet  # its models are loaded where a file needs them: nearly every file is UTF-8

    guesses = chardet.detect_all(
        content, max_bytes=_EXAMINED, ignore_threshold=True, compat_names=False, include_encodings=_NAMES
    )
    readings = _readings(content, [(each["encoding"] or "", each["confidence"]) for each in guesses])
    text, name, confidence = next(readings, ("", "", 0.0))
    if not name:
        raise BadDocument(_no_text(key) if b"\0" in content else _has_unexplained(key, content))
    other = next((each for read, _, each in readings if read != text), 0.0)
    enough = b"\0" in content or _SHIFT in content or len(_BEYOND_ASCII.findall(content, 0, _EXAMINED)) >= _ENOUGH
    if label:
        warning = f"{key} declares the encoding {label[:40]}, which it is not in; it was read as {name} (guessed)."
    elif enough and confidence >= _CLEARLY * other:
        warning = f"{key} was read as {name} (guessed); save it as UTF-8 to be certain."
    else:
        warning = f"{key} was read as {name} (guessed, not sure); look at its letters, and save it as UTF-8."
    return text, (warning,)


def _readings(content: bytes, likely: list[tuple[str, float]]) -> Iterator[tuple[str, str, float]]:
    """Yield the readings that explain every byte, the likeliest first: text, the encoding's name, and confidence."""
    for encoding, confidence in likely:
        with suppress(UnicodeDecodeError):
            text = content.decode(encoding) if encoding in _NAMES else "\0"
            if not _CONTROLS.search(text):
                yield text, _NAMES[encoding], confidence


def _no_text(key: str) -> str:
    return f"{key} holds a NUL byte, so it is not text; save it as UTF-8 text."


def _has_unexplained(key: str, content: bytes) -> str:
    try:
        at = len(content.decode())
    except UnicodeDecodeError as error:
        at = error.start
    return f"{key} is not valid UTF-8 (at byte {at}), nor text in another encoding; save it as UTF-8 text."
