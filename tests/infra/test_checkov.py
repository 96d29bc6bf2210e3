"""checkov finds nothing, and what it was told to skip is counted."""

import json
from collections.abc import Callable
from pathlib import Path

from tests.support.infra.tools import checkov, copy_configuration, environment, run

PUT_BESIDE = "aws_s3_bucket.put_beside"
OPEN_BUCKET = 'resource "aws_s3_bucket" "put_beside" {\n  bucket = "open"\n}\n'


# One test for two promises: a run of checkov takes seven seconds of a processor.
def test_checkov_finds_an_open_bucket_that_is_put_beside_ours_and_nothing_else(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    directory = tmp_path / "infra"
    directory.mkdir()
    copy_configuration(directory)
    (directory / "put_beside.tf").write_text(OPEN_BUCKET)
    options = ["--framework", "terraform", "--compact", "--skip-download", "--output", "json"]
    done = run([checkov(), *options, "--directory", str(directory)], tmp_path, environment(tmp_path), check=False)
    report = json.loads(done.stdout)
    summary, results = report["summary"], report["results"]
    assert {check["resource"] for check in results["failed_checks"]} == {PUT_BESIDE}, results["failed_checks"]
    assert summary["parsing_errors"] == 0
    passed = [check for check in results["passed_checks"] if check["resource"] != PUT_BESIDE]
    assert len(passed) > 150
    told = f"{len(passed)} passed, 0 failed, {summary['skipped']} skipped with a reason"
    record_property("figures", f"checkov {summary['checkov_version']}: {told}")
