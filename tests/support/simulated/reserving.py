"""Questions at a model of Bedrock whose quota is tokens a minute, on a simulated clock.

By AWS's rule ("How tokens are counted in Amazon Bedrock") a request takes its input and its `max_tokens` from the quota
when it begins; at its end Claude's output counts five times, and the rest is given back. Real: the requests, how long a
step waits and how often it asks again, over the record that the functions share. Made up: a call's latency, the tokens
of docs/costs.md for each step, and that the quota is a bucket that holds so many seconds' worth.
"""

import random
from collections import Counter
from functools import partial
from types import SimpleNamespace
from typing import Any

import anthropic
import httpx2
from anthropic.types import Message, ToolUseBlock, Usage

from selfrag.adapters.claude.sdk import SdkClaude
from selfrag.ports.prompts import Prompt
from selfrag.ports.recent import Recent
from selfrag.question.grade_relevance.logic import Relevance
from selfrag.runtime.clock import Clock
from selfrag.runtime.pace import Pace
from selfrag.runtime.settings import DEFAULT_MODELS
from tests.support.simulated.clock import SimulatedTime

REQUEST = httpx2.Request("POST", "http://127.0.0.1/v1/messages")
MODEL = "us.anthropic.claude-haiku-5-5"
# Input and output of a call, docs/costs.md.
TOKENS = {
    "decide_retrieval": (1140, 79), "grade_relevance": (1346, 91), "generate": (2803, 135),
    "grade_support": (2993, 96), "grade_utility": (1257, 79),
}  # fmt: skip
LATENCY_SECONDS, DEADLINE_SECONDS = 2.0, 25.0
OUTPUT_FACTOR = 5


class Reserving:
    """Questions that come by chance, so many a second, and what became of them.

    `reserved` is the `max_tokens` that every call takes, None for what its request says. `whole` and `partial` count
    questions of which every step got its reply, and others; `refused` counts requests.
    """

    def __init__(self, a_minute: int, a_second: float, seconds: float, burst: float, reserved: int | None) -> None:
        # The same questions come whatever becomes of them.
        self.time, self.chance, self._arrivals = SimulatedTime(), random.Random(a_minute), random.Random(a_minute)
        self.whole = self.partial = self.refused = 0
        self._rate, self._reserved = a_minute / 60, reserved
        self._most = self._left = self._rate * burst
        self._seen = 0.0
        self._held_back = 0.0
        self._clock = Clock(self.time.clock, self.time.pause, self.chance.random)
        self.time.start(partial(self._come, a_second, seconds))
        self.time.run()

    def seen(self, step: str, model: str) -> Recent:
        """Return the backoff of all functions, as the table of verdicts has it."""
        return Recent(patience=max(0.0, self._held_back - self.time.now))

    def refused_for(self, seconds: float) -> None:
        self._held_back = max(self._held_back, self.time.now + seconds)

    def _come(self, a_second: float, seconds: float) -> None:
        while self.time.now < seconds:
            self.time.start(self._question)
            self.time.pause(self._arrivals.expovariate(a_second))

    def _question(self) -> None:
        missing: Counter[str] = Counter()
        ask = partial(self._ask, 1000 * (self.time.now + DEADLINE_SECONDS), missing)
        ask("decide_retrieval")
        self.time.together([partial(ask, "grade_relevance")] * 4, 4)
        ask("generate")
        self.time.together([partial(ask, "grade_support"), partial(ask, "grade_utility")], 2)
        if missing:
            self.partial += 1
        else:
            self.whole += 1

    def _ask(self, deadline_ms: float, missing: Counter[str], step: str) -> None:
        recent: Any = SimpleNamespace(seen=self.seen, refused=lambda model, seconds: self.refused_for(seconds))
        pace = Pace(self._clock, recent, 20.0, deadline_ms)
        messages = SimpleNamespace(create=partial(self._create, step))
        client = SimpleNamespace(base_url="http://127.0.0.1", messages=messages)
        claude = SdkClaude(client, dict.fromkeys(DEFAULT_MODELS, MODEL), {}, pace)
        if step == "generate":
            flaw = claude.write(step, Prompt("the rubric", "v1"), [], {"question": "?"}).flaw
        else:
            flaw = claude.judge(step, Prompt("the rubric", "v1"), {"question": "?"}, Relevance).flaw
        missing.update([step] if flaw == "unavailable" else [])

    def _create(self, step: str, **request: Any) -> Message:
        asked, written = TOKENS[step]
        most = self._reserved or request["max_tokens"]
        self._refill()
        if self._left < asked + most:
            self.refused += 1
            told = httpx2.Response(429, request=REQUEST)
            raise anthropic.RateLimitError(
                "Too many tokens, please wait before trying again.", response=told, body=None
            )
        self._left -= asked + most
        self.time.pause(LATENCY_SECONDS * (0.5 + self.chance.random()))
        self._refill()
        self._left = min(self._most, self._left + most - OUTPUT_FACTOR * written)
        verdict = ToolUseBlock(type="tool_use", id="toolu_1", name="verdict", input={"reason": "r", "score": 1.0})
        usage = Usage(input_tokens=asked, output_tokens=written)
        return Message(
            id="msg_1", type="message", role="assistant", model=MODEL, content=[verdict], stop_reason="tool_use",
            usage=usage,
        )  # fmt: skip

    def _refill(self) -> None:
        self._left = min(self._most, self._left + (self.time.now - self._seen) * self._rate)
        self._seen = self.time.now
