"""Commands that serve: the HTTP API with its page, and tools for agents."""

import secrets
import signal
import sys
from typing import Annotated

import typer

from selfrag_cli.local.sources.source import source_to_ask, source_to_read
from selfrag_cli.options import Collection, Docs
from selfrag_cli.terminal import print_line, reading_progress


def serve(
    docs: Docs = None,
    collection: Annotated[
        str, typer.Option(help="Collection to read --docs into; without --docs, the collection to serve.")
    ] = "",
    writable: Annotated[
        bool, typer.Option("--writable", help="Let POST and DELETE /v1/documents change the directory of --docs.")
    ] = False,
    with_token: Annotated[
        bool,
        typer.Option("--token", help="Require the token of the printed link as the key; --writable requires it, too."),
    ] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on 127.0.0.1; 0 takes a free one.")] = 8080,
    cors: Annotated[
        list[str] | None,
        typer.Option(
            "--cors",
            metavar="ORIGIN",
            help="Let pages of this origin ask, such as https://app.example.com; more than once. '*' is any page.",
        ),
    ] = None,
) -> None:
    """Serve the HTTP API on this machine, over the local stack, until it is interrupted."""
    from selfrag_cli.local.serving.gateway import origins_of
    from selfrag_cli.local.serving.http import refuse_busy

    origins = origins_of(cors or [])
    source = source_to_read(docs, collection) if docs else source_to_ask(None, collection)
    refuse_busy(port)
    from selfrag_cli.local.backends import LOCAL_DEADLINE_SECONDS, local_model_in_short
    from selfrag_cli.local.serving.server import serve_documents

    token = secrets.token_urlsafe(32) if writable or with_token else ""

    def announce(url: str) -> None:
        # Browsers do not send fragments, so the token stays out of logs and Referer headers.
        page = f"{url}/#token={token}" if token else f"{url}/"
        print_line(f"Serving {url}/v1/ask, and a page to ask on at {page}; end it with Ctrl-C.")
        for line in local_model_in_short(LOCAL_DEADLINE_SECONDS):
            print_line(line)
        if token:
            print_line("The token in that link is the key of the API, for the header x-api-key or SELFRAG_API_KEY.")
        if writable:
            print_line(f"DELETE /v1/documents deletes files in {docs}, also for a program that tests the API.")
        sys.stdout.flush()

    with reading_progress() as on_document:
        serve_documents(source, writable, port, origins, token, on_document, announce)


def mcp(docs: Docs = None, collection: Collection = "") -> None:
    """Serve tools for agents over stdin and stdout, by the Model Context Protocol."""
    source = source_to_ask(docs, collection)
    # The thread that reads stdin would delay the exit after Ctrl-C.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    import asyncio

    from selfrag_cli.local.serving.agent_service import laptop_service
    from selfrag_cli.local.serving.agents import serve_stdio

    with laptop_service(source) as service:
        asyncio.run(serve_stdio(service))
