"""The index of passages: search, writes, and the best passages of its two searches, without near-duplicates."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Protocol

from selfrag.domain.passages import Bounds, Candidates, Copy, Passage, embedded_text
from selfrag.text.file_names import is_named
from selfrag.text.fusion import fuse
from selfrag.text.near_duplicates import Text, is_other_version, near_duplicates

CANDIDATES = 50
MAX_SEARCHES = 3
# So many copies of a passage name their documents: the state has room for the ids of all.
NAMED_COPIES = 20


class PassageIndex(Protocol):
    """The index that is searched; every search stays within bounds."""

    def search(self, text: str, vector: Sequence[float] | None, size: int, bounds: Bounds) -> Candidates:
        """Return the best passages by text and by vector, at most `size` of each; by text alone without one."""

    def fetch(self, passage_ids: Sequence[str], bounds: Bounds) -> list[Passage]:
        """Return the passages with these ids, without those gone or out of bounds (`without` bounds only a search)."""


@dataclass(frozen=True)
class IndexEntry:
    """A passage to write, its vector of length 1, and its place in the document."""

    passage: Passage
    vector: Sequence[float]
    position: int = 0


@dataclass
class WriteOutcome:
    """The outcome of a write, by passage id.

    `ids` are the service's own, which are needed to delete. `failed` were not written: the name of an error says why.
    `unknown` got no reply and may be written: call `service_ids` later, before they are added again.
    """

    ids: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)


class PassageWriter(Protocol):
    """The index that ingestion writes to: it assigns its own ids, and a write can be searched after some time."""

    def add(self, entries: Sequence[IndexEntry]) -> WriteOutcome:
        """Write passages, each once."""

    def delete(self, ids: Iterable[str]) -> None:
        """Delete by the index's own ids; one that is gone already is no error."""

    def service_ids(self, passage_ids: Sequence[str], collections: Sequence[str]) -> dict[str, list[str]]:
        """Return the index's own ids of the passages that can be searched by now."""


class Index(PassageIndex, PassageWriter, Protocol):
    """An index to search and to write to."""


@dataclass(frozen=True)
class SearchResult:
    """The best passages of a search, with near-duplicates folded.

    `text_hits` is the first query's; `by_text` and `by_vector` are the scores of all hits by passage id. `warnings` say
    what a search left out.
    """

    passages: list[Passage]
    text_hits: int | None
    by_text: dict[str, float]
    by_vector: dict[str, float]
    warnings: Sequence[str] = ()


def search(
    index: PassageIndex,
    queries: Sequence[tuple[str, Sequence[float] | None]],
    top_k: int,
    bounds: Bounds,
    spread_floor: float,
) -> SearchResult:
    """Search for each query and its vector, and return the best passages of each in turn.

    Passages of a document that a query names by its file come first. If near-duplicates filled the lists, so that fewer
    than `top_k` passages are left, it searches again without them.
    """
    hits: dict[str, Passage] = {}
    scores: tuple[dict[str, float], dict[str, float]] = ({}, {})
    passages: list[Passage] = []
    text_hits: int | None = None
    warnings: dict[str, None] = {}
    for attempt in range(MAX_SEARCHES):
        unseen = replace(bounds, without=[*bounds.without, *hits])
        lists = [index.search(text, vector, CANDIDATES, unseen) for text, vector in queries]
        texts = [text for text, _ in queries]
        for rank in zip_longest(*map(_named_first, texts, (ranked(candidates, spread_floor) for candidates in lists))):
            for passage in filter(None, rank):
                hits.setdefault(passage.passage_id, passage)
        for candidates in lists:
            for ranking, by_id in zip((candidates.by_text, candidates.by_vector), scores, strict=True):
                by_id.update({passage.passage_id: score for passage, score in ranking})
            warnings.update(dict.fromkeys(candidates.warnings))
        if not attempt and lists:
            text_hits = lists[0].text_hits
        passages = fold(list(hits.values()))
        if len(passages) >= top_k or not any(each.text_full or each.vector_full for each in lists):
            break
    return SearchResult(passages[:top_k], text_hits, *scores, list(warnings))


def _named_first(query: str, passages: Sequence[Passage]) -> list[Passage]:
    return sorted(passages, key=lambda passage: not is_named(query, passage.document))


def best(candidates: Candidates, top_k: int, spread_floor: float = 0.0) -> list[Passage]:
    """Return the best passages of both searches, each with its fused score and its near-duplicates."""
    return fold(ranked(candidates, spread_floor))[:top_k]


def ranked(candidates: Candidates, spread_floor: float) -> list[Passage]:
    """Return all passages of both searches, best first, each with its fused score."""
    hits = (candidates.by_text, candidates.by_vector)
    passages = {passage.passage_id: passage for search in hits for passage, _ in search}
    by_text, by_vector = ({passage.passage_id: score for passage, score in search} for search in hits)
    fused = fuse(
        by_text,
        by_vector,
        text_full=candidates.text_full,
        spread_floor=spread_floor,
        unembedded=candidates.unembedded,
    )
    return [passages[i].model_copy(update={"score": round(score, 4)}) for i, score in fused.items()]


def fold(passages: Sequence[Passage]) -> list[Passage]:
    """Return the passages without near-duplicates, in their order: the first one names the others as its `copies`."""
    groups = near_duplicates([_text_of(passage) for passage in passages])
    return [_with_copies(*(passages[place] for place in places)) for places in groups]


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


def numbered_versions(passages: Sequence[Passage]) -> dict[str, object]:
    """Return the pairs of an older passage and its newer version, by number, as a field of IsSup; none without one."""
    numbers = {passage.passage_id: number for number, passage in enumerate(passages, start=1)}
    pairs = [{"passage": numbers[old], "newer": numbers[new]} for old, new in newer_versions(passages).items()]
    return {"newer_versions": pairs} if pairs else {}


def content_of(passage: Passage) -> str:
    """Return the text for embedding without the file name: it is equal for the same bytes under two names."""
    return embedded_text(_heading(passage), passage.text)


def _heading(passage: Passage) -> str:
    """Return the title without the file name, which stands in it where the document has no title of its own."""
    return passage.title.removeprefix(passage.document.rsplit("/", 1)[-1])


def _with_copies(first: Passage, *others: Passage) -> Passage:
    if not others:
        return first
    copies = [
        Copy(passage_id=other.passage_id, document=other.document if number < NAMED_COPIES else "")
        for number, other in enumerate(others)
    ]
    return first.model_copy(update={"copies": copies})
