"""Claude by the Messages API over HTTP; importing the anthropic SDK would take four fifths of a Lambda's cold start."""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import httpx2
from pydantic import BaseModel
from typing_extensions import override

from selfrag.adapters.claude.messages import Message, message_of
from selfrag.adapters.claude.profiles import MessagesRequest, Profile, profile_of
from selfrag.adapters.claude.refusals import failure_of
from selfrag.adapters.claude.schema import Schema, strict_schema
from selfrag.adapters.faults import aws_faults
from selfrag.adapters.model import ServiceModel, unreadable_error
from selfrag.adapters.outbound import checked_url, http_client_for, read_json, unreachable_error
from selfrag.domain.errors import Misconfigured, RequestRejected, TemporarilyUnavailable
from selfrag.runtime.pace import RequestFailure
from selfrag.runtime.settings import Settings

API_VERSION = "2026-10-21"
_URL = "https://api.anthropic.com"
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

    @staticmethod
    @override
    def connect(config: Settings, key: str, region: str | None = None) -> MessagesClient:
        base_url = config.model_base_url
        if base_url:
            checked_url(base_url, "SELFRAG_MODEL_BASE_URL")
        if not (key.isascii() and key.isprintable()):
            raise Misconfigured("the key of the model has a letter that no key has: set the secret again")
        if config.model_provider == "anthropic":
            base_url = base_url or _URL
            return MessagesClient(
                http_client_for(base_url), base_url, lambda *_: {"authorization": f"Bearer {key}"}, api_key=key
            )
        if config.model_provider == "bedrock":
            sign, region = _signature(region)
            base_url = base_url or f"https://bedrock-runtime.{region}.amazonaws.com"
            return MessagesClient(http_client_for(base_url), base_url, sign, on_bedrock=True)
        raise Misconfigured(f"the provider {config.model_provider} needs the package anthropic")

    @staticmethod
    @override
    def profile(model: str) -> Profile:
        return profile_of(model)

    @staticmethod
    @override
    def schema(shape: type[BaseModel]) -> Schema:
        return strict_schema(shape)

    @staticmethod
    @override
    def read(client: MessagesClient, path: str) -> Any:
        return read_json(client.http, client.base_url.rstrip("/") + path)

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
        message = message_of(_parse(reply.content))
        if message is None:
            self._cost_budget.book_loss()
            raise unreadable_error(model)
        return message

    def _raise_for(self, reply: httpx2.Response, model: str) -> None:
        renewed = self._with_another_key(self._client) if reply.status_code == httpx2.codes.UNAUTHORIZED else None
        if renewed is not None:
            self._client = renewed
            raise RequestFailure(TemporarilyUnavailable(f"{model} has another key now"), after=0.0)
        failure = failure_of(reply.status_code, reply.headers, model, self._client.base_url, self._pace.now())
        if isinstance(failure, RequestRejected):
            # The message names the refused feature and is not passed on.
            raise failure from ValueError(reply.text[:_MAX_ERROR_CHARACTERS])
        raise failure


def _signature(region: str | None) -> tuple[Callable[[str, bytes], Mapping[str, str]], str]:
    """Return what signs requests to Bedrock, and the region; raises Misconfigured without credentials or region."""
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest
    from botocore.session import get_session

    session = get_session()
    place = region or os.environ.get("AWS_REGION") or session.get_config_variable("region")
    token = os.environ.get("AWS_BEARER_TOKEN_BEDROCK")
    credentials: Any = None if token else session.get_credentials()
    if place is None or not (token or credentials):
        raise Misconfigured("the bedrock client cannot be made: it needs AWS credentials and a region")

    def sign(url: str, content: bytes) -> Mapping[str, str]:
        if token:
            return {"authorization": f"Bearer {token}"}
        request = AWSRequest("POST", url, {"content-type": "application/json"}, content)
        with aws_faults("the credentials for Bedrock"):
            # Frozen: key, secret and token are of one refresh.
            SigV4Auth(credentials.get_frozen_credentials(), "bedrock", place).add_auth(request)
        return dict(request.headers.items())

    return sign, place


def _parse(content: bytes) -> Any:
    """Return the JSON of a reply with its blocks as objects, None if there is none."""
    try:
        reply = json.loads(content)
    except (ValueError, RecursionError):
        return None
    if isinstance(reply, dict) and isinstance(blocks := reply.get("content"), list):
        reply["content"] = [_block(block) for block in blocks]
    return reply


def _block(block: Any) -> Any:
    if not isinstance(block, dict):
        return block
    if isinstance(citations := block.get("citations"), list):
        block["citations"] = [SimpleNamespace(**each) if isinstance(each, dict) else each for each in citations]
    return SimpleNamespace(**block)
