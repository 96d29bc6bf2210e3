"""A vLLM server by its URL: POST {base}/v1/completions."""

import httpx2

from selfrag.adapters.claude.faults import Unanswered
from selfrag.adapters.generators.faults import again, of_status
from selfrag.adapters.outbound import checked_url, host_of, unreachable
from selfrag.domain.errors import TemporarilyUnavailable


class VllmServer:
    """A server by a client that is kept; `key` is "" where it asks for none."""

    def __init__(self, client: httpx2.Client, base_url: str, key: str) -> None:
        self._client = client
        self._base = checked_url(base_url, "SELFRAG_GENERATOR_URL").rstrip("/").removesuffix("/v1")
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}

    @property
    def name(self) -> str:
        """What it is called in a message."""
        return f"the model's server at {host_of(self._base)}"

    def send(self, body: bytes, seconds: float) -> bytes:
        """The reply to one request; raises Unanswered for what another may mend, else selfrag's typed errors."""
        headers = {**self._headers, "Content-Type": "application/json"}
        return self._asked("POST", "/v1/completions", seconds, content=body, headers=headers)

    def models(self, seconds: float) -> bytes:
        """What it says of the models that it serves."""
        return self._asked("GET", "/v1/models", seconds, headers=self._headers)

    def _asked(
        self, method: str, path: str, seconds: float, headers: dict[str, str], content: bytes | None = None
    ) -> bytes:
        url = self._base + path
        try:
            reply = self._client.request(method, url, content=content, headers=headers, timeout=seconds)
        except httpx2.TimeoutException as error:
            raise Unanswered(TemporarilyUnavailable(f"{self.name} did not reply in time")) from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise again(unreachable(error, url)) from error
        if reply.status_code != 200:
            # Not `from` anything: what a server says may repeat a question or a passage.
            raise of_status(reply.status_code, reply.text, self.name, _retry_after(reply)) from None
        return reply.content


def _retry_after(reply: httpx2.Response) -> float | None:
    """For how many seconds the server wants to be left, None if it does not say so in seconds."""
    said = reply.headers.get("retry-after", "")
    return float(said) if said.isdecimal() else None
