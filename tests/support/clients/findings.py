"""Findings of schemathesis, from its report of every case."""

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Finding:
    """A check that failed, by operation; the reply's status, and the sentence of its problem, "" if it is none."""

    check: str
    operation: str
    status: int
    told: str
    message: str


def findings(report: Path) -> Iterator[Finding]:
    """All of a run, in its order; a failure comes as often as it was seen."""
    for line in report.read_text(encoding="utf-8").splitlines():
        recorder = json.loads(line).get("ScenarioFinished", {}).get("recorder", {})
        for case, checks in recorder.get("checks", {}).items():
            for check in checks:
                if check["status"] == "failure":
                    failure = check["failure_info"]["failure"]
                    reply = recorder["interactions"][case].get("response") or {}
                    operation = (
                        f"{recorder['cases'][case]['value']['method']} {recorder['cases'][case]['value']['path']}"
                    )
                    status = reply.get("status_code", 0)
                    yield Finding(check["name"], operation, status, _told(reply), failure["message"])


def cases(report: Path) -> int:
    """Return how many requests were sent."""
    lines = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
    return sum(len(line.get("ScenarioFinished", {}).get("recorder", {}).get("cases", {})) for line in lines)


def _told(reply: dict[str, Any]) -> str:
    try:
        return str(json.loads(base64.b64decode(reply["content"]["$base64"]))["detail"])
    except (ValueError, KeyError, TypeError):
        return ""
