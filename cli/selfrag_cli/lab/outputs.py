"""The files of a run's findings: a page, and a line of CSV for each answer."""

import csv
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import get_args

from selfrag.domain.answers import Status
from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.findings import OUTCOMES, Findings, values
from selfrag_cli.lab.measures import AMOUNTS
from selfrag_cli.lab.runs.results import make_folder
from selfrag_cli.lab.tables import (
    described,
    differs,
    ends_of,
    figure,
    headline,
    judge_line,
    outcome_line,
    shown_measures,
    verdict_lines,
    words,
)


def check_outputs(paths: Sequence[Path]) -> None:
    """Make the folders of files; raises InvalidInput, before anything is asked and paid, for what cannot be written."""
    for path in paths:
        if path.suffix not in _WRITERS:
            raise InvalidInput(f"--output {path}: name a file that ends in {', '.join(_WRITERS)}.")
        make_folder(path)


def write_outputs(findings: Findings, paths: Sequence[Path]) -> None:
    """Write the findings to each file, by its ending; raises InvalidInput if one cannot be written."""
    for path in paths:
        try:
            _WRITERS[path.suffix](findings, path)
        except OSError as error:
            raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from error


def _write_page(findings: Findings, path: Path) -> None:
    # It takes a while to load.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("selfrag_cli.lab", ".")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    wording = (described, differs, ends_of, figure, headline, judge_line, outcome_line)
    functions = (*wording, shown_measures, verdict_lines, words)
    environment.filters.update({function.__name__: function for function in functions})
    environment.globals.update(amounts=AMOUNTS, outcomes=OUTCOMES, statuses=get_args(Status))
    # The colours are those of the page that answers questions.
    colours = files("selfrag.api.page").joinpath("tokens.css").read_text(encoding="utf-8")
    page = environment.get_template("report.html.j2").render(report=findings.report(), colours=colours)
    path.write_text(page, encoding="utf-8")


def _write_csv(findings: Findings, path: Path) -> None:
    """Write a line for each answer, with all measures; empty where a measure is not for a question."""
    names = list(dict.fromkeys(name for of in findings.measures.values() for first in of[:1] for name in first))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["question_id", "question", "variant", "id", "status", "answer", *names])
        for variant, results in findings.results.items():
            for result, measures in zip(results, findings.measures[variant], strict=True):
                response, numbers = result.response, values(measures)
                about = [result.question_id, result.question, variant, response.id, response.status, response.answer]
                writer.writerow([*about, *(numbers.get(name, "") for name in names)])


_WRITERS: dict[str, Callable[[Findings, Path], None]] = {".html": _write_page, ".csv": _write_csv}
