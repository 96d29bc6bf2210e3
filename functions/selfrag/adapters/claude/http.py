"""Claude by the Messages API over HTTP; importing the anthropic SDK would take four fifths of a Lambda's cold start."""

import json
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import quote

import httpx2
from typing_extensions import override

from selfrag.adapters.claude.messages import Message
from selfrag.adapters.claude.profiles import MessagesRequest, profile_of
from selfrag.adapters.claude.schema import strict_schema
from selfrag.adapters.model import ServiceModel, unreadable_error
from selfrag.adapters.outbound import checked_url, host_of, http_client_for, read_json, unreachable_error
from selfrag.domain.errors import Misconfigured, RequestRejected, TemporarilyUnavailable
from selfrag.runtime.pace import RequestFailure
from selfrag.runtime.settings import Settings

API_VERSION = "2026-10-21"
_URL = "https://api.anthropic.com"
# The variables of the vendor's own tools for another address.
_BASE_URLS = {
    "anthropic": "ANTHROPIC_BASE_URL", "bedrock": "ANTHROPIC_BEDROCK_BASE_URL", "aws": "ANTHROPIC_AWS_BASE_URL",
}  # fmt: skip
_MAX_ERROR_CHARACTERS = 4000


@dataclass(frozen=True)
class MessagesClient:
    """The Messages API at an address; `sign` returns the headers of a request by its URL and body.

    Bedrock has an address for each model, and takes the version in the body.
    """

    http: httpx2.Client
    base_url: str
    sign: Callable[[str, bytes], Mapping[str, str]]
    on_bedrock: bool = False
    api_key: str = ""

    def post(self, request: Mapping[str, object], seconds: float) -> httpx2.Response:
        """Send a request within so many seconds; raises httpx2's errors."""
        path, body = "/v1/messages", dict(request)
        headers = {"accept": "application/json", "content-type": "application/json"}
        if self.on_bedrock:
            path = f"/model/{quote(str(body.pop('model')), safe=':;')}/invoke"
            body = {"anthropic_version": API_VERSION, **body}
        else:
            headers["anthropic-version"] = API_VERSION
        url, content = self.base_url.rstrip("/") + path, json.dumps(body).encode()
        return self.http.post(url, content=content, headers={**headers, **self.sign(url, content)}, timeout=seconds)


