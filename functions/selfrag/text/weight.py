"""The weight of a text for an embedding model, and the most weight of a piece."""

from selfrag.text.east_asian import RUN

# English of this weight has about 230 tokens of multilingual-e5, which reads 512 at a time.
CAPACITY = 900
# A lighter piece says little alone, and is joined to its neighbours where possible.
SMALL = 250


def estimate_tokens(text: str) -> int:
    """Return the size of a text in Latin letters: an East Asian character takes two and a half times as many tokens."""
    return len(text) if text.isascii() else len(text) + 3 * sum(map(len, RUN.findall(text))) // 2
