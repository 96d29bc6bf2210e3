"""Components shared by models and the decision model: clock, secrets, recent calls and request slots."""

from threading import Semaphore
from typing import TYPE_CHECKING, Any

from selfrag.bootstrap import question_settings
from selfrag.runtime.clock import Clock
from selfrag.runtime.parts import part

if TYPE_CHECKING:
    from selfrag.ports.recent import RecentCalls
    from selfrag.ports.secrets import Secrets


@part("clock")
def clock() -> Clock:
    """Return the clock of retries and deadlines."""
    return Clock()


@part("recent_calls")
def recent_calls() -> "RecentCalls":
    """Make the record of the deployment's recent calls to its models."""
    from selfrag.adapters.recent_calls import DynamoCalls

    return DynamoCalls(verdicts_client(), question_settings().verdicts_table, clock().now)


@part("model_slots")
def model_slots() -> Semaphore:
    """Create the slots of concurrent model requests, shared by all steps of this process."""
    return Semaphore(question_settings().parallel)


@part("verdicts_client")
def verdicts_client() -> Any:
    """Make the client of the table of verdicts, which holds the recent calls, too."""
    from selfrag.adapters.clients import make_client

    return make_client("verdicts")


@part("secrets")
def secrets() -> "Secrets":
    """Make the reader of the deployment's secrets."""
    from selfrag.adapters.clients import make_client
    from selfrag.adapters.secrets import secrets_manager

    return secrets_manager(make_client("secrets"))
