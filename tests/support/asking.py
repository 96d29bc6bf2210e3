"""A step's Claude, with a clock that does not wait, and recent calls in memory."""

import time
from collections.abc import Mapping
from typing import Any

from selfrag.adapters.claude.capabilities import Capabilities
from selfrag.adapters.claude.cost_budget import CostBudget
from selfrag.adapters.claude.http import HttpClaude, MessagesClient
from selfrag.adapters.claude.sdk import SdkClaude
from selfrag.domain.calls import Limits, Prices
from selfrag.ports.recent import Recent
from selfrag.runtime.clock import Clock
from selfrag.runtime.pace import Pace
from selfrag.runtime.settings import DEFAULT_MODELS


class Skipping:
    """A time in which pauses are skipped: they are noted, and the clock shows that they are over."""

    def __init__(self, share: float = 0.5) -> None:
        self.slept: list[float] = []
        self.clock = Clock(now=lambda: time.time() + sum(self.slept), sleep=self.slept.append, share=lambda: share)


class MemoryCalls:
    """Recent calls set by a test; `refusals` are the recorded ones."""

    def __init__(self, *intervals: float, patience: float = 0.0) -> None:
        self.known = Recent(intervals, patience)
        self.refusals: list[tuple[str, float]] = []

    def record_call(self, step: str, model: str) -> Recent:
        return self.known

    def record_refusal(self, model: str, seconds: float) -> None:
        self.refusals.append((model, seconds))


def claude_of(
    client: Any,
    models: Mapping[str, str] | None = None,
    seconds: float = 20.0,
    limits: Limits | None = None,
    recent: MemoryCalls | None = None,
    time: Skipping | None = None,
    prices: Mapping[str, Prices] | None = None,
    capabilities: Capabilities | None = None,
) -> HttpClaude | SdkClaude:
    """Return Claude for one task, with only these settings; the client is the SDK's or ours."""
    limits = limits or Limits()
    pace = Pace((time or Skipping()).clock, recent or MemoryCalls(), seconds, limits.deadline_ms)
    models, budget = {**DEFAULT_MODELS, **(models or {})}, limits.budget_usd
    kind = HttpClaude if isinstance(client, MessagesClient) else SdkClaude
    return kind(client, models, pace, CostBudget(budget, prices or {}), capabilities or Capabilities())
