"""Follows the groups of an RTF file, and tells a story of what they show."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from ingestion.parse_document.office.blocks import Block
from ingestion.parse_document.office.headers import PAGE_NUMBER
from ingestion.parse_document.office.rtf.asides import Asides, Look
from ingestion.parse_document.office.rtf.text import Decoder
from ingestion.parse_document.office.rtf.tokens import Token
from ingestion.parse_document.zipped import TooMuch

MAX_GROUPS = 1000  # within each other
_MAX_COLLECTED = 10_000
_HEADERS = frozenset({"header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf"})
_COLLECTED = frozenset({"fonttbl", "stylesheet", "title", "keywords", "listtext", "pntext", "fldinst", "revtim"})
# Groups whose words are no text, or stand elsewhere as well; others that begin with an asterisk are left out, too.
_SKIPPED = frozenset(
    {"colortbl", "filetbl", "pict", "objdata", "sp", "nonesttables", "annotation", "atnid", "atnauthor", "author"}
    | {"operator", "company", "doccomm", "subject", "comment", "category", "manager", "hlinkbase", "xe", "tc", "rxe"}
    | {"ftnsep", "ftnsepc", "ftncn", "aftnsep", "aftnsepc", "aftncn", "pntxta", "pntxtb", "listtable", "creatim"}
)
_KNOWN_WITH_ASTERISK = frozenset({"footnote", "fldinst", "shpinst", "shptxt", "pntext"})
_CHARACTERS = {
    **{"tab": "\t", "line": "\n", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "bullet": "•"},
    **{"endash": "–", "emdash": "—", "emspace": " ", "enspace": " ", "~": " ", "_": "-", "chpgn": PAGE_NUMBER},
    **{"\\": "\\", "{": "{", "}": "}", "nestcell": " ", "nestrow": " "},
}
_PAGE_FIELDS = ("PAGE", "NUMPAGES", "SECTIONPAGES")


@dataclass
class _Group:
    """What holds until the group ends."""

    into: str = "text"  # where its words go
    font: int = 0
    bytes_for_number: int = 1
    hidden: bool = False
    bold: bool = False
    in_table: bool = False
    style: int = 0
    outline: int = -1
    starred: bool = False  # an asterisk stood before the next word


class RtfReader:
    """Takes in tokens; what they tell is in `asides`, `collected` are texts of their own, such as the title."""

    def __init__(self) -> None:
        self.asides = Asides()
        self.collected: dict[str, str] = {}
        self.styles: dict[int, str] = {}
        self.date: dict[str, int] = {}
        self._decoder = Decoder()
        self._groups = [_Group()]
        self._fallback = 0  # bytes that stand for a character whose number was given
        self._formats = self._formatting()

    @property
    def whole(self) -> bool:
        """Whether every group has ended."""
        return len(self._groups) == 1

    def take(self, token: Token) -> None:
        """Take in the next token."""
        if token.text:
            dropped = min(self._fallback, len(token.text))
            self._fallback -= dropped
            if rest := token.text[dropped:]:
                self._decoder.add_bytes(rest, self._groups[-1].font)
        elif token.word == "u":
            self._decoder.add_number(token.number or 0)
            self._fallback = self._groups[-1].bytes_for_number
        else:
            self._flush()
            self._open() if token.brace == "{" else self._close() if token.brace else self._take_word(token)

    def finished(self) -> list[Block]:
        """The blocks of the text, when all was taken in."""
        self._flush()
        return self.asides.finish(lambda: self._look(self._groups[-1])).blocks

    def _flush(self) -> None:
        self._fallback = 0
        if text := self._decoder.taken():
            self._show(text)

    def _show(self, text: str) -> None:
        group = self._groups[-1]
        if group.into == "text":
            if not group.hidden:
                self.asides.add(text, group.bold, group.in_table)
        elif group.into in _COLLECTED:
            self.collected[group.into] = (self.collected.get(group.into, "") + text)[:_MAX_COLLECTED]

    def _open(self) -> None:
        if len(self._groups) > MAX_GROUPS:
            raise TooMuch(f"has groups nested more than {MAX_GROUPS} deep; save it again")
        self._groups.append(replace(self._groups[-1], starred=False))

    def _close(self) -> None:
        group = self._groups[-1]
        if group.into == "stylesheet" and (name := self.collected.pop("stylesheet", "")):
            self.styles[group.style] = name.strip("; ").lower()
        if len(self._groups) > 1:
            self._groups.pop()
        self.asides.close(len(self._groups), lambda: self._look(group))

    def _take_word(self, token: Token) -> None:
        group, word = self._groups[-1], token.word
        starred, group.starred = group.starred, word == "*"
        if group.into == "skipped" or word == "*" or self._is_destination(word):
            return
        if starred and word not in _KNOWN_WITH_ASTERISK:
            group.into = "skipped"
        elif word in self._formats:
            self._formats[word](group, token.number)
        elif word in _CHARACTERS:
            self._show(_CHARACTERS[word])
        elif group.into == "revtim":
            self.date[word] = token.number or 0
        elif group.into == "text" and not self.asides.take(word, lambda: self._look(group)):
            self._decoder.take_page(word, token.number)

    def _is_destination(self, word: str) -> bool:
        """Whether a word says where the words of its group go."""
        group, depth = self._groups[-1], len(self._groups) - 1
        if word in _SKIPPED or (word == "fldrslt" and self._is_page_number()):
            group.into = "skipped"
        elif word in _COLLECTED:
            group.into = word
            self.collected.pop(word, "")
        elif word in ("footnote", "shptxt") or word in _HEADERS:
            self.asides.open("header" if word in _HEADERS else word, depth)
        else:
            return False
        return True

    def _is_page_number(self) -> bool:
        asked = self.collected.pop("fldinst", "").split()
        found = bool(asked) and asked[0].upper() in _PAGE_FIELDS
        if found:
            self._show(PAGE_NUMBER)
        return found

    def _look(self, group: _Group) -> Look:
        """The outline, the style and the number of the paragraph that ends."""
        label = self.collected.pop("listtext", "") or self.collected.pop("pntext", "")
        return group.outline, self.styles.get(group.style, ""), label

    def _formatting(self) -> dict[str, Callable[[_Group, int | None], None]]:
        return {
            "f": lambda group, number: setattr(group, "font", number or 0),
            "deff": lambda group, number: setattr(group, "font", number or 0),
            "uc": lambda group, number: setattr(group, "bytes_for_number", max(0, 1 if number is None else number)),
            "plain": _plain,
            "b": lambda group, number: setattr(group, "bold", number != 0),
            "v": lambda group, number: setattr(group, "hidden", number != 0),
            "deleted": lambda group, number: setattr(group, "hidden", number != 0),
            "pard": _like_others,
            "intbl": lambda group, _: setattr(group, "in_table", True),
            "s": lambda group, number: setattr(group, "style", number or 0),
            "outlinelevel": lambda group, number: setattr(group, "outline", number or 0),
            "fcharset": lambda group, number: self._decoder.take_font(group.font, number or 0),
        }


def _plain(group: _Group, _: int | None) -> None:
    group.bold = group.hidden = False


def _like_others(group: _Group, _: int | None) -> None:
    group.in_table, group.style, group.outline = False, 0, -1
