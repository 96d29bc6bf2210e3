"""Components of the optional decision model."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from selfrag.bootstrap import question_settings
from selfrag.bootstrap.shared import clock, model_slots, recent_calls, secrets
from selfrag.runtime.decider_settings import DeciderSettings
from selfrag.runtime.parts import part
from selfrag.runtime.settings import read

if TYPE_CHECKING:
    from selfrag.domain.calls import Limits
    from selfrag.ports.decider import Decider
    from selfrag.runtime.circuit_breaker import CircuitBreaker

# Maximum share of a question's remaining time for one decision.
_MAX_SHARE = 0.1


@part("decider_settings")
def decider_settings() -> DeciderSettings:
    """Read the settings of the decision model."""
    return read(DeciderSettings)


def prepare(module: str) -> None:
    """Create the decision model's components during a start, and load a step's questions."""
    if decider_settings().decider_url:
        from selfrag.judging.questions import load_questions

        decider_client()
        load_questions(module)


@part("decider")
def decider() -> "Callable[[Limits], Decider]":
    """Return a factory of the decision model for the limits of a task, without a cache."""
    from selfrag.adapters.decider import SystemOneDecider
    from selfrag.adapters.reflection_tokens import ReflectionDecider
    from selfrag.runtime.pace import Pace

    def build(limits: "Limits") -> "Decider":
        config = decider_settings()

        def make_pace() -> Pace:
            # Claude decides after a timeout.
            most = min(question_settings().step_seconds, 2 * config.decider_timeout_seconds)
            if limits.deadline_ms is not None:
                most = min(most, _MAX_SHARE * (limits.deadline_ms / 1000 - clock().now()))
            seconds = config.decider_timeout_seconds
            return Pace(clock(), recent_calls(), seconds, limits.deadline_ms, most, model_slots())

        return (ReflectionDecider if config.decider_protocol == "completions" else SystemOneDecider)(
            decider_client, config.decider_url, config.decider_model, config.decider_window_tokens,
            config.decider_price, make_pace, decider_breaker(), limits.budget_usd,
        )  # fmt: skip

    return build


@part("decider_breaker")
def decider_breaker() -> "CircuitBreaker":
    """Create the server's circuit breaker, shared by all questions of this process."""
    from selfrag.runtime.circuit_breaker import CircuitBreaker

    return CircuitBreaker("the decision model", clock().now)


@part("decider_client")
def decider_client() -> Any:
    """Make the client of the server; raises Misconfigured when its key cannot be read."""
    from selfrag.adapters.decider import decider_client
    from selfrag.adapters.reflection_tokens import completions_client

    config = decider_settings()
    key = secrets()(config.decider_secret, "SELFRAG_DECIDER_SECRET") if config.decider_secret else ""
    make = completions_client if config.decider_protocol == "completions" else decider_client
    return make(config.decider_url, key)
