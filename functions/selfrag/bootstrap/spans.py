"""Parts of the function that sends traces, which most deployments have none of."""

from typing import TYPE_CHECKING

from selfrag.bootstrap.shared import secrets
from selfrag.runtime.parts import part
from selfrag.runtime.settings import SpanSettings, read

if TYPE_CHECKING:
    from selfrag.adapters.langfuse import Langfuse
    from selfrag.adapters.otlp import Collector


@part("span_settings")
def span_settings() -> SpanSettings:
    """Read the settings of the services that traces are sent to."""
    return read(SpanSettings)


def langfuse() -> "Langfuse | None":
    """Return the project of Langfuse, with its present keys; None where none is named."""
    from selfrag.adapters.langfuse import Langfuse

    config = span_settings()
    if not config.langfuse_host:
        return None
    return Langfuse(config.langfuse_host, secrets()(config.langfuse_secret, "SELFRAG_LANGFUSE_SECRET"))


def collector() -> "Collector":
    """Return the collector, with its present headers; where none is named, Langfuse takes the spans."""
    from selfrag.adapters.otlp import Collector, read_headers

    config, scored = span_settings(), langfuse()
    if scored and not config.otlp_endpoint:
        return Collector(scored.otlp_endpoint, scored.headers)
    headers = secrets()(config.otlp_secret, "SELFRAG_OTLP_SECRET") if config.otlp_secret else ""
    return Collector(config.otlp_endpoint, read_headers(headers))
