"""Executions run in threads, in which not everything can be done at once."""

import ast
import json
import threading
from typing import Any

import pytest
from moto.core.routing import get_service_router
from moto.stepfunctions.parser.backend.execution import Execution

from tests.support.emulated_aws.stack import running_stack

ARGUMENTS = {"FunctionName": "f", "Payload": {}}
TASK = {"Type": "Task", "Resource": "arn:aws:states:::lambda:invoke", "Arguments": ARGUMENTS, "End": True}


def run_one_task() -> None:
    definition = json.dumps({"QueryLanguage": "JSONata", "StartAt": "Only", "States": {"Only": TASK}})
    with running_stack({}, {}, handlers={"f": lambda event, context: {}}, definition=definition) as stack:
        execution = stack.execute({})
    assert execution.output is not None, execution.error


def test_no_execution_parses_python_for_two_threads_cannot_do_so_at_the_same_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parsing, parse = [], ast.parse

    def counting(*given: Any, **options: Any) -> Any:
        parsing.append(threading.current_thread())
        return parse(*given, **options)

    get_service_router("lambda")._routers.clear()  # as in a new process
    monkeypatch.setattr(ast, "parse", counting)
    run_one_task()
    assert set(parsing) == {threading.current_thread()}


def test_an_execution_has_its_output_when_it_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    def telling(self: Execution, name: str, value: Any) -> None:
        told.append(name)
        object.__setattr__(self, name, value)

    monkeypatch.setattr(Execution, "__setattr__", telling)
    run_one_task()
    assert "output" in told
    assert told[-1] == "exec_status"
