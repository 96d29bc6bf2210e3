"""Estimated token counts for the embedding model, and limits of a piece."""

from selfrag.text.east_asian import RUN

# English text of this size has about 230 tokens of multilingual-e5, which reads 512 at a time.
CAPACITY = 900
# Smaller pieces say little alone and are joined to their neighbours if possible.
SMALL = 250


def estimate_tokens(text: str) -> int:
    """Return a text's size in Latin letters; an East Asian character counts two and a half, like its tokens."""
    return len(text) if text.isascii() else len(text) + 3 * sum(map(len, RUN.findall(text))) // 2
