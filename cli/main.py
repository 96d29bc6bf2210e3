"""The `selfrag` command: ask, ingest, documents, search, trace, serve, smoke."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

# Log lines belong to CloudWatch, not between an answer and its reader; set before the handlers are imported.
os.environ.setdefault("POWERTOOLS_LOG_LEVEL", "CRITICAL")
os.environ.setdefault("POWERTOOLS_METRICS_DISABLED", "true")

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from ask.trace import steps_of
from selfrag.errors import InvalidInput, SelfragError
from selfrag.requests import read_request

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=__doc__)
out, err = Console(), Console(stderr=True)

Endpoint = Annotated[str, typer.Option(help="URL of a deployment, as `terraform output endpoint` prints it.")]
ApiKey = Annotated[str, typer.Option(envvar="SELFRAG_API_KEY", help="Key of the deployment's API.")]
Docs = Annotated[Path | None, typer.Option("--docs", help="Directory to ask; the sample handbook if left out.")]
Collection = Annotated[str, typer.Option(help="A collection that `ingest --collection` has named.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, alone on stdout.")]


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="The question, at most 2,000 characters.")],
    docs: Docs = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the response as JSON, alone on stdout.")] = False,
    policy: Annotated[str, typer.Option(help='Policy fields as JSON, such as {"top_k": 6}.')] = "",
    previous: Annotated[str, typer.Option(help="Id of the question that this one follows.")] = "",
    endpoint: Endpoint = "",
    api_key: ApiKey = "",
) -> None:
    """Answer a question from a directory of documents, or from a deployment's with --endpoint."""
    request = read_request(question, policy, previous)
    if endpoint and docs:
        raise InvalidInput("A deployment answers from its own documents: leave out --docs or --endpoint.")
    # What takes a second to load comes after what can be refused at once.
    from cli.show import show_response

    history: list[dict[str, Any]] = []
    if endpoint:
        from cli.remote import ask_remote

        response = ask_remote(request, endpoint, api_key)
    else:
        from cli.asking import ask_question

        with _progress() as progress, _current_step() as on_step:
            execution, report = ask_question(request, docs, progress, on_step)
        _warn(report.warnings)
        response, history = execution.output or {}, execution.history
    if as_json:
        _print_json(response)
    else:
        show_response(out, response, steps_of(history))
    if response["status"] == "failed":
        raise typer.Exit(1)


@app.command()
def ingest(
    directory: Annotated[Path, typer.Argument(help="A directory of Markdown, text, HTML, PDF, Word and CSV files.")],
    collection: Annotated[
        str, typer.Option(help="Name of the collection that is to hold this directory; by default it has its own.")
    ] = "",
) -> None:
    """Read a directory into the local index; unchanged files are skipped, removed ones are removed."""
    from cli.ingest import sync

    with _progress() as progress:
        report = sync(directory, progress, collection=collection)
    _warn(report.warnings)
    out.print(report.summary())


@app.command()
def documents(docs: Docs = None, collection: Collection = "", as_json: AsJson = False) -> None:
    """Show what became of each document that was read: its status, passages, pages, and the reason if it failed."""
    from cli.lookup import known_documents
    from cli.show import show_documents

    known = known_documents(docs, collection)
    if as_json:
        _print_json(known)
    else:
        show_documents(out, known)


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="What to look for.")],
    docs: Docs = None,
    collection: Collection = "",
    top_k: Annotated[int, typer.Option(min=1, max=50, help="How many passages to show.")] = 4,
    as_json: AsJson = False,
) -> None:
    """Find passages, with the scores of both searches; no model reads them."""
    from cli.lookup import search_passages
    from cli.show import show_passages

    with _progress() as progress:
        passages, report = search_passages(query, docs, collection, top_k, progress)
    _warn(report.warnings if report else [])
    if as_json:
        _print_json(passages)
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
    from cli.aws.kept import last_history
    from cli.show import show_steps

    history = last_history(execution_id)
    if history is None:
        raise InvalidInput("There is no such execution here; ask a question first.")
    if as_json:
        _print_json(history)
    else:
        show_steps(out, steps_of(history))


@app.command()
def serve(
    docs: Docs = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on 127.0.0.1; 0 takes a free one.")] = 8080,
) -> None:
    """Serve the HTTP API on this machine, over the local stack, until it is interrupted."""
    from cli.serve import serve_documents

    with _progress() as progress:
        serve_documents(docs, port, progress, lambda url: out.print(f"Serving {url}/v1/ask; end it with Ctrl-C."))


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
        _fail(str(error))
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:
        if os.environ.get("SELFRAG_DEBUG"):
            raise
        _fail(f"Unexpected {type(error).__name__}: {error} (set SELFRAG_DEBUG=1 to see where).")


def _fail(sentence: str) -> None:
    one_line = " ".join(sentence.encode("utf-8", "replace").decode().split())
    sys.stderr.write(f"selfrag: {one_line}\n")
    sys.exit(2)


def _print_json(value: Any) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def _warn(warnings: list[str]) -> None:
    for warning in warnings:
        sys.stderr.write(f"selfrag: warning: {warning}\n")


@contextmanager
def _progress() -> Iterator[Callable[[int, int, str], None]]:
    """A progress bar for ingestion, for a person at a terminal; it appears only if there is something to do."""
    columns = (TextColumn("Reading"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    bar = Progress(*columns, console=err, transient=True, disable=not err.is_terminal)
    task = bar.add_task("", total=None, visible=False)
    with bar:
        yield lambda done, total, name: bar.update(task, completed=done, total=total, description=name, visible=True)
        bar.update(task, visible=False)


@contextmanager
def _current_step() -> Iterator[Callable[[str], None]]:
    """The step that runs just now, on stderr, for a person at a terminal."""
    with err.status("starting") as status:
        yield lambda step: status.update(step)


if __name__ == "__main__":
    main()
