"""The reflection tokens of the paper's model, as it writes them (arXiv 2310.11511, table 1), worst first in a group."""

import re

RETRIEVE = ("[No Retrieval]", "[Retrieval]", "[Continue to Use Evidence]")
RELEVANCE = ("[Irrelevant]", "[Relevant]")
SUPPORT = ("[No support / Contradictory]", "[Partially supported]", "[Fully supported]")
UTILITY = ("[Utility:1]", "[Utility:2]", "[Utility:3]", "[Utility:4]", "[Utility:5]")
PARAGRAPH, END_OF_PARAGRAPH = "<paragraph>", "</paragraph>"
# Whatever of these stands in a string prompt is a token to the server, and none of them may stand in an answer.
CONTROL = (*RETRIEVE, *RELEVANCE, *SUPPORT, *UTILITY, PARAGRAPH, END_OF_PARAGRAPH, "<pad>")
END = "</s>"
# What else the server takes for a token of its own.
MARKERS = (*CONTROL, "<s>", END, "<unk>")
_MARKER = re.compile("|".join(map(re.escape, MARKERS)))


def words_of(text: str) -> str:
    """Remove the model's own tokens from a text, and those that come about when another is removed."""
    while (bare := _MARKER.sub(" ", text)) != text:
        text = bare
    return re.sub(r"[ \t]+", " ", text).strip()
