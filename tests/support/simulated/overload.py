"""More questions than an account may run functions for, on a simulated clock: who is refused, and what is lost.

Real: how often and when the definition tries a step again, how many graders run at once, and the share of `ask`. Made
up: how long a step takes. Left out: cold starts, other functions of the account, and API Gateway's own throttle, which
would refuse many before.
"""

import random
import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

from selfrag.plan.passes import AT_ONCE
from tests.support.definition import states
from tests.support.simulated.clock import SimulatedTime
from tests.support.simulated.lambdas import Refused, run_together

STATES = {state.name: state.body for state in states()}
LIMITS = (Path(__file__).parents[3] / "infra" / "api_limits.tf").read_text(encoding="utf-8")
(PARTS,) = re.findall(r"ask_share = .* \? floor\(var\.account_concurrency / (\d+)\) : -1", LIMITS)
SHARE = 1 / int(PARTS)


class Overload:
    """Questions that come by chance, so many a second, and what becomes of each: `answered`, `refused` or `lost`."""

    def __init__(self, limit: int, reserved: float, graders: int, a_second: float, seconds: float) -> None:
        random.seed(limit + graders)
        self.time = SimulatedTime()
        self.ended: Counter[str] = Counter()
        self._graders = graders
        # What a step takes its copy from, and what `ask` does: without a reservation they are one.
        self._steps_free = [limit - int(reserved)]
        self._seats = [int(reserved)] if reserved else self._steps_free
        self.time.start(partial(self._come, a_second, seconds))
        self.time.run()

    def _come(self, a_second: float, seconds: float) -> None:
        while self.time.now < seconds:
            self.time.start(self._question)
            self.time.pause(random.expovariate(a_second))

    def _question(self) -> None:
        if not self._seats[0]:
            self.ended["refused"] += 1
            return
        self._seats[0] -= 1
        try:
            self._steps()
        except Refused:
            self.ended["lost"] += 1
        else:
            self.ended["answered"] += 1
        self._seats[0] += 1

    def _steps(self) -> None:
        read = {"DecideRetrieval": 2.0, "Generate": 3.0}
        grades = [partial(self._step, "GradeRelevance", 2.0)] * self._graders
        self._pass({"Retrieve": 0.5})
        self._pass(read, *grades)
        self._pass({"GradeSupport": 2.0, "GradeUtility": 2.0})
        self._step("Plan", 0.1)
        self._step("ComposeAnswer", 0.1)

    def _pass(self, steps: dict[str, float], *more: Callable[[], None]) -> None:
        self._step("Plan", 0.1)
        jobs = [*(partial(self._step, step, seconds) for step, seconds in steps.items()), *more]
        run_together(self.time, jobs, AT_ONCE)

    def _step(self, name: str, seconds: float) -> None:
        (retrier,) = STATES[name]["Retry"]
        assert "Lambda.TooManyRequestsException" in retrier["ErrorEquals"]
        wait = retrier["IntervalSeconds"]
        for _ in range(retrier["MaxAttempts"] + 1):
            if self._steps_free[0]:
                self._steps_free[0] -= 1
                self.time.pause(random.uniform(0.7, 1.3) * seconds)
                self._steps_free[0] += 1
                return
            self.time.pause(random.uniform(0, min(wait, retrier["MaxDelaySeconds"])))
            wait *= retrier["BackoffRate"]
        raise Refused(name)
