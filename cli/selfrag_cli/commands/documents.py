"""Commands for documents: ingest, documents, search."""

from dataclasses import replace
from typing import Annotated

import typer

from selfrag.domain.questions import read_filters
from selfrag_cli.local.sources.report import IngestionReport, MassRemoval, NothingUsable
from selfrag_cli.local.sources.site import SiteLimits
from selfrag_cli.local.sources.source import DocumentSource, SourceMismatch, source_to_ask, source_to_read
from selfrag_cli.options import AsJson, Collection, Docs, Filters, IntoCollection
from selfrag_cli.terminal import OnDocument, confirm, out, print_json, print_line, reading_progress, warn, warn_of_wait


def ingest(
    source: Annotated[
        str,
        typer.Argument(
            metavar="DIRECTORY|ADDRESS",
            help="A directory of documents, in which links are not followed; or the address of a site's first page, "
            "from which its links are.",
        ),
    ],
    collection: IntoCollection = "",
    replacing: Annotated[
        bool, typer.Option("--replace", help="Replace what the collection was read from, or remove most of it.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit code 1 if a document could not be read.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")] = False,
    depth: Annotated[
        int, typer.Option(min=0, help="Of a site: the most links from its first page.")
    ] = SiteLimits.depth,
    pages: Annotated[int, typer.Option(min=1, help="Of a site: the most addresses to request.")] = SiteLimits.pages,
    megabytes: Annotated[int, typer.Option(min=1, help="Of a site: the most MB to fetch.")] = SiteLimits.megabytes,
    private: Annotated[bool, typer.Option("--private", help="Of a site: its host is in a private network.")] = False,
) -> None:
    """Read a directory or a site into the local index, and report on every file or page.

    Unchanged files are skipped; deleted files are removed from the index.
    """
    place = source_to_read(source, collection)
    limits = SiteLimits(depth, pages, megabytes, private)
    with reading_progress() as on_document:
        report = _read(place, on_document, limits, replacing, dry_run)
    warn(report.warnings)
    for line in report.plan:
        print_line(f"would {line}")
    if report.site_note:
        print_line(report.site_note)
    print_line(report.summary())
    if strict and report.not_read:
        raise typer.Exit(1)


def _read(
    source: DocumentSource, on_document: OnDocument, limits: SiteLimits, replacing: bool, dry_run: bool
) -> IngestionReport:
    def may_replace(refusal: SourceMismatch | MassRemoval) -> bool:
        question = "Remove them now?" if isinstance(refusal, MassRemoval) else "Read it in its place now?"
        if replacing or confirm(f"{refusal} {question}", otherwise=refusal):
            return True
        raise typer.Exit(1)

    from selfrag_cli.local.sources.sync import embed_all, read

    try:
        report = read(
            source, on_document, may_replace=may_replace, limits=limits, on_wait=warn_of_wait, is_trial=dry_run
        )
        if not dry_run:
            embed_all(source.collection, on_document, on_wait=warn_of_wait)
        return report
    except NothingUsable as error:
        if not error.report.removed:
            raise
        # An emptied directory is not an error; the report covers it.
        return replace(error.report, warnings=[*error.report.warnings, str(error)])


def documents(
    docs: Docs = None,
    collection: Collection = "",
    failed: Annotated[bool, typer.Option("--failed", help="Only those that could not be read.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show each document that was read: its status, passages, pages, and the reason if it failed."""
    source = source_to_ask(docs, collection)
    from selfrag_cli.local.asking import stored_documents
    from selfrag_cli.show.documents import show_documents

    rows = [document for document in stored_documents(source) if not failed or document["status"] == "failed"]
    if as_json:
        print_json(rows)
    else:
        show_documents(out, rows)


def search(
    query: Annotated[str, typer.Argument(help="What to look for.")],
    docs: Docs = None,
    collection: Collection = "",
    filters: Filters = "",
    top_k: Annotated[int, typer.Option(min=1, max=50, help="How many passages to show.")] = 4,
    as_json: AsJson = False,
) -> None:
    """Find passages, with the scores of both searches; no model reads them."""
    source, limits = source_to_ask(docs, collection), read_filters(filters)
    from selfrag_cli.local.asking import search_passages
    from selfrag_cli.local.sources.sync import embed_in_background
    from selfrag_cli.show.documents import show_passages

    with reading_progress() as on_document:
        hits, text_hits, report = search_passages(query, source, limits, top_k, on_document)
    warn([*(report.brief_lines(source) if report else []), *embed_in_background(source.collection)])
    if as_json:
        print_json([hit.model_dump(mode="json", exclude={"collection"}) for hit in hits])
    else:
        show_passages(out, hits, text_hits)
