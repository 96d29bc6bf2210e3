"""AslState machine definitions in the Amazon States Language, with JSONata, as far as this package interprets it."""

from typing import Literal, TypedDict

StateType = Literal["Pass", "Choice", "Wait", "Succeed", "Fail", "Task", "Map"]


class Transition(TypedDict, total=False):
    """The way out of a state: what it assigns and puts out, and the state that is next."""

    Assign: dict[str, object]
    Output: object
    Next: str


class ChoiceRule(Transition):
    """A transition that is taken if its condition holds."""

    Condition: str


class Catcher(Transition):
    """A transition that is taken after one of these errors."""

    ErrorEquals: list[str]


class _Retrier(TypedDict):
    ErrorEquals: list[str]


class Retrier(_Retrier, total=False):
    """The retries after one of these errors."""

    IntervalSeconds: float
    MaxAttempts: int
    BackoffRate: float
    MaxDelaySeconds: float
    JitterStrategy: str


class AslState(Transition, total=False):
    """A state with the fields of all types; `Type` says which of them it has."""

    Type: StateType
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
    """The states of a machine, or of the items of a Map."""

    StartAt: str
    States: dict[str, AslState]


class StateMachine(States, total=False):
    """A definition; the whole execution may take `TimeoutSeconds`."""

    Comment: str
    QueryLanguage: str
    TimeoutSeconds: float
