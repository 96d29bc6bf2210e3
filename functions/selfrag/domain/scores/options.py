"""Normalization for comparing answers with the options of a closed set (arXiv 2310.11511, B.2)."""

import re
import unicodedata

_SYNONYMS = {"supports": "true", "refutes": "false"}


def normal(text: str) -> str:
    """Normalize case, outer spaces and final marks: "(A)" is a, SUPPORTS is true."""
    bare = " ".join(unicodedata.normalize("NFKC", text).split()).casefold()
    bare = re.sub(r"^\((\w+)\)$", r"\1", bare.rstrip(".!?:;,。 "))
    return _SYNONYMS.get(bare, bare)
