"""The retrieval of the right paragraph: recall, MRR and latency of full text, vectors and hybrid."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bench.retrieval.measures import DEPTH, Figures, figures
from bench.retrieval.squad import Task

if TYPE_CHECKING:
    from selfrag_cli.local.index.embedders import NamedEmbedder

# Called with the phase, its progress and its total.
OnPhase = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Outcome:
    """The figures of each kind of search, their description, and the number of newly embedded paragraphs."""

    questions: int
    paragraphs: int
    embedder: str
    embedded: int
    vectors: str
    figures: dict[str, Figures]


def measure(task: Task, on_phase: OnPhase, embedder: "NamedEmbedder | None" = None) -> Outcome:
    """Run the benchmark; multilingual-e5-small embeds unless another embedder is given."""
    # Imported late, since it takes a second and arguments are checked first.
    from bench.retrieval.searches import searches
    from bench.retrieval.vectors import CountedEmbedder, kept_on_disk
    from selfrag_cli.local.index import E5Embedder

    counted = CountedEmbedder(embedder or E5Embedder())
    with (
        kept_on_disk(counted) as (kept, place),
        searches(task.paragraphs, kept, lambda done, total: on_phase("Embedding", done, total)) as search,
    ):
        # Once before it counts: the model and the index are loaded by the first search.
        search.ask(*task.questions[0])
        answered = []
        for done, (question, right) in enumerate(task.questions, 1):
            answered.append(search.ask(question, right))
            on_phase("Asking", done, len(task.questions))
    by_kind = {kind: figures([one[kind] for one in answered]) for kind in answered[0]}
    return Outcome(len(answered), len(task.paragraphs), counted.name, counted.embedded, place, by_kind)


def show_outcome(console: Console, outcome: Outcome, of: str = "questions") -> None:
    """Print the figures, a line for each kind of search."""
    title = f"{outcome.questions} {of} over {outcome.paragraphs} paragraphs"
    table = Table("Search", title=title, title_justify="left")
    for name in ("recall@1", "recall@4", f"MRR@{DEPTH}", "median ms", "p95 ms"):
        table.add_column(name, justify="right")
    for kind, row in outcome.figures.items():
        recalls = (f"{share:.3f}" for share in (row.recall_at_1, row.recall_at_4, row.mrr))
        table.add_row(kind.replace("_", " "), *recalls, f"{row.median_ms:.1f}", f"{row.p95_ms:.1f}")
    console.print(table)
    console.print(f"{escape(outcome.embedder)}; {outcome.embedded} paragraphs embedded anew.")
    console.print(f"Vectors are {escape(outcome.vectors)}.", soft_wrap=True)
