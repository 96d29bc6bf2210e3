"""The commands about documents: ingest, documents, search."""

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from selfrag.domain.questions import read_filters
from selfrag_cli.local.sources.place import AnotherDirectory, Place, place_to_ask, place_to_read
from selfrag_cli.local.sources.report import IngestionReport, MassRemoval, NothingUsable
from selfrag_cli.local.sources.site.notes import SiteLimits
from selfrag_cli.options import AsJson, Collection, Docs, Filters, IntoCollection
from selfrag_cli.terminal import agreed, out, print_json, print_line, reading_progress, warn, warn_of_wait

if TYPE_CHECKING:
    from collections.abc import Callable

    from selfrag_cli.local.sources.progress import OnDocument
    from selfrag_cli.local.sources.sync import Compare

    CompareWith = Callable[[OnDocument], Compare]


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

    Unchanged files are skipped, and files that are gone are removed from the index.
    """
    place = place_to_read(source, collection)
    limits = SiteLimits(depth, pages, megabytes)
    compare_with = partial(_compare_with, place, limits, private)
    report = _show_plan(place, compare_with) if dry_run else _read(place, compare_with, replacing)
    if report.site_note:
        print_line(report.site_note)
    print_line(report.summary())
    if strict and report.not_read:
        raise typer.Exit(1)


def _compare_with(place: Place, limits: SiteLimits, private: bool, on_document: "OnDocument") -> "Compare":
    """Return what compares a place with what is known of it; a site is fetched for that."""
    if not place.site:
        from selfrag_cli.local.sources.comparison import compare

        return compare
    from selfrag_cli.local.sources.site.walk import site_comparison

    return site_comparison(limits, on_document, private)


def _show_plan(place: Place, compare_with: "CompareWith") -> IngestionReport:
    from selfrag_cli.local.sources.sync import plan

    with reading_progress() as on_document:
        planned = plan(place, compare_with=compare_with(on_document))
    warn(planned.report.warnings)
    for line in planned.lines:
        print_line(f"would {line}")
    return planned.report


def _read(place: Place, compare_with: "CompareWith", replacing: bool) -> IngestionReport:
    from selfrag_cli.local.sources.sync import sync

    def may_replace(refusal: AnotherDirectory | MassRemoval) -> bool:
        question = "Remove them now?" if isinstance(refusal, MassRemoval) else "Read it in its place now?"
        if replacing or agreed(f"{refusal} {question}", otherwise=refusal):
            return True
        raise typer.Exit(1)

    try:
        with reading_progress() as on_document:
            compare = compare_with(on_document)
            report = sync(place, on_document, may_replace=may_replace, compare_with=compare, on_wait=warn_of_wait)
    except NothingUsable as error:
        if not error.report.removed:
            raise
        # That a directory was emptied is what was to be told, and no mistake.
        report = error.report
        warn([*report.warnings, str(error)])
    else:
        warn(report.warnings)
    return report


def documents(
    docs: Docs = None,
    collection: Collection = "",
    failed: Annotated[bool, typer.Option("--failed", help="Only those that could not be read.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show each document that was read: its status, passages, pages, and the reason if it failed."""
    place = place_to_ask(docs, collection)
    from selfrag_cli.local.lookup import stored_documents
    from selfrag_cli.show.documents import show_documents

    rows = [document for document in stored_documents(place) if not failed or document["status"] == "failed"]
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
    place, limits = place_to_ask(docs, collection), read_filters(filters)
    from selfrag_cli.local.lookup import search_passages
    from selfrag_cli.local.sources.embedding import embed_in_background
    from selfrag_cli.show.documents import show_passages

    with reading_progress() as on_document:
        hits, text_hits, report = search_passages(query, place, limits, top_k, on_document)
    warn([*(report.in_short(place) if report else []), *embed_in_background(place.collection)])
    if as_json:
        print_json([hit.model_dump(mode="json", exclude={"collection"}) for hit in hits])
    else:
        show_passages(out, hits, text_hits)
