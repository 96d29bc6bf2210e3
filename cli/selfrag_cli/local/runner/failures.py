"""Errors of states and of executions, under the names that a definition catches them by.

Failure: a state fails, and its Retry and Catch say what happens then.
ExecutionTimeout: the whole execution has taken too long.
ExecutionStop: the whole execution was stopped from outside.
ItemAbort: another item of the same Map has failed.
"""

from collections.abc import Sequence

ALL = "States.ALL"
QUERY_EVALUATION_ERROR = "States.QueryEvaluationError"
DATA_LIMIT_EXCEEDED = "States.DataLimitExceeded"
TIMEOUT = "States.Timeout"
TASK_FAILED = "States.TaskFailed"
NO_CHOICE_MATCHED = "States.NoChoiceMatched"
RUNTIME = "States.Runtime"
_NOT_CAUGHT_BY_ALL = (DATA_LIMIT_EXCEEDED, RUNTIME)


class Failure(Exception):
    """The failure of a state, and the type of its event in the history, if it has one."""

    def __init__(self, error: str, cause: str = "", event: str = "") -> None:
        super().__init__(f"{error}: {cause}")
        self.error, self.cause, self.event = error, cause, event

    def is_among(self, names: Sequence[str]) -> bool:
        """Return whether ErrorEquals with these names matches."""
        return (
            self.error in names
            or (TASK_FAILED in names and self.event == "TaskFailed")
            or (ALL in names and self.error not in _NOT_CAUGHT_BY_ALL)
        )


class ExecutionTimeout(Exception):
    """The end of an execution that has run for its TimeoutSeconds."""


class ExecutionStop(Exception):
    """The end of an execution that was stopped, as by StopExecution."""


class ItemAbort(Exception):
    """The end of a Map's item, because another one has failed."""
