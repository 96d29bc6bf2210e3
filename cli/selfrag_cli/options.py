"""The options that commands share."""

from typing import Annotated

import typer

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
Collection = Annotated[str, typer.Option(help="A collection that `ingest --collection` has named.")]
IntoCollection = Annotated[
    str, typer.Option("--collection", help="Name of the collection to read it into; it has its own else.")
]
FeedbackOf = Annotated[
    str, typer.Option("--name", help="Name of the deployment whose feedback it is; this laptop's if left out.")
]
Region = Annotated[str | None, typer.Option(help="Its region; that of your AWS configuration if left out.")]
Filters = Annotated[str, typer.Option(help='What to limit the search to, as JSON, such as {"tags": ["people"]}.')]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, alone on stdout.")]
