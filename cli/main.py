"""The `selfrag` command: ask, ingest, documents, search, trace, serve, bench, smoke."""

import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

# Log lines belong to CloudWatch, not between an answer and its reader; set before the handlers are imported.
os.environ.setdefault("POWERTOOLS_LOG_LEVEL", "CRITICAL")
os.environ.setdefault("POWERTOOLS_METRICS_DISABLED", "true")

import typer

from ask.trace import steps_of
from cli.options import (
    ApiKey,
    AsJson,
    Collection,
    Docs,
    Endpoint,
    Filters,
    FirstParagraphs,
    FirstQuestions,
    IntoCollection,
    SquadFile,
)
from cli.place import place_to_ask, place_to_read
from cli.serving.port import refuse_busy
from cli.terminal import current_step, fail, measuring_progress, out, print_json, reading_progress, warn
from selfrag.errors import InvalidInput, SelfragError
from selfrag.requests import read_filters, read_request

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=__doc__)


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="The question, at most 2,000 characters.")],
    docs: Docs = None,
    collection: Collection = "",
    as_json: AsJson = False,
    policy: Annotated[str, typer.Option(help='Policy fields as JSON, such as {"top_k": 6}.')] = "",
    previous: Annotated[str, typer.Option(help="Id of the question that this one follows.")] = "",
    filters: Filters = "",
    endpoint: Endpoint = "",
    api_key: ApiKey = "",
) -> None:
    """Answer a question from a directory of documents, a named collection, or a deployment's with --endpoint."""
    request = read_request(question, policy, previous, filters)
    if endpoint and (docs or collection):
        raise InvalidInput("A deployment answers from its own documents: leave out --docs and --collection.")
    # What takes a second to load comes after what can be refused at once.
    from cli.show import show_response
    from cli.show_trace import causes

    history: list[dict[str, Any]] = []
    if endpoint:
        from cli.remote import ask_remote

        response = ask_remote(request, endpoint, api_key)
    else:
        place = place_to_ask(docs, collection)
        from cli.asking import ask_question

        with reading_progress() as on_document, current_step() as on_step:
            execution, report = ask_question(request, place, on_document, on_step)
        warn(report.warnings if report else [])
        response, history = execution.output or {}, execution.history
    if as_json:
        warn(causes(steps_of(history)))
        print_json(response)
    else:
        show_response(out, response, steps_of(history))
    if response["status"] == "failed":
        raise typer.Exit(1)


@app.command()
def ingest(
    directory: Annotated[Path, typer.Argument(help="A directory of Markdown, text, HTML, PDF, Word and CSV files.")],
    collection: IntoCollection = "",
) -> None:
    """Read a directory into the local index; unchanged files are skipped, removed ones are removed."""
    place = place_to_read(directory, collection)
    from cli.ingest import sync

    with reading_progress() as on_document:
        report = sync(place, on_document)
    warn(report.warnings)
    out.print(report.summary())


@app.command()
def documents(docs: Docs = None, collection: Collection = "", as_json: AsJson = False) -> None:
    """Show what became of each document that was read: its status, passages, pages, and the reason if it failed."""
    place = place_to_ask(docs, collection)
    from cli.lookup import known_documents
    from cli.show import show_documents

    known = known_documents(place)
    if as_json:
        print_json(known)
    else:
        show_documents(out, known)


@app.command()
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
    from cli.lookup import search_passages
    from cli.show import show_passages

    with reading_progress() as on_document:
        passages, report = search_passages(query, place, limits, top_k, on_document)
    warn(report.warnings if report else [])
    if as_json:
        print_json(passages)
    else:
        show_passages(out, passages)


@app.command()
def trace(
    question_id: Annotated[
        str, typer.Argument(metavar="[ID]", help="The id of a question; the last one if left out.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the execution history as JSON.")] = False,
) -> None:
    """Show an execution step by step: inputs, outputs and times."""
    from cli.aws.kept import last_execution
    from cli.show_trace import show_trace

    execution = last_execution(question_id)
    if execution is None:
        raise InvalidInput("There is no such execution here; ask a question first.")
    if as_json:
        print_json(execution[1])
    else:
        show_trace(out, *execution)


@app.command()
def serve(
    docs: Docs = None,
    collection: IntoCollection = "",
    writable: Annotated[
        bool, typer.Option("--writable", help="Let POST and DELETE /v1/documents change the directory of --docs.")
    ] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on 127.0.0.1; 0 takes a free one.")] = 8080,
) -> None:
    """Serve the HTTP API on this machine, over the local stack, until it is interrupted."""
    place = place_to_read(docs, collection)
    refuse_busy(port)
    from cli.serving.server import serve_documents

    def announce(url: str) -> None:
        out.print(f"Serving {url}/v1/ask; end it with Ctrl-C.")

    with reading_progress() as on_document:
        serve_documents(place, writable, port, on_document, announce)


@app.command()
def bench(
    data: SquadFile, limit: FirstQuestions = None, paragraphs: FirstParagraphs = None, as_json: AsJson = False
) -> None:
    """Measure search: how often full text, vectors and both find the paragraph that a question is about.

    A paragraph is one passage, under its article's title; impossible questions (2.0) are left out. Found means that
    the question's own paragraph, or one of the same text, is among the first. Vectors of paragraphs are kept in
    SELFRAG_BENCH_CACHE, by default in the user's cache directory.
    """
    from cli.bench.retrieval import measure, show_outcome

    with measuring_progress() as on_phase:
        outcome = measure(data, limit, paragraphs, on_phase)
    if as_json:
        print_json(asdict(outcome))
    else:
        show_outcome(out, outcome)


@app.command()
def smoke(endpoint: Annotated[str, typer.Argument(help="URL of a deployment.")], api_key: ApiKey = "") -> None:
    """Ask a deployment three questions and show where their traces are."""
    from cli.smoke import smoke as run

    if not run(out, endpoint, api_key):
        raise typer.Exit(1)


def main() -> None:
    """Run the command; an error is one sentence on stderr and a non-zero exit."""
    try:
        app()
    except SelfragError as error:
        fail(str(error))
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:
        if os.environ.get("SELFRAG_DEBUG"):
            raise
        fail(f"Unexpected {type(error).__name__}: {error} (set SELFRAG_DEBUG=1 to see where).")


if __name__ == "__main__":
    main()
