"""Writes the report: a page, and beside it the same as JSON and CSV."""

import importlib
import json
from pathlib import Path

from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.report import Findings, Report
from selfrag_cli.lab.tables import figure, judge_of, repeats_of, verdict_of, words

NEEDED = ("jinja2", "matplotlib", "py3langid")


def check_report(path: Path) -> None:
    """Refuse, before anything is asked and paid, what could not be written in the end.

    Raises InvalidInput for a name or a folder that cannot be, ModuleNotFoundError if a library is missing.
    """
    if path.suffix != ".html":
        raise InvalidInput(f"--report {path}: name a file that ends in .html; JSON and CSV are written beside it.")
    if not path.parent.is_dir():
        raise InvalidInput(f"{path} cannot be written: there is no folder {path.parent}.")
    for name in NEEDED:
        importlib.import_module(name)


def write_report(findings: Findings, path: Path) -> None:
    """Write the page to `path`, and the same with the endings .json and .csv.

    Raises InvalidInput if a file cannot be written.
    """
    report = {**findings.report(), "slices": findings.slices(languages=True)}
    page = _page(report)
    try:
        path.write_text(page, encoding="utf-8")
        path.with_suffix(".json").write_text(json.dumps(report, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from error
    findings.write_csv(path.with_suffix(".csv"))


def _page(report: Report) -> str:
    # They take seconds to load, and are part of an extra.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from selfrag_cli.lab.page import figures

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(words=words, figure=figure, verdict=verdict_of, repeats=repeats_of, judge=judge_of)
    drawn = {
        draw.__name__: draw(report) if report["compared"] else None
        for draw in (figures.cost_against_quality, figures.distributions)
    }
    return environment.get_template("report.html.j2").render(**report, figures=drawn, graders=figures.GRADERS)
