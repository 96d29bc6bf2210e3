"""Damaged office documents, books and messages do no harm, and their references are never followed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.documents.damaged_office import GOOD_FILES, damaged, suspicious
from tests.support.documents.watched import outcomes

pytestmark = pytest.mark.long


def test_damaged_office_files_are_each_refused_with_a_reason_in_little_memory(
    tmp_path: Path, record_property: Callable[[str, str], None]
) -> None:
    files = damaged()
    assert len(files) >= 60
    report = outcomes(tmp_path, {**GOOD_FILES, **files})
    told = report["outcomes"]
    assert all("text" in told[key] for key in GOOD_FILES)
    for key in files:
        assert told[key].get("reason", "").startswith(f"{key} "), (key, told[key])
        assert told[key]["reason"].endswith("."), key
    assert report["asked"] == []
    assert report["peak_mb"] < 768
    figures = f"{len(files)} damaged files, each with a reason; {report['before_mb']:.0f} MB before"
    record_property("figures", f"{figures}, at most {report['peak_mb']:.0f} MB; slowest {report['slowest']}")


def test_no_link_macro_object_or_script_of_a_file_is_followed(tmp_path: Path) -> None:
    files = suspicious()
    report = outcomes(tmp_path, files)
    assert all("text" in told for told in report["outcomes"].values()), report["outcomes"]
    assert report["asked"] == []
