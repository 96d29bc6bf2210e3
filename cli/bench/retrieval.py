"""How well the right paragraph is found: recall, MRR and latency of full text, vectors and hybrid."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from cli.bench.measures import DEPTH, Figures, figures
from cli.bench.squad import PARAGRAPHS, read_task
from selfrag.domain.errors import SelfragError

if TYPE_CHECKING:
    from cli.local.index import NamedEmbedder

app = typer.Typer(add_completion=False, rich_markup_mode="markdown", pretty_exceptions_enable=False, help=__doc__)
out, err = Console(), Console(stderr=True)

FIRST_HELP = (
    "Search the first P paragraphs of the file and ask about these alone. If left out: all paragraphs; "
    f"with --limit the first {PARAGRAPHS}, or as many more as the N questions come from."
)
Step = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Outcome:
    """The figures of each kind of search, what they are about, and how many paragraphs were embedded anew."""

    questions: int
    paragraphs: int
    embedder: str
    embedded: int
    vectors: str
    figures: dict[str, Figures]


@app.command()
def retrieval(
    data: Annotated[
        Path, typer.Argument(metavar="DATA", help="A file in SQuAD's format (JSON, 1.1 or 2.0), in any language.")
    ],
    limit: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Ask the first N questions; all if left out.")
    ] = None,
    paragraphs: Annotated[int | None, typer.Option(metavar="P", min=1, help=FIRST_HELP)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON, alone on stdout.")] = False,
) -> None:
    """Search for the paragraph of each question by full text, by vectors and by both; print how often it is found.

    A paragraph is one passage, under its article's title; impossible questions (2.0) are left out. Found means that
    the question's own paragraph, or one of the same text, is among the first. Vectors of paragraphs are kept in
    SELFRAG_BENCH_CACHE, by default in the user's cache directory.
    """
    with _progress() as step:
        outcome = measure(data, limit, paragraphs, step)
    if as_json:
        sys.stdout.write(json.dumps(asdict(outcome), ensure_ascii=False, indent=2) + "\n")
    else:
        _show(outcome)


def measure(
    data: Path, limit: int | None, first: int | None, step: Step, embedder: "NamedEmbedder | None" = None
) -> Outcome:
    """Run the benchmark; multilingual-e5-small embeds unless another embedder is given."""
    task = read_task(data, limit, first)
    # What takes a second to load comes after what can be refused at once.
    from cli.bench.searches import searches
    from cli.bench.vectors import CountedEmbedder, kept_on_disk
    from cli.local.index import E5Embedder

    counted = CountedEmbedder(embedder or E5Embedder())
    with (
        kept_on_disk(counted) as (kept, place),
        searches(task.paragraphs, kept, lambda done, total: step("Embedding", done, total)) as search,
    ):
        # Once before it counts: the model and the index are loaded by the first search.
        search.ask(*task.questions[0])
        answered = []
        for done, (question, right) in enumerate(task.questions, 1):
            answered.append(search.ask(question, right))
            step("Asking", done, len(task.questions))
    by_kind = {kind: figures([one[kind] for one in answered]) for kind in answered[0]}
    return Outcome(len(answered), len(task.paragraphs), counted.name, counted.embedded, place, by_kind)


def _show(outcome: Outcome) -> None:
    title = f"{outcome.questions} questions over {outcome.paragraphs} paragraphs"
    table = Table("Search", title=title, title_justify="left")
    for name in ("recall@1", "recall@4", f"MRR@{DEPTH}", "median ms", "p95 ms"):
        table.add_column(name, justify="right")
    for kind, row in outcome.figures.items():
        recalls = (f"{share:.3f}" for share in (row.recall_at_1, row.recall_at_4, row.mrr))
        table.add_row(kind.replace("_", " "), *recalls, f"{row.median_ms:.1f}", f"{row.p95_ms:.1f}")
    out.print(table)
    out.print(f"{escape(outcome.embedder)}; {outcome.embedded} paragraphs embedded anew.")
    out.print(f"Vectors are {escape(outcome.vectors)}.", soft_wrap=True)


@contextmanager
def _progress() -> Iterator[Step]:
    """A progress bar for a person at a terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task("Reading", total=None)
        yield lambda name, done, total: bar.update(task, description=name, completed=done, total=total)


def main() -> None:
    """Run the command; an error is one sentence on stderr and a non-zero exit."""
    try:
        app()
    except SelfragError as error:
        one_line = " ".join(str(error).encode("utf-8", "replace").decode().split())
        sys.stderr.write(f"bench-retrieval: {one_line}\n")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    # Log lines belong to CloudWatch, not to a person's terminal.
    os.environ.setdefault("POWERTOOLS_LOG_LEVEL", "CRITICAL")
    main()
