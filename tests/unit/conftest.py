"""The parts that tests of several rooms share."""

import json
from typing import Any

import pytest


@pytest.fixture
def emitted(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Return the metrics written so far: (name, dimensions) to value."""
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "false")
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "acme")

    def read() -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
        found = {}
        for line in (json.loads(text) for text in capsys.readouterr().out.splitlines()):
            (metrics,) = line["_aws"]["CloudWatchMetrics"]
            assert metrics["Namespace"] == "acme"
            (names,) = metrics["Dimensions"]
            for metric in metrics["Metrics"]:
                found[metric["Name"], tuple((name, line[name]) for name in names)] = line[metric["Name"]][0]
        return found

    return read
