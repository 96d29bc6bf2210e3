"""What moto keeps or makes anew with every execution, kept within bounds; each stands in for something of moto's."""

import threading
from collections.abc import Callable
from typing import Any

import boto3
from moto.stepfunctions.parser.utils import TMP_THREADS

# Of those that have ended: whoever has just been told the end may still ask for the history.
KEPT_EXECUTIONS = 100


def untracked(cls: type[Any], *arguments: Any, **named: Any) -> Any:
    """An object of moto's that moto does not list: it would list all items that were ever written, for a web page."""
    return object.__new__(cls)


def forgetting(start: Callable[..., Any]) -> Callable[..., Any]:
    """Start an execution, and forget the oldest of those that have ended, with their histories."""
    forgetting = threading.Lock()

    def start_and_forget(self: Any, state_machine_arn: str, *arguments: Any, **named: Any) -> Any:
        execution = start(self, state_machine_arn, *arguments, **named)
        executions = self.describe_state_machine(state_machine_arn).executions
        with forgetting:
            TMP_THREADS[:] = [thread for thread in TMP_THREADS if thread.is_alive()]
            if len(executions) > KEPT_EXECUTIONS:
                ended = [known for known in executions if known.status != "RUNNING"]
                for known in ended[:-KEPT_EXECUTIONS]:
                    executions.remove(known)
        return execution

    return start_and_forget


class OneClientEach:
    """boto3 for moto's interpreter: one client for each service, where moto makes one for each state that calls."""

    def __init__(self) -> None:
        self._clients: dict[tuple[str, str], Any] = {}
        self._lock = threading.Lock()

    def client(self, *, service_name: str, region_name: str, **options: Any) -> Any:
        """The client of a service in a region, made when it is first wanted."""
        with self._lock:
            if (service_name, region_name) not in self._clients:
                client = boto3.client(service_name=service_name, region_name=region_name, **options)
                self._clients[service_name, region_name] = client
            return self._clients[service_name, region_name]
