"""What the local index and its manifest hold, without a model and without the local stack."""

from pathlib import Path
from typing import Any

from cli.local.aws.manifest import kept_manifest
from cli.local.files import SAMPLE_DOCUMENTS
from cli.local.index import collection_of, open_embedder, open_index
from cli.local.ingest import Progress, Report, checked_collection, sync
from selfrag.domain.errors import InvalidInput
from selfrag.domain.questions import Filters
from selfrag.ports.index import CANDIDATES, best

_SHOWN = ("status", "title", "passages", "pages", "reason", "warnings", "tags", "date", "updated_at")


def known_documents(directory: Path | None, collection: str) -> list[dict[str, Any]]:
    """What the manifest says of each document of a directory (the sample handbook if None), or of a collection.

    Raises InvalidInput if nothing of it was ever ingested.
    """
    refuse_both(directory, collection)
    chosen = collection or collection_of(directory or SAMPLE_DOCUMENTS)
    with kept_manifest() as manifest:
        records = manifest.records(chosen).values()
    if not records:
        named = f"the collection {collection}" if collection else directory or SAMPLE_DOCUMENTS
        raise InvalidInput(f"Nothing of {named} has been read yet; use `selfrag ingest` first.")
    prefix = f"{chosen}/"

    def shown(value: Any) -> Any:
        """A reason or warning begins with the document's key."""
        return value.removeprefix(prefix) if isinstance(value, str) else value

    return [
        {"document": shown(record.key)}
        | {name: shown(getattr(record, name)) for name in _SHOWN}
        | {"warnings": [shown(warning) for warning in record.warnings]}
        for record in records
    ]


def search_passages(
    query: str, directory: Path | None, collection: str, filters: Filters, top_k: int, progress: Progress
) -> tuple[list[dict[str, Any]], Report | None]:
    """The best passages for a query, each with its scores by text and by vector (None if not found so) and the sum.

    A directory (the sample handbook if None) is brought up to date before, which the report tells of; a collection is
    searched as it is.
    """
    refuse_both(directory, collection)
    if not query.strip():
        raise InvalidInput("The query is empty: say what to look for.")
    report = None if collection else sync(directory or SAMPLE_DOCUMENTS, progress)
    chosen = collection or collection_of(directory or SAMPLE_DOCUMENTS)
    found = open_index().search(query, open_embedder().query(query), CANDIDATES, filters.within([chosen]))
    by_text, by_vector = (
        {passage.passage_id: score for passage, score in one} for one in (found.by_text, found.by_vector)
    )
    passages = [
        {
            **passage.model_dump(exclude={"collection", "score"}),
            "by_text": by_text.get(passage.passage_id),
            "by_vector": by_vector.get(passage.passage_id),
            "score": passage.score,
        }
        for passage in best(found, top_k)
    ]
    return passages, report


def refuse_both(directory: Path | None, collection: str) -> None:
    """Raise InvalidInput for a name that is none, or one beside a directory."""
    if checked_collection(collection) and directory:
        raise InvalidInput("A named collection is looked at as it was ingested: leave out --docs or --collection.")
