"""Parts of the fine-tuned Self-RAG model, which most deployments have none of."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from selfrag.bootstrap.questions import clock, recent_calls, secrets
from selfrag.runtime.generator_settings import GeneratorSettings
from selfrag.runtime.parts import once
from selfrag.runtime.settings import read

if TYPE_CHECKING:
    from selfrag.adapters.generators.completions import Host
    from selfrag.domain.calls import Limits
    from selfrag.ports.generator import Generator


@once
def settings() -> GeneratorSettings:
    """Read the settings of the fine-tuned model."""
    return read(GeneratorSettings)


@once
def generator() -> "Callable[[Limits], Generator]":
    """Return a factory of the fine-tuned model for the limits of a task."""
    from selfrag.adapters.generators.completions import Completions
    from selfrag.domain.scores.vocabulary import Vocabulary
    from selfrag.runtime.pace import Pace

    def within(limits: "Limits") -> "Generator":
        config, host = settings(), generator_host()
        pace = Pace(clock(), recent_calls(), config.generator_timeout_seconds, limits.deadline_ms)
        return Completions(
            host, pace, Vocabulary(config.generator_token_ids), config.generator_name, config.generator_served
        )

    return within


@once
def generator_host() -> "Host":
    """Make the client of the server or endpoint that runs the model; raises Misconfigured where none is configured."""
    from selfrag.adapters.generators.hosts import host_at

    config = settings()

    def key(anew: bool) -> str:
        name = config.generator_secret
        return secrets()(name, "SELFRAG_GENERATOR_SECRET", anew=anew) if name else ""

    return host_at(config, key)
