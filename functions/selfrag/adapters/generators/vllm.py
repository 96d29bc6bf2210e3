"""A vLLM server by its URL: POST {base}/v1/completions."""

from collections.abc import Callable

import httpx2

from selfrag.adapters.generators.faults import again, of_status
from selfrag.adapters.outbound import checked_url, host_of, unreachable
from selfrag.domain.errors import TemporarilyUnavailable
from selfrag.runtime.pace import Unanswered


class VllmServer:
    """A server by a client that is kept; `key` gives its key, "" where it wants none, and reads it anew if told to."""

    def __init__(self, client: httpx2.Client, base_url: str, key: Callable[[bool], str]) -> None:
        self._client, self._read_key = client, key
        self._base = checked_url(base_url, "SELFRAG_GENERATOR_URL").rstrip("/").removesuffix("/v1")
        self._key = key(False)

    @property
    def name(self) -> str:
        """What it is called in a message."""
        return f"the model's server at {host_of(self._base)}"

    def send(self, body: bytes, seconds: float) -> bytes:
        """The reply to one request; raises Unanswered for what another may mend, else selfrag's typed errors."""
        return self._asked("POST", "/v1/completions", seconds, body)

    def models(self, seconds: float) -> bytes:
        """What it says of the models that it serves."""
        return self._asked("GET", "/v1/models", seconds)

    def _asked(self, method: str, path: str, seconds: float, content: bytes | None = None) -> bytes:
        url = self._base + path
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self._key}"} if self._key else {})
        try:
            reply = self._client.request(method, url, content=content, headers=headers, timeout=seconds)
        except httpx2.TimeoutException as error:
            raise Unanswered(TemporarilyUnavailable(f"{self.name} did not reply in time")) from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise again(unreachable(error, url)) from error
        if reply.status_code in (401, 403) and self._has_another_key():
            raise Unanswered(TemporarilyUnavailable(f"{self.name} refused a key that has been replaced"), 0.0)
        if reply.status_code != 200:
            # Not `from` anything: what a server says may repeat a question or a passage.
            raise of_status(reply.status_code, reply.text, self.name, _retry_after(reply)) from None
        return reply.content

    def _has_another_key(self) -> bool:
        """Whether the secret holds another key by now, which is used from now on."""
        before, self._key = self._key, self._read_key(True)
        return self._key != before


def _retry_after(reply: httpx2.Response) -> float | None:
    """For how many seconds the server wants to be left, None if it does not say so in seconds."""
    said = reply.headers.get("retry-after", "")
    return float(said) if said.isdecimal() else None
