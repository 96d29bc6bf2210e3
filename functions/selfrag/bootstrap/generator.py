"""Parts of the fine-tuned Self-RAG model, which most deployments have none of."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from selfrag.bootstrap import question_settings
from selfrag.bootstrap.questions import clock, recent_calls, secrets
from selfrag.runtime.generator_settings import GeneratorSettings
from selfrag.runtime.parts import part
from selfrag.runtime.settings import read

if TYPE_CHECKING:
    from selfrag.adapters.generators.server import VllmServer
    from selfrag.domain.calls import Limits
    from selfrag.ports.generator import Generator


@part("generator_settings")
def generator_settings() -> GeneratorSettings:
    """Read the settings of the fine-tuned model."""
    return read(GeneratorSettings)


@part("generator")
def generator() -> "Callable[[Limits], Generator]":
    """Return a factory of the fine-tuned model for the limits of a task."""
    from selfrag.adapters.generators.completions import Completions
    from selfrag.domain.scores.vocabulary import Vocabulary
    from selfrag.runtime.pace import Pace

    def within(limits: "Limits") -> "Generator":
        config, server = generator_settings(), generator_server()
        step_seconds = question_settings().step_seconds
        pace = Pace(clock(), recent_calls(), config.generator_timeout_seconds, limits.deadline_ms, step_seconds)
        return Completions(server, pace, Vocabulary(config.generator_token_ids), config.generator_name)

    return within


@part("generator_server")
def generator_server() -> "VllmServer":
    """Make the client of the server that runs the model; raises Misconfigured where none is configured."""
    from selfrag.adapters.generators.server import VllmServer
    from selfrag.adapters.outbound import http_client_for
    from selfrag.domain.errors import Misconfigured

    config = generator_settings()
    if not config.configured:
        raise Misconfigured("the generator selfrag has no server: SELFRAG_GENERATOR_URL names it")

    def key(anew: bool) -> str:
        name = config.generator_secret
        return secrets()(name, "SELFRAG_GENERATOR_SECRET", anew=anew) if name else ""

    return VllmServer(http_client_for(config.generator_url), config.generator_url, key)
