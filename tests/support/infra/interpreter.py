"""Executions of a definition by ministack's interpreter, with tasks carried out in this process."""

import json
import subprocess
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from selfrag_cli.local.runner.failures import Failure
from selfrag_cli.local.runner.lane import Service
from tests.support.infra.tools import emulator_python

_PROGRAM = Path(__file__).parents[1] / "emulated" / "bridge.py"


class OtherInterpreter:
    """ministack's interpreter, one execution at a time."""

    def __init__(self, process: "subprocess.Popen[str]", pool: ThreadPoolExecutor) -> None:
        self._process, self._pool, self._writing = process, pool, threading.Lock()

    def run(self, definition: Mapping[str, Any], given: Any, services: Mapping[str, Service]) -> dict[str, Any]:
        """Return the status, the output and the error of an execution."""
        self._write({"definition": definition, "input": given})
        assert self._process.stdout
        for line in map(json.loads, self._process.stdout):
            if "task" not in line:
                return {**line, "output": json.loads(line["output"])}
            self._pool.submit(self._carry_out, line, services)
        raise AssertionError("the interpreter has ended")

    def _carry_out(self, task: dict[str, Any], services: Mapping[str, Service]) -> None:
        try:
            answer: dict[str, Any] = {"result": services[task["resource"]](task["arguments"])}
        except Failure as failure:
            answer = {"error": failure.error, "cause": failure.cause}
        self._write({"task": task["task"], **answer})

    def _write(self, line: dict[str, Any]) -> None:
        assert self._process.stdin
        with self._writing:
            self._process.stdin.write(json.dumps(line) + "\n")
            self._process.stdin.flush()


@contextmanager
def other_interpreter() -> Iterator[OtherInterpreter]:
    """Yield the interpreter, whose process ends with the block."""
    command = [emulator_python(), str(_PROGRAM)]
    with (
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process,
        ThreadPoolExecutor(16) as pool,
    ):
        try:
            yield OtherInterpreter(process, pool)
        finally:
            process.kill()
