"""Options shared by commands."""

from typing import Annotated

import typer

from selfrag.domain.errors import InvalidInput
from selfrag_cli.local.sources.source import DocumentSource, source_to_ask

Endpoint = Annotated[str, typer.Option(help="URL of a deployment, as `terraform output endpoint` prints it.")]
ApiKey = Annotated[str, typer.Option(envvar="SELFRAG_API_KEY", help="Key of the deployment's API.")]
Docs = Annotated[
    str | None,
    typer.Option(
        "--docs",
        metavar="DIRECTORY",
        help="Directory to ask, or the address of a site as it was ingested; the sample handbook if left out.",
    ),
]
Collection = Annotated[str, typer.Option(help="Name of a collection that `ingest --collection` has read.")]
IntoCollection = Annotated[
    str, typer.Option("--collection", help="Collection to read it into; a collection of its own if left out.")
]
Filters = Annotated[str, typer.Option(help='What to limit the search to, as JSON, such as {"tags": ["people"]}.')]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, alone on stdout.")]


def source_unless_deployed(endpoint: str, docs: str | None, collection: str) -> DocumentSource | None:
    """Return the source to ask, None for a deployment; raises InvalidInput for both."""
    if endpoint and (docs or collection):
        raise InvalidInput("A deployment answers from its own documents: leave out --docs and --collection.")
    return None if endpoint else source_to_ask(docs, collection)
