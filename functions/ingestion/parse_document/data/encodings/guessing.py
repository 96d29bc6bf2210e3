"""Guesses the encoding of bytes that say nothing of it, and how sure that is."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import chardet

# What people save text in: the more encodings are thought possible, the more often a short text is taken for a rare
# one. The names are those that people know.
_NAMES = {
    "cp932": "Shift-JIS",
    "euc_jis_2004": "EUC-JP",
    "cp949": "EUC-KR",
    "gb18030": "GB18030",
    "big5hkscs": "Big5",
    "cp1252": "Windows-1252",
    "iso8859-15": "ISO-8859-15",
    "iso8859-2": "ISO-8859-2",
    "cp1250": "Windows-1250",
    "cp1251": "Windows-1251",
    "koi8-r": "KOI8-R",
    "iso8859-5": "ISO-8859-5",
    "iso8859-7": "ISO-8859-7",
    "cp1253": "Windows-1253",
    "cp1254": "Windows-1254",
    "cp1257": "Windows-1257",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "utf-32-le": "UTF-32",
    "utf-32-be": "UTF-32",
}
_EXAMINED = 100_000  # bytes; the guess is no better for more
# A guess is sure if no encoding that reads otherwise is nearly as likely, and there is enough to judge by.
_CLEARLY, _ENOUGH = 1.2, 8
# Nobody writes them, and every byte has some meaning in the encodings of a byte a character.
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]+")
_KANJI_FROM, _LATE_FROM, _LATE_TO, _FEW_LATE = 0xB0, 0xD0, 0xD7, 0.05


@dataclass(frozen=True)
class Guess:
    """A text as it was read, the name of the encoding, and whether another would hardly do."""

    text: str
    name: str
    sure: bool


def guess(content: bytes) -> Guess | None:
    """The text in the likeliest encoding that explains every byte; None if there is none."""
    found = chardet.detect_all(
        content,
        max_bytes=_EXAMINED,
        ignore_threshold=True,
        compat_names=False,
        include_encodings=_NAMES,
        no_match_encoding="cp1252",
    )
    likely = [(each["encoding"] or "", each["confidence"]) for each in found if each["encoding"] in _NAMES]
    if likely and likely[0][0] == "gb18030" and _is_rather_japanese(content):
        likely = [("euc_jis_2004", likely[0][1]), *(each for each in likely if each[0] != "euc_jis_2004")]
    readings = _readings(content, likely)
    first = next(readings, None)
    if first is None:
        return None
    text, encoding, confidence = first
    other = next((each for read, _, each in readings if read != text), 0.0)
    enough = b"\0" in content or len(b"".join(_BEYOND_ASCII.findall(content, 0, _EXAMINED))) >= _ENOUGH
    return Guess(text, _NAMES[encoding], enough and confidence >= _CLEARLY * other)


def _readings(content: bytes, likely: list[tuple[str, float]]) -> Iterator[tuple[str, str, float]]:
    for encoding, confidence in likely:
        with suppress(UnicodeDecodeError):
            text = content.decode(encoding)
            if not _CONTROLS.search(text):
                yield text, encoding, confidence


def _is_rather_japanese(content: bytes) -> bool:
    """Whether what is taken for Chinese may be EUC-JP without kana, such as a list of names.

    Of the characters that Chinese uses most, every fifth is in the rows from D0 to D7; in Japanese those are rare.
    """
    with suppress(UnicodeDecodeError):
        content.decode("euc_jis_2004")
        runs: list[bytes] = _BEYOND_ASCII.findall(content, 0, _EXAMINED)
        leads = [lead for run in runs for lead in run[: len(run) - 1 : 2] if lead >= _KANJI_FROM]
        late = sum(_LATE_FROM <= lead <= _LATE_TO for lead in leads)
        return late < _FEW_LATE * len(leads)
    return False
