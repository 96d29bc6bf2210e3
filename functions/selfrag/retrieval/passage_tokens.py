"""The tokens by which a passage is found, in both stores."""

from selfrag.domain.passages import Passage, embedded_text
from selfrag.text.file_names import file_name
from selfrag.text.search_tokens import tokens


def passage_tokens(passage: Passage) -> list[str]:
    """Return the tokens by which a passage is found: its title, its text, and its file's name if they lack it."""
    text, name = embedded_text(passage.title, passage.text), file_name(passage.document)
    return tokens(text if name in passage.title else f"{text}\n{name}")
