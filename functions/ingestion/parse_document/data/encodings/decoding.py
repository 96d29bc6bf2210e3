"""The text of a file's bytes: a byte order mark is believed first, then what the file declares, then a guess."""

import codecs
import re
from contextlib import suppress

import webencodings

from ingestion.parse_document.kinds import TEXT, refuse_other_kinds
from selfrag.domain.errors import BadDocument

_MARKS = {  # that of UTF-16 begins that of UTF-32, which is asked about first
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
# ISO-2022-JP shifts to its characters with these, and is ASCII otherwise.
_SHIFTS, _SHIFTED = (b"\x1b$B", b"\x1b$@"), "iso2022_jp_ext"
# Browsers read these labels with tables that hold more than Python's codecs of the same name.
_WIDER = {"gbk": "gb18030", "euc_jp": "euc_jis_2004", "iso2022_jp": _SHIFTED}
# Browsers look no further, and take the first declaration.
_DECLARED_WITHIN = 1024
_DECLARED = re.compile(
    rb"""<!--.*?-->
    | <\?xml\s[^>]*?encoding\s*=\s*["'](?P<xml>[^"'>]+)
    | <meta\s[^>]*?charset\s*=\s*["']?\s*(?P<meta>[^\s"'/>;]+)""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)


def decoded(key: str, content: bytes, declares: bool = False) -> tuple[str, tuple[str, ...]]:
    """The text of a file, and the warnings where its encoding had to be guessed or was not as declared.

    `declares` tells whether a file of this kind says within itself how it is encoded, as HTML does. Raises BadDocument
    for what no encoding explains.
    """
    refuse_other_kinds(key, content, TEXT)
    marked = next((mark for mark in _MARKS if content.startswith(mark)), b"")
    if marked:
        return _marked(key, content[len(marked) :], _MARKS[marked]), ()
    label, codec = _declared(content) if declares else ("", "")
    for each in _candidates(content, codec):
        with suppress(UnicodeDecodeError):
            return content.decode(each), _told(key, label, codec, each)
    return _guessed(key, content, label)


def _candidates(content: bytes, codec: str) -> list[str]:
    """The encodings that a text without a mark is tried in, before one is guessed.

    By chance hardly any other text is UTF-8; but if it has nothing beyond ASCII, it is what it is declared to be.
    """
    if b"\0" in content:
        return []
    if not content.isascii():
        return ["utf-8", codec] if codec else ["utf-8"]
    shifted = any(shift in content for shift in _SHIFTS)
    return [each for each in (codec, _SHIFTED if shifted else "", "utf-8") if each]


def _told(key: str, label: str, codec: str, used: str) -> tuple[str, ...]:
    if codec and used != codec:
        return (_contradicted(key, label, "UTF-8"),)
    return (_guess_told(key, "ISO-2022-JP", True),) if used == _SHIFTED and not codec else ()


def _marked(key: str, content: bytes, encoding: str) -> str:
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


def _declared(content: bytes) -> tuple[str, str]:
    """The label that a page gives its encoding, and the codec that browsers use for it; "" if they know none."""
    found = (one["xml"] or one["meta"] for one in _DECLARED.finditer(content, 0, _DECLARED_WITHIN))
    label = next((label.decode("ascii", "replace") for label in found if label), "")
    known = webencodings.lookup(label)
    if known is None or known.name in ("replacement", "x-user-defined"):
        return "", ""
    # What was found byte by byte is in no encoding of two bytes a letter, whatever it says.
    codec = "utf-8" if known.name.startswith("utf-16") else known.codec_info.name
    return label, _WIDER.get(codec, codec)


def _guessed(key: str, content: bytes, label: str) -> tuple[str, tuple[str, ...]]:
    # Its models are loaded where a file needs them: nearly every file is UTF-8.
    from ingestion.parse_document.data.encodings.guessing import guess

    found = guess(content)
    if found is None:
        raise BadDocument(_no_text(key) if b"\0" in content else _unexplained(key, content))
    if label:
        return found.text, (_contradicted(key, label, f"{found.name} (guessed)"),)
    return found.text, (_guess_told(key, found.name, found.sure),)


def _guess_told(key: str, name: str, sure: bool) -> str:
    if sure:
        return f"{key} was read as {name} (guessed); save it as UTF-8 to be certain."
    return f"{key} was read as {name} (guessed, not sure); look at its letters, and save it as UTF-8."


def _contradicted(key: str, label: str, name: str) -> str:
    return f"{key} declares the encoding {label[:40]}, which it is not in; it was read as {name}."


def _no_text(key: str) -> str:
    return f"{key} holds a NUL byte, so it is not text; save it as UTF-8 text."


def _unexplained(key: str, content: bytes) -> str:
    try:
        at = len(content.decode())
    except UnicodeDecodeError as error:
        at = error.start
    return f"{key} is not valid UTF-8 (at byte {at}), nor text in another encoding; save it as UTF-8 text."
