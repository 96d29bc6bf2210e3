"""Headers and footers: each read once, without page numbers or text of the body."""

from collections.abc import Iterable, Iterator

from selfrag.domain.documents import has_words

PAGE_NUMBER = "\x02"  # placeholder for the page number; XML cannot contain this character


def normalize(text: str) -> str:
    """Normalize a text to its letters and digits, ignoring case."""
    return "".join(filter(str.isalnum, text.casefold()))


def new_lines(lines: Iterable[str], seen: set[str]) -> Iterator[str]:
    """Yield lines not in `seen`, without page numbers, and add them to it.

    `seen` holds normalized texts. A page number is dropped with its tab-separated part of the line.
    """
    for line in lines:
        pieces = [piece for piece in line.split("\t") if PAGE_NUMBER not in piece]
        text = " ".join(" ".join(pieces).split())
        if has_words(text) and normalize(text) not in seen:
            seen.add(normalize(text))
            yield text
