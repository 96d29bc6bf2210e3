"""Lambda's refusals on simulated time."""

from collections.abc import Callable, Sequence
from functools import partial

from tests.support.simulated.clock import SimulatedTime


class Refused(Exception):
    """Lambda ran no function, however often it was tried."""


def run_together(time: SimulatedTime, jobs: Sequence[Callable[[], None]], most: int) -> None:
    """Run jobs side by side, so many at a time, to the end of all; then raise Refused if one of them was refused."""
    refused: list[Refused] = []

    def noted(job: Callable[[], None]) -> None:
        try:
            job()
        except Refused as error:
            refused.append(error)

    time.together([partial(noted, job) for job in jobs], most)
    if refused:
        raise refused[0]
