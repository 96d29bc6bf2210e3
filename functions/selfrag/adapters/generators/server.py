"""The vLLM server of the fine-tuned model."""

from collections.abc import Callable

import httpx2

from selfrag.adapters.outbound import checked_url, host_of, unreachable
from selfrag.domain.errors import Misconfigured, RequestRejected, SelfragError, TemporarilyUnavailable
from selfrag.runtime.pace import RequestFailure

# vLLM's words where the operator can help, and no other question.
_LIMITS = {"greater than max allowed": "its --max-logprobs is lower than the 20 that are asked for"}
_AGAIN = {408, 409, 425, 429}
_REFUSED = {401: "refused the key", 403: "refused the key", 404: "knows no such model or no /v1/completions"}


class VllmServer:
    """A server at {base}/v1/completions; `key` returns its key, "" if it needs none, and reads it anew on True.

    `name` stands in messages.
    """

    def __init__(self, client: httpx2.Client, base_url: str, key: Callable[[bool], str]) -> None:
        self._client, self._read_key = client, key
        base = checked_url(base_url, "SELFRAG_GENERATOR_URL").rstrip("/").removesuffix("/v1")
        self._url, self._key = f"{base}/v1/completions", key(False)
        self.name = f"the model's server at {host_of(base)}"

    def send(self, body: bytes, seconds: float) -> bytes:
        """Return the reply to a request; raises RequestFailure where a retry may help, else selfrag's typed errors."""
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self._key}"} if self._key else {})
        try:
            reply = self._client.post(self._url, content=body, headers=headers, timeout=seconds)
        except httpx2.TimeoutException as error:
            raise RequestFailure(TemporarilyUnavailable(f"{self.name} did not reply in time")) from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise _retried(unreachable(error, self._url)) from error
        if reply.status_code in (401, 403) and self._has_another_key():
            raise RequestFailure(TemporarilyUnavailable(f"{self.name} refused a key that has been replaced"), 0.0)
        if reply.status_code != 200:
            after = reply.headers.get("retry-after", "")
            # Not `from` anything: a server's own words may repeat a question or a passage.
            raise _of_status(
                reply.status_code, reply.text, self.name, float(after) if after.isdecimal() else None
            ) from None
        return reply.content

    def _has_another_key(self) -> bool:
        before, self._key = self._key, self._read_key(True)
        return self._key != before


def _of_status(status: int, content: str, server: str, after: float | None = None) -> Exception:
    """Return the exception for a status of HTTP; the server's own words are read here and not repeated."""
    if status in _AGAIN or status >= 500:
        busy = TemporarilyUnavailable(f"{server} is busy: status {status}")
        return RequestFailure(busy, after, throttled=status == 429)
    if status in _REFUSED:
        return Misconfigured(f"{server} {_REFUSED[status]}: status {status}")
    for words, why in _LIMITS.items():
        if words in content:
            return Misconfigured(f"{server} cannot be used: {why}")
    return RequestRejected(f"{server} refused the request: status {status}")


def _retried(error: SelfragError) -> Exception:
    return RequestFailure(error, throttled=False) if isinstance(error, TemporarilyUnavailable) else error
