"""checkov finds nothing, and its skipped checks are counted."""

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.infra.tools import ROOT, checkov, copy_configuration, environment, run

PUT_BESIDE = "aws_s3_bucket.put_beside"
OPEN_BUCKET = 'resource "aws_s3_bucket" "put_beside" {\n  bucket = "open"\n}\n'


def checked(directory: Path) -> Any:
    options = ["--framework", "terraform", "--compact", "--skip-download", "--output", "json"]
    command = [checkov(), *options, "--directory", str(directory)]
    return json.loads(run(command, directory.parent, environment(directory.parent), check=False).stdout)


# One test for two promises: a run of checkov takes seven seconds of a processor.
def test_checkov_finds_only_the_planted_open_bucket(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    directory = tmp_path / "infra"
    directory.mkdir()
    copy_configuration(directory)
    (directory / "put_beside.tf").write_text(OPEN_BUCKET)
    report = checked(directory)
    summary, results = report["summary"], report["results"]
    assert {check["resource"] for check in results["failed_checks"]} == {PUT_BESIDE}, results["failed_checks"]
    assert summary["parsing_errors"] == 0
    passed = [check for check in results["passed_checks"] if check["resource"] != PUT_BESIDE]
    assert len(passed) > 150
    told = f"{len(passed)} passed, 0 failed, {summary['skipped']} skipped with a reason"
    record_property("figures", f"checkov {summary['checkov_version']}: {told}")


def test_without_a_key_of_yours_checkov_misses_one_where_the_page_says(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    directory = tmp_path / "infra"
    directory.mkdir()
    copy_configuration(directory)
    # checkov does not follow the default, so it is written in.
    for file in directory.glob("*.tf"):
        file.write_text(re.sub(r"\bvar\.kms_key_arn\b", "null", file.read_text()))
    failed = Counter(check["check_id"] for check in checked(directory)["results"]["failed_checks"])
    told = ", ".join(f"{name} {count}" for name, count in sorted(failed.items()))
    record_property("figures", f"checkov without kms_key_arn: {sum(failed.values())} failed ({told})")
    page = " ".join((ROOT / "docs" / "security.md").read_text(encoding="utf-8").split())
    [claimed] = re.findall(r"without `kms_key_arn` (\d+) of its checks fail \(([^)]+)\)", page)
    assert claimed == (str(sum(failed.values())), told)
