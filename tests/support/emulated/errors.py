"""The errors of a function: Step Functions names the class, and ministack does not."""

import re
from typing import Any

from ministack.services import lambda_svc


def name_errors() -> None:
    """Return an error with its class name, as Lambda does, so that `Retry` and `Catch` match it."""
    execute = lambda_svc._execute_function_with_config_scope

    def executed(*arguments: Any) -> Any:
        result = execute(*arguments)
        body = result.get("body")
        if result.get("error") and isinstance(body, dict) and body.get("errorType") == "Runtime.HandlerError":
            body["errorType"] = class_in(result.get("log") or "") or body["errorType"]
        return result

    lambda_svc._execute_function_with_config_scope = executed


def class_in(log: str) -> str | None:
    """Return the class of the error that a log ends with; nothing if it ends without a traceback."""
    _, traceback, lines = log.rpartition("Traceback (most recent call last):\n")
    # The class with its module follows the indented frames.
    raised = next((line for line in lines.splitlines() if line and not line.startswith(" ")), "")
    found = re.match(r"(?:\w+\.)*(\w+)", raised)
    return found[1] if traceback and found else None
