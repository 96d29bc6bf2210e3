"""The double's tokenizer: the control strings are tokens of their own, wherever they stand; words are tokens, too."""

import re
import threading

from selfrag.domain.scores.tokens import END, MARKERS
from selfrag.domain.scores.vocabulary import IDS

BOS = 1
_SPECIAL = re.compile("(" + "|".join(map(re.escape, MARKERS)) + ")")
_PIECES = re.compile(r"\s*\S+|\s+")
_FIRST_WORD, _LAST_WORD = 300, 31999
# Ids of tokens that nobody wrote, which fill the list of the likeliest.
FILLERS = range(259, 299)


class Tokens:
    """Ids for texts and back; a word gets the next id that is free."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {**IDS, "<s>": BOS, "<unk>": 0}
        self._texts = {number: text for text, number in self._ids.items()} | {one: f" w{one}" for one in FILLERS}
        self._lock = threading.Lock()

    def encoded(self, text: str) -> list[int]:
        """The ids of a text, without the token that begins all."""
        parts = [part for part in _SPECIAL.split(text) if part]
        return [self._id(piece) for part in parts for piece in ([part] if part in MARKERS else _PIECES.findall(part))]

    def decoded(self, ids: list[int]) -> str:
        """The text of ids; the token that ends all has none."""
        return "".join(self._texts[number] for number in ids if number != IDS[END])

    def _id(self, piece: str) -> int:
        with self._lock:
            if piece not in self._ids:
                number = _FIRST_WORD + len(self._ids)
                assert number <= _LAST_WORD, "the double has no ids left"
                self._ids[piece] = number
                self._texts[number] = piece
            return self._ids[piece]
