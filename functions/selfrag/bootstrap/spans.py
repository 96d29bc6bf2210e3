"""Parts of the function that sends traces, which most deployments have none of."""

from typing import TYPE_CHECKING

from selfrag.bootstrap.shared import secrets
from selfrag.runtime.parts import part
from selfrag.runtime.settings import SpanSettings, read

if TYPE_CHECKING:
    import httpx2

    from selfrag.adapters.langfuse import Langfuse
    from selfrag.adapters.otlp import Collector


@part("span_settings")
def span_settings() -> SpanSettings:
    """Read the settings of the services that traces are sent to."""
    return read(SpanSettings)


@part("langfuse_client")
def langfuse_client() -> "httpx2.Client":
    """Make the client of the requests to Langfuse."""
    from selfrag.adapters.outbound import http_client_for

    return http_client_for(span_settings().langfuse_host)


def langfuse() -> "Langfuse | None":
    """Return the sender of scores to Langfuse, with its present keys; None where none is named."""
    from selfrag.adapters.langfuse import Langfuse

    config = span_settings()
    if not config.langfuse_host:
        return None
    keys = secrets()(config.langfuse_secret, "SELFRAG_LANGFUSE_SECRET")
    return Langfuse(langfuse_client(), config.langfuse_host, keys, config.langfuse_timeout_seconds)


def collector() -> "Collector":
    """Return the sender to the collector, with its present headers; where none is named, Langfuse takes the spans."""
    from selfrag.adapters.otlp import Collector, read_headers

    config, scored = span_settings(), langfuse()
    if scored and not config.otlp_endpoint:
        return Collector(scored.otlp_endpoint, config.otel_service, scored.headers)
    headers = secrets()(config.otlp_secret, "SELFRAG_OTLP_SECRET") if config.otlp_secret else ""
    return Collector(config.otlp_endpoint, config.otel_service, read_headers(headers))
