"""Mistakes in a plan that the type checker reports."""

from pathlib import Path

from mypy import api

ROOT = Path(__file__).parents[2]
WRONG = """
from selfrag.domain.steps import GradeUtilityParameters
from selfrag.plan.reports import GradeUtilityReport, entry_of

task = GradeUtilityParameters(anwser="25 days.")


def score(report: GradeUtilityReport) -> object:
    entry_of(report, 0, wast=True)
    return report.result.verdct if report.result else None
"""


def test_misspelt_fields_are_type_errors(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text(WRONG)
    report, _, _ = api.run(
        ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(ROOT / ".mypy_cache"), str(wrong)]
    )
    errors = [line for line in report.splitlines() if ": error:" in line]
    assert ["anwser" in errors[0], "wast" in errors[1], "verdct" in errors[2]] == [True, True, True]
    assert len(errors) == 3
