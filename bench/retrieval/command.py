"""The command: how often full text, vectors and both find the paragraph that a question is about."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from bench.retrieval import identifiers
from bench.retrieval.outcomes import measure, show_outcome
from bench.retrieval.squad import read_task
from selfrag_cli.options import AsJson
from selfrag_cli.terminal import measuring_progress, out, print_json

SquadFile = Annotated[Path, typer.Argument(metavar="DATA", help="A file in SQuAD's format (1.1 or 2.0), or `lines`.")]
FirstQuestions = Annotated[int | None, typer.Option("--limit", metavar="N", min=1, help="Ask the first N questions.")]


def main(data: SquadFile, limit: FirstQuestions = None, as_json: AsJson = False) -> None:
    """Measure search: how often full text, vectors and both find the paragraph that a question is about.

    A paragraph is one passage, under its article's title; impossible questions (2.0) are left out. Up to 100 paragraphs
    of a file are then prefixed with a code such as QX4013, and queried by it. `lines` are questions by codes, part
    numbers, versions, dates and names over lines that are otherwise nearly equal. Vectors of paragraphs are cached in
    SELFRAG_BENCH_CACHE, by default in the user's cache directory.
    """
    if data == Path("lines"):
        tasks = {"questions": identifiers.lines(limit)}
    else:
        task = read_task(data, limit)
        tasks = {"questions": task, "questions by identifier": identifiers.files(task.paragraphs)}
    with measuring_progress() as on_phase:
        outcomes = {kind: measure(task, on_phase) for kind, task in tasks.items()}
    if as_json:
        print_json({kind: asdict(outcome) for kind, outcome in outcomes.items()})
    else:
        for kind, outcome in outcomes.items():
            show_outcome(out, outcome, kind)


def run() -> None:
    """Run the command."""
    typer.run(main)
