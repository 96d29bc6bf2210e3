"""Decodes the text of an RTF file: bytes in the code page of their font, and characters by their numbers."""

import re
from codecs import lookup
from contextlib import suppress

# The sets of characters that fonts name, as Python calls them; 0 is the document's own.
_CHARSETS = {77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "cp950", 161: "cp1253"}
_CHARSETS |= {162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874"}
_CHARSETS |= {238: "cp1250", 255: "cp437"}
_PAGES = {"ansi": "cp1252", "mac": "mac_roman", "pc": "cp437", "pca": "cp850"}
_UTF_8 = 65001
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]")


class Decoder:
    """Collects what stands together, for a character can be of two bytes or of two numbers."""

    def __init__(self) -> None:
        self._page = _PAGES["ansi"]
        self._fonts: dict[int, str] = {}
        self._whole: list[str] = []
        self._bytes, self._units = bytearray(), bytearray()
        self._encoding = self._page

    def take_page(self, word: str, number: int | None) -> None:
        """The document is in this code page."""
        if word in _PAGES:
            self._page = _PAGES[word]
        with suppress(LookupError):
            self._page = lookup("utf-8" if number == _UTF_8 else f"cp{number}").name

    def take_font(self, font: int, charset: int) -> None:
        """A font is of this set of characters."""
        if charset in _CHARSETS:
            self._fonts[font] = _CHARSETS[charset]

    def add_bytes(self, content: bytes, font: int) -> None:
        """Take in bytes in the code page of a font."""
        self._end(self._units)
        self._encoding = self._fonts.get(font, self._page)
        self._bytes += content

    def add_number(self, number: int) -> None:
        """Take in a character by its number, which may be half of one."""
        self._end(self._bytes)
        self._units += (number & 0xFFFF).to_bytes(2, "little")

    def taken(self) -> str:
        """What was taken in since, without control characters."""
        self._end(self._bytes)
        self._end(self._units)
        text = "".join(self._whole)
        self._whole.clear()
        return _CONTROLS.sub("", text)

    def _end(self, collected: bytearray) -> None:
        if collected:
            encoding = self._encoding if collected is self._bytes else "utf-16-le"
            self._whole.append(collected.decode(encoding, "replace"))
            collected.clear()
