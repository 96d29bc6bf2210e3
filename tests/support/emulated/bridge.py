"""ministack's interpreter of definitions alone, as a program in ministack's own environment.

It reads and writes lines of JSON. {"definition", "input"} starts an execution, and {"status", "output", "error"} is its
end. {"task", "resource", "arguments"} asks for a task, and {"task", "result"} or {"task", "error", "cause"} answers it.
"""

import json
import sys
import threading
from concurrent.futures import Future
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from ministack.services import stepfunctions

# ministack's environment does not have what follows.
sys.path.insert(0, str(Path(__file__).parents[3]))
from tests.support.emulated import interpreter

ROLE = "arn:aws:iam::000000000000:role/r"


class Bridge:
    """Executions here, tasks at the other end."""

    def __init__(self) -> None:
        self._tasks: dict[int, Future[dict[str, Any]]] = {}
        self._numbers, self._writing, self._out = count(), threading.Lock(), sys.stdout

    def serve(self) -> None:
        """Follow the lines of standard input to its end."""
        for line in map(json.loads, sys.stdin):
            if "task" in line:
                self._tasks.pop(line["task"]).set_result(line)
            else:
                threading.Thread(target=self._execute, args=(line,), daemon=True).start()

    def task(self, resource: str, arguments: Any, *timeout: Any) -> Any:
        """Have a task carried out."""
        number, reply = next(self._numbers), Future[dict[str, Any]]()
        self._tasks[number] = reply
        self._write({"task": number, "resource": resource, "arguments": arguments})
        answer = reply.result()
        if "error" in answer:
            raise stepfunctions._ExecutionError(answer["error"], answer["cause"])
        return answer["result"]

    def _execute(self, line: dict[str, Any]) -> None:
        name = f"m{next(self._numbers)}"
        machine = {"name": name, "definition": json.dumps(line["definition"]), "roleArn": ROLE}
        arn = json.loads(stepfunctions._create_state_machine(machine)[2])["stateMachineArn"]
        started = {"stateMachineArn": arn, "name": "e", "input": json.dumps(line["input"])}
        ended = json.loads(stepfunctions._start_sync_execution(started)[2])
        self._write({name: ended.get(name) for name in ("status", "output", "error")})

    def _write(self, line: dict[str, Any]) -> None:
        with self._writing:
            print(json.dumps(line), file=self._out, flush=True)


if __name__ == "__main__":
    bridge = Bridge()
    sys.stdout = sys.stderr
    interpreter.give_outputs_of_ends()
    stepfunctions._invoke_resource = stepfunctions._invoke_resource_with_timeout = bridge.task
    stepfunctions.time = SimpleNamespace(**{**vars(stepfunctions.time), "sleep": lambda seconds: None})
    bridge.serve()
