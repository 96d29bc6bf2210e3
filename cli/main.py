"""The `selfrag` command: ask, ingest, documents, search, trace, serve, smoke."""

import os
import sys
from pathlib import Path
from typing import Annotated, Any

# Log lines belong to CloudWatch, not between an answer and its reader; set before the handlers are imported.
os.environ.setdefault("POWERTOOLS_LOG_LEVEL", "CRITICAL")
os.environ.setdefault("POWERTOOLS_METRICS_DISABLED", "true")

import typer

from cli.options import ApiKey, AsJson, Collection, Docs, Endpoint, Filters, IntoCollection
from cli.terminal import current_step, fail, out, print_json, reading_progress, warn
from selfrag.domain.errors import InvalidInput, SelfragError
from selfrag.domain.history import steps_of
from selfrag.domain.questions import read_filters, read_request

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

    history: list[dict[str, Any]] = []
    if endpoint:
        from cli.remote import ask_remote

        response = ask_remote(request, endpoint, api_key)
    else:
        from cli.local.asking import ask_question

        with reading_progress() as progress, current_step() as on_step:
            execution, report = ask_question(request, docs, progress, on_step, collection)
        warn(report.warnings if report else [])
        response, history = execution.output or {}, execution.history
    if as_json:
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
    from cli.local.ingest import sync

    with reading_progress() as progress:
        report = sync(directory, progress, collection=collection)
    warn(report.warnings)
    out.print(report.summary())


@app.command()
def documents(docs: Docs = None, collection: Collection = "", as_json: AsJson = False) -> None:
    """Show what became of each document that was read: its status, passages, pages, and the reason if it failed."""
    from cli.local.lookup import known_documents
    from cli.show import show_documents

    known = known_documents(docs, collection)
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
    from cli.local.lookup import search_passages
    from cli.show import show_passages

    limits = read_filters(filters)
    with reading_progress() as progress:
        passages, report = search_passages(query, docs, collection, limits, top_k, progress)
    warn(report.warnings if report else [])
    if as_json:
        print_json(passages)
    else:
        show_passages(out, passages)


@app.command()
def trace(
    execution_id: Annotated[
        str, typer.Argument(metavar="[ID]", help="The id of an answer; the last one if left out.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the execution history as JSON.")] = False,
) -> None:
    """Show an execution step by step: inputs, outputs and times."""
    from cli.local.aws.kept import last_history
    from cli.show import show_steps

    history = last_history(execution_id)
    if history is None:
        raise InvalidInput("There is no such execution here; ask a question first.")
    if as_json:
        print_json(history)
    else:
        show_steps(out, steps_of(history))


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
    from cli.local.serving.server import serve_documents

    def announce(url: str) -> None:
        out.print(f"Serving {url}/v1/ask; end it with Ctrl-C.")

    with reading_progress() as progress:
        serve_documents(docs, collection, writable, port, progress, announce)


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
