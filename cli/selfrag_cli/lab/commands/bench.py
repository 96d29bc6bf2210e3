"""The command that measures search: bench."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from selfrag_cli.lab.bench.squad import PARAGRAPHS, read_task
from selfrag_cli.options import AsJson
from selfrag_cli.terminal import measuring_progress, out, print_json

SquadFile = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        help="A file in SQuAD's format (JSON, 1.1 or 2.0), in any language; or `lines`, questions by codes, part "
        "numbers, versions, dates and names over lines that differ in little else.",
    ),
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


def bench(
    data: SquadFile, limit: FirstQuestions = None, paragraphs: FirstParagraphs = None, as_json: AsJson = False
) -> None:
    """Measure search: how often full text, vectors and both find the paragraph that a question is about.

    A paragraph is one passage, under its article's title; impossible questions (2.0) are left out. Found means that
    the question's own paragraph, or one of the same text, is among the first. Then up to 100 of the paragraphs get the
    name of a file, such as QX4013, and are asked for by it. Vectors of paragraphs are kept in SELFRAG_BENCH_CACHE, by
    default in the user's cache directory.
    """
    from selfrag_cli.lab.bench import identifiers
    from selfrag_cli.lab.bench.retrieval import measure, show_outcome

    if data == Path("lines"):
        tasks = {"questions": identifiers.lines(limit)}
    else:
        task = read_task(data, limit, paragraphs)
        tasks = {"questions": task, "questions by identifier": identifiers.files(task.paragraphs)}
    with measuring_progress() as on_phase:
        outcomes = {of: measure(task, on_phase) for of, task in tasks.items()}
    if as_json:
        identified = outcomes.get("questions by identifier")
        print_json({**asdict(outcomes["questions"]), "by_identifier": identified and asdict(identified)})
    else:
        for of, outcome in outcomes.items():
            show_outcome(out, outcome, of)