class HttpClaude(ServiceModel):
    """Claude by Anthropic's API, by Bedrock or by another server that speaks the Messages API."""

    cites = True
    profile = staticmethod(profile_of)
    schema = staticmethod(strict_schema)

    @staticmethod
    @override
    def connect(config: Settings, key: str, region: str | None = None) -> MessagesClient:
        provider = config.model_provider
        base_url = config.model_base_url or os.environ.get(_BASE_URLS[provider])
        if base_url:
            checked_url(base_url, "SELFRAG_MODEL_BASE_URL" if config.model_base_url else _BASE_URLS[provider])
        if not (key.isascii() and key.isprintable()):
            raise Misconfigured("the key of the model has a letter that no key has: set the secret again")
        if provider == "anthropic":
            base_url = base_url or _URL
            return MessagesClient(
                http_client_for(base_url), base_url, lambda *_: {"authorization": f"Bearer {key}"}, api_key=key
            )
        if provider == "bedrock":
            sign, region = _signature(region, "bedrock", os.environ.get("AWS_BEARER_TOKEN_BEDROCK"))
            base_url = base_url or f"https://bedrock-runtime.{region}.amazonaws.com"
            return MessagesClient(http_client_for(base_url), base_url, sign, on_bedrock=True)
        sign, region = _signature(region, "aws-external-anthropic")
        base_url = base_url or f"https://aws-external-anthropic.{region}.api.aws"
        workspace = {"anthropic-workspace-id": os.environ.get("ANTHROPIC_AWS_WORKSPACE_ID", "")}
        if not all(workspace.values()):
            raise Misconfigured("the client of Claude Platform on AWS needs ANTHROPIC_AWS_WORKSPACE_ID")
        return MessagesClient(
            http_client_for(base_url), base_url, lambda url, content: {**workspace, **sign(url, content)}
        )

    @staticmethod
    @override
    def read(client: MessagesClient, path: str) -> Any:
        named = {"authorization": f"Bearer {client.api_key}", "anthropic-version": API_VERSION}
        return read_json(client.http, client.base_url.rstrip("/") + path, named if client.api_key else {})

    @override
    def _create(self, request: MessagesRequest, max_tokens: int, seconds: float) -> Message:
        model, client = request["model"], self._client
        plain = {name: value for name, value in request.items() if name != "extra_body"}
        try:
            reply = client.post({**plain, **request.get("extra_body", {}), "max_tokens": max_tokens}, seconds)
        except TemporarilyUnavailable as error:  # the credentials cannot be renewed now
            raise RequestFailure(error) from error
        except httpx2.TimeoutException as error:
            self._cost_budget.book_loss()
            raise RequestFailure(TemporarilyUnavailable(f"{model} did not reply in time")) from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            self._cost_budget.book_loss()
            failure = unreachable_error(error, client.base_url)
            raise (RequestFailure(failure) if isinstance(failure, TemporarilyUnavailable) else failure) from error
        if not reply.is_success:
            # The service does not bill requests that it answers with an error.
            self._raise_for(reply, model)
        try:
            return Message.model_validate(reply.json())
        except (ValueError, RecursionError):
            self._cost_budget.book_loss()
            raise unreadable_error(model) from None

    def _raise_for(self, reply: httpx2.Response, model: str) -> None:
        """Raise the exception for an error reply.

        Messages name the status only: the body may repeat the request, and so a question or a passage.
        """
        status, host = reply.status_code, host_of(self._client.base_url)
        renewed = self._with_another_key(self._client) if status == 401 else None
        if renewed is not None:
            self._client = renewed
            raise RequestFailure(TemporarilyUnavailable(f"{model} has another key now"), after=0.0)
        if status in (408, 409, 429) or status >= 500:
            busy = TemporarilyUnavailable(f"{model} is busy: status {status}")
            raise RequestFailure(busy, retry_after(reply.headers, self._pace.now()), throttled=status == 429)
        if status == 401:
            raise Misconfigured(f"{host} refused the key: status 401")
        if status == 404:
            raise Misconfigured(f"{host} knows no {model}, or its base URL is wrong: status 404")
        if status in (402, 403):
            raise Misconfigured(f"{host} does not let this key use {model}: status {status}")
        # The message names the refused feature and is not passed on.
        cause = ValueError(reply.text[:_MAX_ERROR_CHARACTERS])
        raise RequestRejected(f"{model} refused the request: status {status}") from cause


def _signature(
    region: str | None, service: str, token: str | None = None
) -> tuple[Callable[[str, bytes], Mapping[str, str]], str]:
    """Return what signs requests, and the region; raises Misconfigured without credentials (or a token) or region."""
    import boto3
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest

    from selfrag.adapters.faults import aws_faults

    session = boto3.Session(region_name=region or os.environ.get("AWS_REGION"))
    place = session.region_name
    credentials: Any = None if token else session.get_credentials()
    if place is None or not (token or credentials):
        raise Misconfigured(f"the {service} client cannot be made: it needs AWS credentials and a region")

    def sign(url: str, content: bytes) -> Mapping[str, str]:
        if token:
            return {"authorization": f"Bearer {token}"}
        request = AWSRequest("POST", url, {"content-type": "application/json"}, content)
        with aws_faults(f"the credentials for {service}"):
            # Frozen: key, secret and token are of one refresh.
            SigV4Auth(credentials.get_frozen_credentials(), service, place).add_auth(request)
        return dict(request.headers.items())

    return sign, place


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds after which the service allows a retry, None if it does not say; `now` is since the epoch.

    The header is in milliseconds (`retry-after-ms`, which the SDK knows too), in seconds or a date.
    """
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            seconds = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        return max(0.0, seconds) if not math.isnan(seconds) else None
    try:
        return max(0.0, parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - now)
    except ValueError:
        return None
