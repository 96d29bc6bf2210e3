"""A collector of spans that takes OTLP over HTTP."""

from collections.abc import Callable, Mapping
from urllib.parse import unquote

import httpx2

from selfrag.adapters.outbound import checked_url, post
from selfrag.domain.errors import Misconfigured


class Collector:
    """A collector at its endpoint, asked within this timeout in seconds; raises selfrag's typed errors.

    `headers` gives them as OpenTelemetry's OTEL_EXPORTER_OTLP_HEADERS has them: `name=value,name=value`, with what is
    special in a value as in a URL.
    """

    def __init__(self, client: httpx2.Client, endpoint: str, headers: Callable[[], str], seconds: float) -> None:
        self._client, self._headers, self._seconds = client, headers, seconds
        self._url = checked_url(endpoint, "the collector's endpoint").rstrip("/") + "/v1/traces"

    def __call__(self, request: Mapping[str, object]) -> None:
        """Send an ExportTraceServiceRequest."""
        post(self._client, self._url, "the collector", request, _headers_in(self._headers()), self._seconds)


def _headers_in(text: str) -> dict[str, str]:
    pairs = [each.partition("=") for each in text.split(",") if each.strip()]
    if not all(name.strip() and equals and value.isascii() for name, equals, value in pairs):
        # Without the text, which is a key.
        raise Misconfigured("the collector's headers must be name=value, with commas between")
    return {name.strip(): unquote(value.strip()) for name, _, value in pairs}
