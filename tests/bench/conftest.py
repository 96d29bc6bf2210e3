"""The stack with the simulated service, in no time and at a clock that stands."""

from collections.abc import Iterator

import pytest

from tests.bench.api.clock import standing
from tests.bench.api.faults import no_faults
from tests.bench.api.server import MessagesApi
from tests.bench.running import Running, running


@pytest.fixture(scope="module")
def started() -> Iterator[Running]:
    clock = standing()
    with running(MessagesApi(clock=clock), sleep=clock.move) as at:
        yield at


@pytest.fixture
def at(started: Running) -> Running:
    """Nothing is remembered of the test before."""
    started.forget()
    started.api.clock.move(7200)
    started.api.faults = no_faults
    return started
