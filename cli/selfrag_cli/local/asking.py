"""Local questions and searches, which first bring the documents up to date."""

import uuid
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager
from typing import TYPE_CHECKING, Any

from selfrag.domain.errors import InvalidInput, SelfragError
from selfrag.domain.passages import Passage
from selfrag.domain.questions import AskRequest, Filters
from selfrag.domain.records import Record
from selfrag.retrieval.search import search
from selfrag_cli.local.backends import DEFAULT_SETUP, Setup, check_services, choose_backends, has_web, policy_fields
from selfrag_cli.local.index import open_embedder, open_index
from selfrag_cli.local.sources.report import IngestionReport
from selfrag_cli.local.sources.source import DocumentSource, stored_source
from selfrag_cli.local.sources.sync import embed_for, read
from selfrag_cli.local.stores.bindings import LocalBindings
from selfrag_cli.local.stores.manifest import LocalManifest, opened_manifest
from selfrag_cli.local.stores.tables import ANSWERS, Items
from selfrag_cli.terminal import OnDocument, warn_of_wait

if TYPE_CHECKING:
    from selfrag.bootstrap import Parts
    from selfrag_cli.local.runner.machine import Execution
    from selfrag_cli.local.stack import OnStep
    from selfrag_cli.local.stores.executions import LocalExecutions, OnEnd


def ask_question(
    request: AskRequest,
    source: DocumentSource,
    on_document: OnDocument,
    steps: "Callable[[], AbstractContextManager[OnStep]]",
) -> "tuple[Execution, IngestionReport | None]":
    """Answer a question from a source and store answer, verdicts and history; Ctrl-C ends the execution.

    Reads a changed directory first and reports on it. `steps` shows each step as it begins. Raises InvalidInput for an
    unknown collection or earlier question, Misconfigured for a service without a URL.
    """
    if request.previous:
        with closing(Items()) as items:
            if items.get(ANSWERS, request.previous) is None:
                raise InvalidInput(f"There is no answer with the id {request.previous} here; ask its question again.")
    if source.directory is None:
        stored_records(source)
    check_services()
    report = read(source, on_document, on_wait=warn_of_wait) if source.directory else None
    embed_for(request.question, source.collection, on_document)
    payload = request.execution_input([source.collection])
    payload["policy"] |= policy_fields(request, source)
    execution = _execute(payload, source, steps)
    if execution.output is None:
        raise SelfragError(f"The workflow did not end as it should: {execution.error}")
    return execution, report


def _execute(
    payload: Mapping[str, object], source: DocumentSource, steps: "Callable[[], AbstractContextManager[OnStep]]"
) -> "Execution":
    # Stops the execution, which may not have begun yet.
    begun: Future[Callable[[], None]] = Future()

    def run() -> "Execution":
        with steps() as on_step, open_executions(source, on_step=on_step) as (executions, _):
            return executions.execute(uuid.uuid4().hex, payload, begun.set_result)

    # Only the main thread gets Ctrl-C: in a worker thread it cannot interrupt imports or the step display.
    with ThreadPoolExecutor(1) as pool:
        execution = pool.submit(run)
        try:
            return execution.result()
        except KeyboardInterrupt:
            begun.add_done_callback(lambda done: done.result()())
            raise


@contextmanager
def open_executions(
    source: DocumentSource,
    setup: Setup = DEFAULT_SETUP,
    on_step: "OnStep" = lambda step: None,
    keeps_histories: bool = True,
    on_end: "OnEnd" = lambda execution: None,
) -> "Iterator[tuple[LocalExecutions, LocalManifest]]":
    """Yield the executions for a source that is up to date, with its manifest and all that the API needs."""
    # Imported late: invalid requests are refused before the slow imports.
    from selfrag_cli.local.stack import running_stack

    backends = choose_backends(source)
    with opened_manifest() as manifest:
        environment = {
            **backends.environment,
            "SELFRAG_WEB_SEARCH": str(has_web(source)).lower(),
            **({"SELFRAG_PROFILE": setup.profile} if setup.profile else {}),
        }
        parts: Parts = {
            "index": open_index(),
            "embedder": open_embedder(),
            **backends.parts,
            "prompts": dict(setup.prompts),
            "manifest": manifest,
            "bindings": LocalBindings(source.collection),
        }
        with running_stack(environment, backends.secrets, parts, on_step, keeps_histories, on_end) as executions:
            yield executions, manifest


def stored_records(source: DocumentSource) -> list[Record]:
    """Return the manifest's records of a source, and of its unreadable files.

    Pages that could not be fetched again have a warning. Raises InvalidInput if the source was never ingested.
    """
    with opened_manifest() as manifest:
        records = manifest.records(source.collection)
    if not records:
        raise InvalidInput(f"Nothing of {source} has been read yet; use `selfrag ingest` first.")
    stored = stored_source(source.collection)
    for path, why in (stored.unread if stored else {}).items():
        key = f"{source.collection}/{path}"
        if record := records.get(key):
            records[key] = record.model_copy(update={"warnings": [*record.warnings, why]})
        else:
            updated_at = stored.read_at if stored else 0
            records[key] = Record(id="", key=key, status="failed", reason=why, updated_at=updated_at)
    return [records[key] for key in sorted(records)]


def stored_documents(source: DocumentSource) -> list[dict[str, Any]]:
    """Return a source's records for display: `document`, reason, title and warnings omit the collection.

    Raises InvalidInput if the source was never ingested.
    """
    return [
        {
            "document": source.path_of(record.key),
            "status": record.status,
            "reason": source.path_of(record.reason),
            "title": source.path_of(record.title),
            "passages": record.passages,
            "pages": record.pages,
            "warnings": [source.path_of(warning) for warning in record.warnings],
            "tags": record.tags,
            "date": record.date,
            "updated_at": record.updated_at,
        }
        for record in stored_records(source)
    ]


class SearchHit(Passage):
    """A passage with its text and vector scores; None if that search did not return it."""

    by_text: float | None
    by_vector: float | None


def search_passages(
    query: str, source: DocumentSource, filters: Filters, top_k: int, on_document: OnDocument
) -> tuple[list[SearchHit], int | None, IngestionReport | None]:
    """Return the best passages for a query and the number of full-text matches.

    A changed directory is read first and reported on; a named collection is not.
    """
    if not query.strip():
        raise InvalidInput("The query is empty: say what to look for.")
    report = read(source, on_document, on_wait=warn_of_wait) if source.directory else None
    embed_for(query, source.collection, on_document)
    embedder, bounds = open_embedder(), filters.search_bounds([source.collection])
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
