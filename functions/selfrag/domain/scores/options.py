"""The one form in which an answer and the options of a closed set are compared (arXiv 2310.11511, B.2)."""

import re
import unicodedata

_SYNONYMS = {"supports": "true", "refutes": "false"}


def normal(text: str) -> str:
    """Return a text without case, spaces around it and final marks: "(A)" is a, SUPPORTS is true."""
    bare = " ".join(unicodedata.normalize("NFKC", text).split()).casefold()
    bare = re.sub(r"^\((\w+)\)$", r"\1", bare.rstrip(".!?:;,。 "))
    return _SYNONYMS.get(bare, bare)
