"""checkov finds nothing, and what it was told to skip is counted."""

import json
from collections.abc import Callable
from pathlib import Path

from tests.support.infra.tools import INFRA, checkov, environment, run


def test_checkov_finds_nothing(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    summary, failed = _checked(INFRA, tmp_path)
    figures = "checkov {checkov_version}: {passed} passed, {failed} failed, {skipped} skipped with a reason"
    record_property("figures", figures.format(**summary))
    assert failed == []
    assert summary["parsing_errors"] == 0
    assert int(str(summary["passed"])) > 150


def test_checkov_would_find_an_open_bucket(tmp_path: Path) -> None:
    (tmp_path / "bucket.tf").write_text('resource "aws_s3_bucket" "open" {\n  bucket = "open"\n}\n')
    assert _checked(tmp_path, tmp_path)[1]


def _checked(directory: Path, tmp_path: Path) -> tuple[dict[str, object], list[str]]:
    options = ["--framework", "terraform", "--compact", "--skip-download", "--output", "json", "--directory"]
    done = run([checkov(), *options, str(directory)], tmp_path, environment(tmp_path), check=False)
    report = json.loads(done.stdout)
    return report["summary"], [
        f"{check['check_id']} {check['resource']}" for check in report["results"]["failed_checks"]
    ]
