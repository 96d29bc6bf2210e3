"""The simulated service in a separate process, so that its computing time does not count for a question."""

from multiprocessing.managers import BaseManager
from types import TracebackType
from typing import Any, Self

from bench.workflow.api.billing import Billed
from bench.workflow.api.clock import Clock
from bench.workflow.api.faults import Faults, no_faults
from bench.workflow.api.server import MessagesApi, Pace, no_time
from selfrag_cli.local.serving.http import HOST


class Service(MessagesApi):
    """A remote proxy of the service: only method calls with values that can be pickled."""

    def address(self) -> str:
        """Return where it answers."""
        return self.url

    def noted(self) -> list[Billed]:
        """Return the requests that ended, in that order."""
        return self.billed

    def move(self, seconds: float) -> None:
        """Let so much time have passed."""
        self.clock.move(seconds)

    def fail(self, faults: Faults) -> None:
        """Refuse what these say from now on."""
        self.faults = faults

    def start(self) -> None:
        """Start to answer."""
        self.__enter__()


class _Manager(BaseManager):
    """Runs the service's process, and ends it."""


_Manager.register("Service", Service)


class _Moved(Clock):
    """The clock on this side, which moves the service's with it."""

    def __init__(self, service: Any) -> None:
        super().__init__()
        self._service = service

    def move(self, seconds: float) -> None:
        """Let so much time have passed, here and there."""
        super().move(seconds)
        self._service.move(seconds)


class ApartApi:
    """A context manager with the interface of `MessagesApi`: both processes use the system's clock."""

    def __init__(self, pace: Pace = no_time) -> None:
        self._manager = _Manager(address=(HOST, 0))
        self._manager.start()
        self._service: Any = self._manager.Service(pace)  # type: ignore[attr-defined]
        self.clock: Clock = _Moved(self._service)
        self.url: str = self._service.address()
        self._faults: Faults = no_faults

    def __enter__(self) -> Self:
        """Start to answer."""
        self._service.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """End the process."""
        self._manager.shutdown()

    @property
    def billed(self) -> list[Billed]:
        """Return the requests that ended, in that order."""
        return self._service.noted()

    @property
    def faults(self) -> Faults:
        """Return the configured faults; a new setting must be picklable."""
        return self._faults

    @faults.setter
    def faults(self, faults: Faults) -> None:
        self._faults = faults
        self._service.fail(faults)

    def forget(self) -> None:
        """Begin anew."""
        self._service.forget()
