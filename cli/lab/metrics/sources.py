"""Comparison of documents and quotes with those that are known to hold the answer."""

from collections.abc import Callable, Sequence


def same_document(one: str, other: str) -> bool:
    """Return whether two names can be of one document: a set may leave out first folders of a name, or have more."""
    names = [name.removeprefix("./").split("/") for name in (one, other)]
    shared = min(map(len, names))
    return names[0][-shared:] == names[1][-shared:]


def quoted_from(quote: str, passage: str) -> bool:
    """Return whether a quote stands in a passage, however the two are broken into lines."""
    words = " ".join(quote.split())
    return bool(words) and words in " ".join(passage.split())


def share_found(found: Sequence[str], wanted: Sequence[str], is_of: Callable[[str, str], bool]) -> float:
    """Return the share of what is wanted, which is something, that was found; 0 to 1."""
    return sum(any(is_of(one, right) for one in found) for right in wanted) / len(wanted)
