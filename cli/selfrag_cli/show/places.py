"""Names of places of passages and quotes, unique enough to find them."""

from collections import Counter
from collections.abc import Mapping, Sequence

from selfrag.domain.history import Step
from selfrag_cli.terminal import make_visible

_BEGINNING = 60


def place_of(passage: Mapping[str, object]) -> str:
    """Return a passage's or citation's place: document, page, slide, sheet or row, and heading."""
    page, heading = passage.get("page"), passage.get("heading")
    # Knowledge base passages only have a page.
    where = passage.get("locator") or (f"page {page}" if page else "")
    return (
        f"{make_visible(str(passage['document']))}{f', {where}' if where else ''}{f' > {heading}' if heading else ''}"
    )


def copies_of(documents: Sequence[str], count: int) -> str:
    """Return the number of copies and their documents."""
    names = list(dict.fromkeys(make_visible(document) for document in documents if document))
    more = ", ..." if len(names) < count else ""
    return f"also in {count} cop{'y' if count == 1 else 'ies'}: {', '.join(names)}{more}"


def places(steps: Sequence[Step]) -> dict[str, str]:
    """Return each retrieved passage's place by id; equal places are distinguished by first words."""
    results = [step.result["passages"] for step in steps if isinstance(step.result, dict) and "passages" in step.result]
    passages = {passage["passage_id"]: passage for result in results for passage in result}
    shared = Counter(map(place_of, passages.values()))
    return {
        passage_id: place if shared[place := place_of(passage)] == 1 else f"{place}: {_first_words(passage)}"
        for passage_id, passage in passages.items()
    }


def _first_words(passage: Mapping[str, object]) -> str:
    """Return a passage's first words below its heading, which the place already names."""
    text, heading = " ".join(str(passage.get("text", "")).lstrip("# ").split()), str(passage.get("heading") or "")
    below = text.removeprefix(heading).strip() or text
    return below if len(below) <= _BEGINNING else f"{below[:_BEGINNING].rstrip()} ..."
