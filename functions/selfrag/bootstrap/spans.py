"""Parts of the function that sends spans, which most deployments have none of."""

from collections.abc import Callable, Mapping

from selfrag.bootstrap.shared import secrets
from selfrag.runtime.parts import part
from selfrag.runtime.settings import SpanSettings, read


@part("span_settings")
def span_settings() -> SpanSettings:
    """Read the span_settings of the collector that spans are sent to."""
    return read(SpanSettings)


@part("collector")
def collector() -> Callable[[Mapping[str, object]], None]:
    """Make the sender of requests to the collector."""
    from selfrag.adapters.otlp import Collector
    from selfrag.adapters.outbound import http_client_for

    config = span_settings()

    def headers() -> str:
        return secrets()(config.otlp_secret, "SELFRAG_OTLP_SECRET") if config.otlp_secret else ""

    return Collector(http_client_for(config.otlp_endpoint), config.otlp_endpoint, headers, config.otlp_timeout_seconds)
