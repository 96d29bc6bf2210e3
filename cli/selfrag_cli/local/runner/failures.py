"""Errors of states and executions."""

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
    """A state's failure, subject to its Retry and Catch, and its history event type, if any."""

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
    """The execution exceeded its TimeoutSeconds."""


class ExecutionStop(Exception):
    """The execution was stopped, as by StopExecution."""


class ItemAbort(Exception):
    """A Map item was aborted because another item of it failed."""
