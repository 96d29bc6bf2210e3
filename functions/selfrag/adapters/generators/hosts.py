"""Hosts of the fine-tuned model: a vLLM server by its URL, or an endpoint of SageMaker by its name."""

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import httpx2
from botocore.exceptions import BotoCoreError, ClientError

from selfrag.adapters.clients import sagemaker_client
from selfrag.adapters.faults import code_of, typed
from selfrag.adapters.generators.completions import Host
from selfrag.adapters.outbound import checked_url, host_of, http_client_for, unreachable
from selfrag.domain.errors import Asleep, Misconfigured, RequestRejected, SelfragError, TemporarilyUnavailable
from selfrag.runtime.generator_settings import GeneratorSettings
from selfrag.runtime.pace import Unanswered

# SageMaker's words for an endpoint whose inference component has no copy, and for one that does not exist.
_ASLEEP, _ABSENT = "no capacity", "not found"
# vLLM's words where the operator can help, and no other question.
_LIMITS = {"greater than max allowed": "its --max-logprobs is lower than the 20 that are asked for"}
_AGAIN = {0, 408, 409, 425, 429}
_REFUSED = {401: "refused the key", 403: "refused the key", 404: "knows no such model or no /v1/completions"}
_CODES_AGAIN = {"ServiceUnavailable", "InternalFailure", "InternalDependencyException", "ModelNotReadyException"}


def host_at(config: GeneratorSettings, key: Callable[[bool], str]) -> Host:
    """Return the host that the settings name; `key(True)` reads its key anew. Raises Misconfigured for none."""
    if config.generator_endpoint:
        kept = cache(sagemaker_client)

        def client(seconds: float) -> Any:
            # boto3's client has one timeout, a question less and less time.
            return kept(math.floor(seconds) if seconds >= 1 else max(0.1, round(seconds, 1)))

        return SageMakerEndpoint(client, config.generator_endpoint, config.generator_component)
    if config.generator_url:
        return VllmServer(http_client_for(config.generator_url), config.generator_url, key)
    raise Misconfigured(
        "the generator selfrag has no endpoint: SELFRAG_GENERATOR_URL or SELFRAG_GENERATOR_ENDPOINT names it"
    )


class VllmServer:
    """A server at {base}/v1/completions; `key` gives its key, "" where it wants none, and reads it anew on True."""

    def __init__(self, client: httpx2.Client, base_url: str, key: Callable[[bool], str]) -> None:
        self._client, self._read_key = client, key
        base = checked_url(base_url, "SELFRAG_GENERATOR_URL").rstrip("/").removesuffix("/v1")
        self._url, self._key = f"{base}/v1/completions", key(False)
        self.name = f"the model's server at {host_of(base)}"

    def send(self, body: bytes, seconds: float) -> bytes:
        """Return the reply to one request."""
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self._key}"} if self._key else {})
        try:
            reply = self._client.post(self._url, content=body, headers=headers, timeout=seconds)
        except httpx2.TimeoutException as error:
            raise Unanswered(TemporarilyUnavailable(f"{self.name} did not reply in time")) from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise _retried(unreachable(error, self._url)) from error
        if reply.status_code in (401, 403) and self._has_another_key():
            raise Unanswered(TemporarilyUnavailable(f"{self.name} refused a key that has been replaced"), 0.0)
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


class SageMakerEndpoint:
    """An endpoint by InvokeEndpoint, and its `component` if one is named; `clients` makes a client by its timeout."""

    def __init__(self, clients: Callable[[float], Any], endpoint: str, component: str) -> None:
        self._clients = clients
        self._named = {"EndpointName": endpoint, **({"InferenceComponentName": component} if component else {})}
        self.name = f"the model's endpoint {endpoint}"

    def send(self, body: bytes, seconds: float) -> bytes:
        """Return the reply to one request."""
        types = {"ContentType": "application/json", "Accept": "application/json"}
        try:
            reply = self._clients(seconds).invoke_endpoint(Body=body, **types, **self._named)
            content: bytes = reply["Body"].read()
        except (BotoCoreError, ClientError) as error:
            raise _of_sagemaker(error, self.name) from None
        return content


def _of_status(status: int, content: str, server: str, after: float | None = None) -> Exception:
    """Return the exception for a status of HTTP; the server's own words are read here and not repeated."""
    if status in _AGAIN or status >= 500:
        busy = TemporarilyUnavailable(f"{server} is busy: status {status}")
        return Unanswered(busy, after, throttled=status == 429)
    if status in _REFUSED:
        return Misconfigured(f"{server} {_REFUSED[status]}: status {status}")
    for said, why in _LIMITS.items():
        if said in content:
            return Misconfigured(f"{server} cannot be used: {why}")
    return RequestRejected(f"{server} refused the request: status {status}")


def _of_sagemaker(error: Exception, server: str) -> Exception:
    """Return the exception for an error of boto3."""
    code = code_of(error)
    told = error.response if isinstance(error, ClientError) else {}
    said = str(told.get("Error", {}).get("Message", "")).lower()
    if code == "ModelError":
        # 0 is a model that did not reply in 60 s.
        return _of_status(int(told.get("OriginalStatusCode", 500)), str(told.get("OriginalMessage", "")), server)
    if code.startswith("Validation") and _ASLEEP in said:
        return Asleep(f"{server} has no copy of the model that runs")
    if code.startswith("Validation") and _ABSENT in said:
        return Misconfigured(f"{server} is not there: {code}")
    if code in _CODES_AGAIN:
        busy = TemporarilyUnavailable(f"{server} is busy: {code}")
        return Unanswered(busy, throttled=code == "ModelNotReadyException")
    return _retried(typed(error, server))


def _retried(error: SelfragError) -> Exception:
    return Unanswered(error, throttled=False) if isinstance(error, TemporarilyUnavailable) else error
