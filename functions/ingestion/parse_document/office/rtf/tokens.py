"""The tokens of an RTF file: groups, control words, and text in the code pages that it names."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    rb"(?P<brace>[{}])|\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})? ?|\\'(?P<hex>[0-9a-fA-F]{2})"
    rb"|\\(?P<symbol>[^a-zA-Z])|(?P<text>[^\\{}\r\n]+)|[\r\n]+|\\",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A brace, a control word or symbol with its number, or bytes of text; the others are empty."""

    brace: str = ""
    word: str = ""
    number: int | None = None
    text: bytes = b""


def tokens(content: bytes) -> Iterator[Token]:
    """The tokens in order; whatever the bytes are, each is in one of them, except what `bin` says is no text."""
    at = 0
    while found := _TOKEN.match(content, at):
        at = found.end()
        kind = found.lastgroup
        if kind == "brace":
            yield Token(brace=found["brace"].decode())
        elif kind in ("word", "number"):
            word, number = found["word"].decode(), found["number"]
            if word == "bin":
                at += max(0, int(number or b"0"))
            else:
                yield Token(word=word, number=None if number is None else int(number))
        elif kind == "hex":
            yield Token(text=bytes.fromhex(found["hex"].decode()))
        elif kind == "symbol":
            yield Token(word=found["symbol"].decode("latin-1"))
        elif kind == "text":
            yield Token(text=found["text"])
