"""How large a text is to an embedding model, and how large a piece may be."""

from selfrag.text.east_asian import RUN

# English of this weight has about 230 tokens of multilingual-e5, which reads 512 at a time.
CAPACITY = 900
# What weighs less says little alone, and is kept together with its neighbours where that can be.
SMALL = 250


def weigh(text: str) -> int:
    """The size of a text in Latin letters: an East Asian character takes as many tokens as two and a half of them."""
    return len(text) if text.isascii() else len(text) + 3 * sum(map(len, RUN.findall(text))) // 2
