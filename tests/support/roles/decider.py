"""Decides calls as IAM does: iam-simulate in one Node process, which is asked by lines of JSON and started once."""

import atexit
import json
import subprocess
import threading
from collections.abc import Mapping
from typing import Any


class Decider:
    """Decisions by policies; `command` starts the process that decides, and each question is asked once."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._lock = threading.Lock()
        self._known: dict[str, bool] = {}
        atexit.register(self._process.kill)

    def allows(
        self,
        policy: Any,
        action: str,
        resource: str,
        *,
        principal: str | None = None,
        context: Mapping[str, str | list[str]] | None = None,
        resource_policy: Any = None,
    ) -> bool:
        """Return whether an action on a resource is allowed; raises ValueError for names unknown to AWS.

        The caller's policy and the resource's policy decide, if present; the caller is a role unless `principal` names
        another one, such as a service. `context` holds condition keys.
        """
        asked = {"policy": policy, "action": action, "resource": resource, "principal": principal}
        question = json.dumps({**asked, "context": dict(context or {}), "resourcePolicy": resource_policy})
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
