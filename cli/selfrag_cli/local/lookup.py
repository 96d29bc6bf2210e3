"""Lookups in the local index and its manifest, without a model and without the local stack."""

from typing import TypedDict

from selfrag.domain.errors import InvalidInput
from selfrag.domain.passages import Passage
from selfrag.domain.questions import Filters
from selfrag.domain.records import Record
from selfrag.retrieval.search import search
from selfrag_cli.local.index import open_embedder, open_index
from selfrag_cli.local.sources.embedding import embed_for
from selfrag_cli.local.sources.place import Place, source_of
from selfrag_cli.local.sources.progress import OnDocument
from selfrag_cli.local.sources.report import IngestionReport
from selfrag_cli.local.sources.sync import read
from selfrag_cli.local.stores.manifest import opened_manifest
from selfrag_cli.terminal import warn_of_wait


def stored_records(place: Place) -> list[Record]:
    """Return the manifest's record of each document of a place, and of each file that could not be read at all.

    Of a page that could not be read again the record says so in a warning. Raises InvalidInput if nothing of the place
    was ever ingested.
    """
    with opened_manifest() as manifest:
        records = manifest.records(place.collection)
    if not records:
        raise InvalidInput(f"Nothing of {place} has been read yet; use `selfrag ingest` first.")
    source = source_of(place.collection)
    for path, why in (source.unread if source else {}).items():
        key = f"{place.collection}/{path}"
        if record := records.get(key):
            records[key] = record.model_copy(update={"warnings": [*record.warnings, why]})
        else:
            updated_at = source.read_at if source else 0
            records[key] = Record(id="", key=key, status="failed", reason=why, updated_at=updated_at)
    return [records[key] for key in sorted(records)]


class DocumentRow(TypedDict):
    """The manifest's record of a document, for a reader: its reason and warnings name it without the collection."""

    document: str
    status: str
    reason: str
    title: str
    passages: int
    pages: int
    warnings: list[str]
    tags: list[str]
    date: str | None
    updated_at: int


def stored_documents(place: Place) -> list[DocumentRow]:
    """Return what the manifest says of each document of a place, as it is shown.

    Raises InvalidInput if nothing of it was ever ingested.
    """
    return [
        {
            "document": place.path_of(record.key),
            "status": record.status,
            "reason": place.path_of(record.reason),
            "title": place.path_of(record.title),
            "passages": record.passages,
            "pages": record.pages,
            "warnings": [place.path_of(warning) for warning in record.warnings],
            "tags": record.tags,
            "date": record.date,
            "updated_at": record.updated_at,
        }
        for record in stored_records(place)
    ]


class SearchHit(Passage):
    """A passage, with its scores by text and by vector; None where that search did not return it."""

    by_text: float | None
    by_vector: float | None


def search_passages(
    query: str, place: Place, filters: Filters, top_k: int, on_document: OnDocument
) -> tuple[list[SearchHit], int | None, IngestionReport | None]:
    """Return the best passages for a query.

    The second value is the number of passages that full text matched. A directory is brought up to date first; the
    report is of that. A named collection is searched as it is.
    """
    if not query.strip():
        raise InvalidInput("The query is empty: say what to look for.")
    report = read(place, on_document, on_wait=warn_of_wait) if place.directory else None
    embed_for(query, place.collection, on_document)
    embedder, bounds = open_embedder(), filters.within([place.collection])
    result = search(open_index(), [(query, embedder.query(query))], top_k, bounds, embedder.spread_floor)
    hits = [
        SearchHit(
            **dict(passage),
            by_text=result.by_text.get(passage.passage_id),
            by_vector=result.by_vector.get(passage.passage_id),
        )
        for passage in result.passages
    ]
    return hits, result.text_hits, report
