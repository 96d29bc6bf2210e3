"""Many questions at once at a model that takes so many requests a second, on a simulated clock.

Real: how a step waits, asks again and tells the others, over the table. Made up: the model's limit, its latency, and
that every function is new, so that it knows what stands in the table and nothing else.
"""

import random
from collections import Counter
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import anthropic
import httpx2
from anthropic.types import Message, TextBlock, Usage

from selfrag.adapters.claude.sdk import SdkClaude
from selfrag.ports.prompts import Prompt
from selfrag.ports.recent import RecentCalls
from selfrag.runtime.clock import Clock
from selfrag.runtime.pace import Pace
from selfrag.runtime.settings import DEFAULT_MODELS
from tests.support.simulated.clock import SimulatedTime

REQUEST = httpx2.Request("POST", "http://127.0.0.1/v1/messages")
DEADLINE_SECONDS = 25.0
LATENCY_SECONDS = 0.5


class Throttled:
    """Questions that begin at once, and what became of their requests: `accepted`, `refused`, and steps `given up`."""

    def __init__(self, questions: int, a_second: int, recent: Callable[[Callable[[], float]], RecentCalls]) -> None:
        self.time, self.chance = SimulatedTime(), random.Random(questions)
        self.requests: Counter[str] = Counter()
        self._a_second, self._recent = a_second, recent
        self._window: Counter[int] = Counter()
        self._clock = Clock(self.time.clock, self.time.pause, self.chance.random)
        self._client = SimpleNamespace(base_url="http://127.0.0.1", messages=SimpleNamespace(create=self._create))
        for _ in range(questions):
            self.time.start(self._question)
        self.time.run()
        self.seconds = self.time.now

    def _question(self) -> None:
        # Questions that come at once come within the same tenth of a second.
        self.time.pause(0.1 * self.chance.random())
        ask = self._ask
        ask("decide_retrieval")
        self.time.together([partial(ask, "grade_relevance")] * 4, 4)
        ask("generate")
        self.time.together([partial(ask, "grade_support"), partial(ask, "grade_utility")], 2)

    def _ask(self, step: str) -> None:
        # One model for all: it is its limit that is met.
        models = dict.fromkeys(DEFAULT_MODELS, "claude-haiku-5-5")
        pace = Pace(self._clock, self._recent(self.time.clock), 20.0, 1000 * DEADLINE_SECONDS)
        claude = SdkClaude(self._client, models, {}, pace)
        if claude.write(step, Prompt("the rubric", "v1"), [], {"question": "?"}).flaw == "unavailable":
            self.requests["given up"] += 1

    def _create(self, **request: Any) -> Message:
        self.time.pause(0.02 * self.chance.random())
        second = int(self.time.now)
        if self._window[second] >= self._a_second:
            self.requests["refused"] += 1
            told = httpx2.Response(429, headers={"retry-after": "1"}, request=REQUEST)
            raise anthropic.RateLimitError("busy", response=told, body=None)
        self._window[second] += 1
        self.requests["accepted"] += 1
        self.time.pause(LATENCY_SECONDS * (0.5 + self.chance.random()))
        return Message(
            id="msg_1",
            type="message",
            role="assistant",
            model=request["model"],
            content=[TextBlock(type="text", text="25 days.")],
            stop_reason="end_turn",
            usage=Usage(input_tokens=100, output_tokens=10),
        )
