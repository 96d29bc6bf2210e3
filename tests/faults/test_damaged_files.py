"""A damaged file does no harm: it is failed with its reason, or read with a warning, and the rest stays."""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]


def test_fifty_damaged_files_are_each_failed_or_read_and_the_rest_is_untouched(
    tmp_path: Path, record_property: Callable[[str, str], None]
) -> None:
    environment = {
        **{name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ},
        "HOME": str(tmp_path),
        "PYTHONPATH": f"{ROOT / 'functions'}:{ROOT / 'cli'}",
        "POWERTOOLS_LOG_LEVEL": "CRITICAL",
        "POWERTOOLS_METRICS_DISABLED": "true",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    run = [sys.executable, "-m", "tests.support.documents.damaged"]
    ended = subprocess.run(run, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=280)
    assert ended.returncode == 0, ended.stderr
    report = json.loads(ended.stdout)
    outcomes = report["outcomes"]
    assert len(outcomes) == 50
    for key, outcome in outcomes.items():
        assert outcome["status"] in ("ready", "failed"), key
        if outcome["status"] == "failed":
            assert outcome["reason"].startswith(f"{key} "), outcome["reason"]
            assert outcome["reason"].endswith(".")
    assert report["kept"]
    assert report["agree"]
    assert report["peak_mb"] < 1024
    counted = Counter(outcome["status"] for outcome in outcomes.values())
    figures = f"50 damaged files: {counted['failed']} failed with a reason, {counted['ready']} read"
    record_property("figures", f"{figures}; at most {report['peak_mb']:.0f} MB of memory")
