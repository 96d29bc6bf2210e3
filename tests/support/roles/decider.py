"""Decides calls as IAM does: iam-simulate in one Node process, which is asked by lines of JSON and started once."""

import atexit
import json
import shutil
import subprocess
import threading
from functools import cache
from pathlib import Path
from typing import Any

from tests.support.infra.tools import needed

HERE = Path(__file__).parent


def simulator() -> list[str]:
    """The command that decides; without Node the test is skipped, and in CI it fails."""
    node = needed(shutil.which("node"), "node is not installed")
    needed(HERE / "node_modules", "iam-simulate is not installed: make install")
    return [node, str(HERE / "decide.mjs")]


def can_decide() -> bool:
    """Whether this machine can decide; where it cannot, other tests run with every call allowed."""
    return bool(shutil.which("node")) and (HERE / "node_modules").exists()


class Decider:
    """What is decided by a policy; each question is asked once."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(simulator(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._lock = threading.Lock()
        self._known: dict[str, bool] = {}
        atexit.register(self._process.kill)

    def allows(self, policy: Any, action: str, resource: str) -> bool:
        """Whether the policy allows the action on the resource; raises ValueError for what AWS does not know."""
        question = json.dumps({"policy": policy, "action": action, "resource": resource})
        with self._lock:
            if question not in self._known:
                self._known[question] = self._decide(question)
            return self._known[question]

    def _decide(self, question: str) -> bool:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(question + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        if "allowed" not in answer:
            raise ValueError(f"{answer}: {question}")
        return bool(answer["allowed"])


@cache
def decider() -> Decider:
    """The one of this process: a fifth of a second to start, a few milliseconds for each question."""
    return Decider()
