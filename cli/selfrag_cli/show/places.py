"""The names of places of passages and quotes, by which a person can look them up and tell them apart."""

from collections import Counter
from collections.abc import Mapping, Sequence

from selfrag.domain.history import Step
from selfrag_cli.terminal import visible

_BEGINNING = 60


def place_of(passage: Mapping[str, object]) -> str:
    """Return where a passage or a citation stands: document, page, slide, sheet or row, and the heading above."""
    page, heading = passage.get("page"), passage.get("heading")
    # A passage of a knowledge base has a page alone.
    where = passage.get("locator") or (f"page {page}" if page else "")
    return f"{visible(str(passage['document']))}{f', {where}' if where else ''}{f' > {heading}' if heading else ''}"


def copies_of(documents: Sequence[str], count: int) -> str:
    """Return how many copies a passage has, and in which documents."""
    names = list(dict.fromkeys(visible(document) for document in documents if document))
    more = ", ..." if len(names) < count else ""
    return f"also in {count} cop{'y' if count == 1 else 'ies'}: {', '.join(names)}{more}"


def places(steps: Sequence[Step]) -> dict[str, str]:
    """Return the place of each retrieved passage by its id; passages of the same place say how they begin."""
    results = [step.result["passages"] for step in steps if isinstance(step.result, dict) and "passages" in step.result]
    passages = {passage["passage_id"]: passage for result in results for passage in result}
    shared = Counter(map(place_of, passages.values()))
    return {
        passage_id: place if shared[place := place_of(passage)] == 1 else f"{place}: {_beginning(passage)}"
        for passage_id, passage in passages.items()
    }


def _beginning(passage: Mapping[str, object]) -> str:
    """Return the first words of a passage, below the heading that its place names already."""
    text, heading = " ".join(str(passage.get("text", "")).lstrip("# ").split()), str(passage.get("heading") or "")
    below = text.removeprefix(heading).strip() or text
    return below if len(below) <= _BEGINNING else f"{below[:_BEGINNING].rstrip()} ..."
