"""Near-duplicates and newer versions among passages (pure)."""

from collections.abc import Sequence

from selfrag.domain.passages import Copy, Passage, embedded_text
from selfrag.text.near_duplicates import Text, is_other_version, near_duplicates

# So many copies of a passage name their documents: the state has room for the ids of all.
NAMED_COPIES = 20


def fold(passages: Sequence[Passage]) -> list[Passage]:
    """Return the passages without near-duplicates, in their order: the first one names the others as its `copies`."""
    groups = near_duplicates([_text_of(passage) for passage in passages])
    return [_name_copies(*(passages[place] for place in places)) for places in groups]


def newer_versions(passages: Sequence[Passage]) -> dict[str, str]:
    """Return the newest version, by passage id, of each passage that has a newer one among the others."""
    by_date = sorted(passages, key=lambda passage: passage.date or "")
    return {
        older.passage_id: newer.passage_id
        for place, older in enumerate(by_date)
        for newer in by_date[place + 1 :]
        if is_other_version(_text_of(older), _text_of(newer))
    }


def _text_of(passage: Passage) -> Text:
    return Text(_heading(passage), passage.text, passage.date)


def content_of(passage: Passage) -> str:
    """Return the text for embedding without the file name: it is equal for the same bytes under two names."""
    return embedded_text(_heading(passage), passage.text)


def _heading(passage: Passage) -> str:
    """Return the title without the file name, which replaces a missing document title."""
    return passage.title.removeprefix(passage.document.rsplit("/", 1)[-1])


def _name_copies(first: Passage, *others: Passage) -> Passage:
    if not others:
        return first
    copies = [
        Copy(passage_id=other.passage_id, document=other.document if number < NAMED_COPIES else "")
        for number, other in enumerate(others)
    ]
    return first.replace(copies=copies)
