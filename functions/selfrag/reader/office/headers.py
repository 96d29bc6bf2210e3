"""Headers and footers: read once, without what stands on every page and what the text says itself."""

from collections.abc import Iterable, Iterator

from selfrag.domain.documents import has_words

PAGE_NUMBER = "\x02"  # stands for one in a text that is being read; XML can hold no such character


def compared(text: str) -> str:
    """A text as it is compared: its letters and digits, without regard to case."""
    return "".join(filter(str.isalnum, text.casefold()))


def new_lines(lines: Iterable[str], seen: set[str]) -> Iterator[str]:
    """Yield the lines that say something new; of a line with the number of a page, what tabs divide from that.

    `seen` holds the texts that were read, as they are compared; new lines are added to it.
    """
    for line in lines:
        pieces = [piece for piece in line.split("\t") if PAGE_NUMBER not in piece]
        text = " ".join(" ".join(pieces).split())
        if has_words(text) and compared(text) not in seen:
            seen.add(compared(text))
            yield text
