"""The options that commands share."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from cli.bench.squad import PARAGRAPHS


class Tool(StrEnum):
    """What answers can be written for."""

    RAGAS = "ragas"
    DEEPEVAL = "deepeval"
    LANGFUSE = "langfuse"


Endpoint = Annotated[str, typer.Option(help="URL of a deployment, as `terraform output endpoint` prints it.")]
ApiKey = Annotated[str, typer.Option(envvar="SELFRAG_API_KEY", help="Key of the deployment's API.")]
Docs = Annotated[Path | None, typer.Option("--docs", help="Directory to ask; the sample handbook if left out.")]
Collection = Annotated[str, typer.Option(help="A collection that `ingest --collection` has named.")]
IntoCollection = Annotated[
    str, typer.Option("--collection", help="Name of the collection to read the directory into; it has its own else.")
]
FeedbackOf = Annotated[
    str, typer.Option("--name", help="Name of the deployment whose feedback it is; this laptop's if left out.")
]
Region = Annotated[str | None, typer.Option(help="Its region; that of your AWS configuration if left out.")]
Filters = Annotated[str, typer.Option(help='What to limit the search to, as JSON, such as {"tags": ["people"]}.')]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, alone on stdout.")]

SquadFile = Annotated[
    Path, typer.Argument(metavar="DATA", help="A file in SQuAD's format (JSON, 1.1 or 2.0), in any language.")
]
FirstQuestions = Annotated[
    int | None, typer.Option("--limit", metavar="N", min=1, help="Ask the first N questions; all if left out.")
]
FirstParagraphs = Annotated[
    int | None,
    typer.Option(
        "--paragraphs",
        metavar="P",
        min=1,
        help="Search the first P paragraphs of the file and ask about these alone. If left out: all paragraphs; "
        f"with --limit the first {PARAGRAPHS}, or as many more as the N questions come from.",
    ),
]

Export = Annotated[
    list[Tool] | None,
    typer.Option("--export", help="Write the answers for this tool, too, beside the file of results; more than once."),
]
