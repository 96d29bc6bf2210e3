"""Which host the settings name for the fine-tuned model."""

import math
from collections.abc import Callable
from functools import cache
from typing import Any

from selfrag.adapters.clients import sagemaker_client
from selfrag.adapters.generators.completing import Host
from selfrag.adapters.generators.sagemaker import SageMakerEndpoint
from selfrag.adapters.generators.vllm import VllmServer
from selfrag.adapters.outbound import http_client_for
from selfrag.domain.errors import Misconfigured
from selfrag.runtime.generator_settings import GeneratorSettings


def host_at(config: GeneratorSettings, key: Callable[[bool], str]) -> Host:
    """The host, whose key is read anew if that is wanted; raises Misconfigured where no endpoint is configured."""
    if config.generator_endpoint:
        return SageMakerEndpoint(_clients(), config.generator_endpoint, config.generator_component)
    if config.generator_url:
        return VllmServer(http_client_for(config.generator_url), config.generator_url, key)
    raise Misconfigured(
        "the generator selfrag has no endpoint: SELFRAG_GENERATOR_URL or SELFRAG_GENERATOR_ENDPOINT names it"
    )


def _clients() -> Any:
    """Clients by the seconds for which they wait: boto3's has one patience, a question less and less of it."""
    kept = cache(sagemaker_client)
    return lambda seconds: kept(math.floor(seconds) if seconds >= 1 else max(0.1, round(seconds, 1)))
