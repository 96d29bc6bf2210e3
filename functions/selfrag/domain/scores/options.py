"""The one form in which an answer and the options of a closed set are compared (arXiv 2310.11511, B.2)."""

import re
import unicodedata

from selfrag.domain.scores.tokens import CONTROL

_SYNONYMS = {"supports": "true", "refutes": "false"}
_TOKENS = re.compile("|".join(map(re.escape, (*CONTROL, "<s>", "</s>", "<unk>"))))


def normal(text: str) -> str:
    """A text without control tokens, case, spaces around it and final marks: "(A)" is a, SUPPORTS is true."""
    bare = _TOKENS.sub(" ", unicodedata.normalize("NFKC", text))
    bare = re.sub(r"\s+", " ", bare).strip().casefold()
    bare = re.sub(r"^\((\w+)\)$", r"\1", bare.rstrip(".!?:;,。 "))
    return _SYNONYMS.get(bare, bare)
