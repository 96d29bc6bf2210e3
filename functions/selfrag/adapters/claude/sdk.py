"""Claude by the anthropic SDK."""

from typing import Any

import anthropic
from pydantic import BaseModel
from typing_extensions import override

from selfrag.adapters.claude.messages import Message, message_of
from selfrag.adapters.claude.profiles import MessagesRequest, Profile, profile_of
from selfrag.adapters.claude.refusals import failure_of
from selfrag.adapters.claude.schema import Schema, strict_schema
from selfrag.adapters.model import ServiceModel, unreadable_error
from selfrag.adapters.outbound import REACH_SECONDS, checked_url, http_client_for, unreachable_error
from selfrag.domain.errors import Misconfigured, SelfragError, TemporarilyUnavailable
from selfrag.runtime.pace import RequestFailure
from selfrag.runtime.settings import Settings

# By which a proxy is chosen where no base URL is set; the region makes no difference to it.
_HOSTS = {"anthropic": "api.anthropic.com", "bedrock": "bedrock-runtime.amazonaws.com", "aws": "claude.api.aws"}


class SdkClaude(ServiceModel):
    """Claude by Anthropic's API, by Bedrock or by another server that speaks the Messages API."""

    cites = True

    @staticmethod
    @override
    def connect(config: Settings, key: str, region: str | None = None) -> Any:
        provider, base_url = config.model_provider, config.model_base_url
        # `Pace` owns the retries: the SDK would honour any `retry-after`, even past the deadline.
        options: dict[str, Any] = {"max_retries": 0, "timeout": config.model_timeout_seconds}
        if base_url:
            options["base_url"] = checked_url(base_url, "SELFRAG_MODEL_BASE_URL")
        options["http_client"] = http_client_for(base_url or f"https://{_HOSTS[provider]}")
        try:
            client: Any
            if provider == "bedrock":
                client = anthropic.AnthropicBedrock(aws_region=region, **options)
            elif provider == "aws":
                client = anthropic.AnthropicAWS(**options)
            else:
                client = anthropic.Anthropic(api_key=key, **options)
        except (anthropic.AnthropicError, ValueError) as error:
            raise Misconfigured(f"the {provider} client cannot be made: {error}") from error
        # The SDK reads its own environment variables for a base URL.
        checked_url(str(client.base_url), "The model's base URL")
        return client

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
    def read(client: Any, path: str) -> Any:
        try:
            return client.get(path, cast_to=object, options={"timeout": REACH_SECONDS})
        except anthropic.APIConnectionError as error:
            raise unreachable_error(error, str(client.base_url)) from error
        except (anthropic.AnthropicError, ValueError, RecursionError):
            return None

    @override
    def _create(self, request: MessagesRequest, max_tokens: int, seconds: float) -> Message:
        model, url = request["model"], str(self._client.base_url)
        try:
            message = message_of(self._client.messages.create(**request, max_tokens=max_tokens, timeout=seconds))
        except anthropic.AnthropicError as error:
            # The service bills no request that it answers with an error.
            if not isinstance(error, anthropic.APIStatusError):
                self._cost_budget.book_loss()
            renewed = self._with_another_key(self._client) if isinstance(error, anthropic.AuthenticationError) else None
            if renewed is None:
                raise exception_for(error, model, url, self._pace.now()) from error
            self._client = renewed
            raise RequestFailure(TemporarilyUnavailable(f"{model} has another key now"), after=0.0) from error
        except (ValueError, RecursionError):  # the SDK could not read the body as JSON
            message = None
        if message is None:
            self._cost_budget.book_loss()
            raise unreadable_error(model)
        return message


def exception_for(error: anthropic.AnthropicError, model: str, url: str, now: float) -> RequestFailure | SelfragError:
    """Return the exception to raise for an error of the SDK; `now` is in seconds since the epoch."""
    if isinstance(error, anthropic.APIStatusError):
        return failure_of(error.status_code, error.response.headers, model, url, now)
    failure = _classify_error(error, model, url)
    return RequestFailure(failure) if isinstance(failure, TemporarilyUnavailable) else failure


def _classify_error(error: anthropic.AnthropicError, model: str, url: str) -> SelfragError:
    if isinstance(error, anthropic.APITimeoutError):
        return TemporarilyUnavailable(f"{model} did not reply in time")
    if isinstance(error, anthropic.APIConnectionError):
        return unreachable_error(error, url)
    if isinstance(error, anthropic.APIResponseValidationError):
        return TemporarilyUnavailable(f"{model} sent a reply that cannot be read")
    return Misconfigured(f"the client of {model} is not usable: {type(error).__name__}")
