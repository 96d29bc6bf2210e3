"""A key is read where it is used, and is nowhere else: not in a log, a metric, a state, an error or a response."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.doubles.canary import MODEL_KEY, MOODS, WEB_KEY

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]


def test_run_with_faults_leaks_no_keys(tmp_path: Path) -> None:
    environment = {
        **{name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ},
        "HOME": str(tmp_path),
        "PYTHONPATH": f"{ROOT}:{ROOT / 'functions'}:{ROOT / 'cli'}",
        "POWERTOOLS_LOG_LEVEL": "DEBUG",
        "POWERTOOLS_METRICS_NAMESPACE": "canary",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    run = [sys.executable, "-m", "tests.support.doubles.canary"]
    ended = subprocess.run(run, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=200)
    assert ended.returncode == 0, ended.stderr
    *log, last = ended.stdout.splitlines()
    report = json.loads(last)
    # The run was a real one: both keys were sent, every mood left its mark, logs and metrics were written.
    assert report["seen"] == [MODEL_KEY, WEB_KEY]
    assert len(report["left"]) >= 2 * len(MOODS)
    assert any('"message":"failed"' in line for line in log)
    assert any('"Namespace":"canary"' in line for line in log)
    text = "\n".join([*log, ended.stderr, json.dumps(report["left"])])
    for key in (MODEL_KEY, WEB_KEY):
        assert key not in text
    # Nor does a question: the log knows it by its hash.
    assert "How many days" not in "\n".join([*log, ended.stderr])
