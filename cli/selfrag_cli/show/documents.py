"""Display of documents and search results."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from selfrag_cli.local.asking import SearchHit
from selfrag_cli.show.places import copies_of, place_of
from selfrag_cli.terminal import make_visible

STATUS_COLOURS = {"ready": "green", "failed": "red"}
SCORES = (
    "by text is BM25, by vector the cosine of the meanings, each none where that search did not find the passage; "
    "together is the sum of how far each stands above the mean, in standard deviations (z-scores). "
    "Scores rank the passages of one search; those of two searches cannot be compared."
)


def show_documents(console: Console, documents: Sequence[Mapping[str, Any]]) -> None:
    """Print the status of each document."""
    table = Table("Document", "Status", title="Documents", title_justify="left", expand=True)
    table.add_column("Passages", justify="right")
    table.add_column("Pages", justify="right")
    table.add_column("Reason", overflow="fold")
    for document in documents:
        status = f"[{STATUS_COLOURS.get(document['status'], 'yellow')}]{document['status']}[/]"
        name = document["document"]
        notes = [_strip_name(name, note) for note in (document["reason"], *document["warnings"]) if note]
        table.add_row(
            escape(make_visible(name)),
            status,
            str(document["passages"]),
            str(document["pages"] or ""),
            escape(make_visible(" ".join(notes))),
        )
    console.print(table)


def _strip_name(name: str, sentence: str) -> str:
    """Return a sentence without the document's name, which is shown next to it."""
    rest = sentence.removeprefix(name).lstrip(" :")
    return rest[:1].upper() + rest[1:]


def show_passages(console: Console, hits: Sequence[SearchHit], text_hits: int | None = None) -> None:
    """Print passages, best first, with both scores, and whether full text matched."""
    if not hits:
        console.print("Nothing was found.")
    if text_hits == 0:
        console.print("No document has these words.")
    for number, hit in enumerate(hits, start=1):
        place = place_of(hit.model_dump())
        scores = f"by text {_score(hit.by_text)}, by vector {_score(hit.by_vector)}, together {_score(hit.score)}"
        # The scores have a separate line, because a place may fill one.
        panel = Panel(Text(hit.text), title=f"{number}. {escape(place)}", title_align="left", border_style="blue")
        panel.subtitle, panel.subtitle_align = f"[dim]{scores}[/]", "left"
        console.print(panel)
        if hit.copies:
            console.print(Text(copies_of([copy.document for copy in hit.copies], len(hit.copies)), style="dim"))
    if hits:
        console.print(f"[dim]{SCORES}[/]")


def _score(score: float | None) -> str:
    return "none" if score is None else f"{score:.2f}"
