"""The clock of waits, which tests and benches can override."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Clock:
    """The time in seconds since the epoch, a pause of so many seconds, and a random share from 0 to 1."""

    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    share: Callable[[], float] = random.random
