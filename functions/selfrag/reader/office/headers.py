"""Headers and footers: read once, without what stands on every page and what the text says itself."""

from collections.abc import Iterable, Iterator

from selfrag.domain.documents import has_words

PAGE_NUMBER = "\x02"  # stands for one in a text that is being read; XML can hold no such character


def compared(text: str) -> str:
    """A text as it is compared: its letters and digits, without regard to case."""
    return "".join(filter(str.isalnum, text.casefold()))


def said_beside(lines: Iterable[str], known: set[str]) -> Iterator[str]:
    """Yield the lines that say something new; of a line with the number of a page, what tabs divide from that.

    `known` is what the text says, as it is compared; it is told what comes to be known.
    """
    for line in lines:
        kept = [piece for piece in line.split("\t") if PAGE_NUMBER not in piece]
        said = " ".join(" ".join(kept).split())
        if has_words(said) and compared(said) not in known:
            known.add(compared(said))
            yield said
