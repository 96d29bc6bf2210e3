"""Types for the supported subset of the Amazon States Language with JSONata."""

from typing import Literal, Required, TypedDict


class Transition(TypedDict, total=False):
    """The exit of a state: assignments, output and next state."""

    Assign: dict[str, object]
    Output: object
    Next: str


class ChoiceRule(Transition):
    """A transition with a condition."""

    Condition: str


class Catcher(Transition):
    """A transition after one of these errors."""

    ErrorEquals: list[str]


class Retrier(TypedDict, total=False):
    """Retries after one of these errors."""

    ErrorEquals: Required[list[str]]
    IntervalSeconds: float
    MaxAttempts: int
    BackoffRate: float
    MaxDelaySeconds: float
    JitterStrategy: str


class AslState(Transition, total=False):
    """A state with the fields of all types; `Type` determines which are used."""

    Type: Literal["Pass", "Choice", "Wait", "Succeed", "Fail", "Task", "Map"]
    Resource: str
    Arguments: object
    TimeoutSeconds: float | str
    Retry: list[Retrier]
    Catch: list[Catcher]
    Choices: list[ChoiceRule]
    Default: str
    Seconds: float | str
    Error: str
    Cause: str
    Items: object
    MaxConcurrency: int | str
    ItemProcessor: "States"


class States(TypedDict):
    """The states of a machine or of a Map's items."""

    StartAt: str
    States: dict[str, AslState]


class StateMachine(States, total=False):
    """A definition; the whole execution may take `TimeoutSeconds`."""

    Comment: str
    QueryLanguage: str
    TimeoutSeconds: float
