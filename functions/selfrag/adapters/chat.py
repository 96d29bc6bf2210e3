"""Models behind the chat-completions API (`POST /chat/completions`), which Ollama, llama.cpp, vLLM and LM Studio have.

Its requests and replies are translated from and to those of the Messages API. It has no citations: sources are sent as
numbered sentences, and the markers of the reply are its citations (numbered_sentences.py).
"""

from types import SimpleNamespace
from typing import Annotated, Any, NotRequired, TypedDict

import httpx2
from pydantic import BaseModel, Field, ValidationError
from typing_extensions import override

from selfrag.adapters.claude.messages import TOO_LONG, Message, ReplyContent, names_window
from selfrag.adapters.claude.profiles import MessagesRequest, Profile
from selfrag.adapters.model import ServiceModel, unreadable_error
from selfrag.adapters.numbered_sentences import strip_thoughts, user_text
from selfrag.adapters.outbound import checked_url, host_of, http_client_for, read_json, unreachable_error
from selfrag.domain.errors import Misconfigured, RequestRejected, TemporarilyUnavailable
from selfrag.runtime.pace import RequestFailure
from selfrag.runtime.settings import Settings

# Verdicts use the server's grammar, or the schema in the instructions. Thinking takes minutes on a laptop: it is
# switched off if possible (effort `none`); otherwise the reply's token limit includes it.
_PROFILE = Profile(("json_schema", "words"), effort="none", thinking=None, thinks=True, hour=False)
# A token has four characters of English, and fewer in all other languages.
_MAX_CHARACTERS_PER_TOKEN = 6
_MAX_ERROR_CHARACTERS = 4000
_STOPS = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}


class ChatBody(TypedDict):
    """A request of the chat-completions API."""

    model: str
    messages: list[dict[str, str]]
    max_tokens: int
    response_format: NotRequired[dict[str, object]]
    reasoning_effort: NotRequired[str]


class _ChatMessage(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _ChatChoice(BaseModel):
    message: _ChatMessage
    finish_reason: str | None = None


class _ChatUsage(BaseModel):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _ChatReply(BaseModel):
    choices: Annotated[list[_ChatChoice], Field(min_length=1)]
    usage: _ChatUsage = _ChatUsage()


class ChatModel(ServiceModel):
    """A model of the chat-completions API."""

    @staticmethod
    @override
    def connect(config: Settings, key: str, region: str | None = None) -> httpx2.Client:
        client = http_client_for(checked_url(config.model_url, "SELFRAG_MODEL_URL"))
        client.base_url = httpx2.URL(config.model_url)
        if key:
            client.headers["authorization"] = f"Bearer {key}"
        return client

    @staticmethod
    @override
    def profile(model: str) -> Profile:
        return _PROFILE

    @staticmethod
    @override
    def read(client: httpx2.Client, path: str) -> Any:
        return read_json(client, str(client.base_url).rstrip("/").removesuffix("/v1") + path)

    @override
    def _ignores_form(self, content: ReplyContent, error: ValidationError) -> bool:
        # No grammar of the schema allows an object without one of its fields.
        missing = any(detail["type"] == "missing" for detail in error.errors(include_input=False))
        return missing or super()._ignores_form(content, error)

    @override
    def _create(self, request: MessagesRequest, max_tokens: int, seconds: float) -> Message:
        body, host = chat_body(request, max_tokens), host_of(str(self._client.base_url))
        try:
            reply = self._client.post("chat/completions", json=body, timeout=seconds)
        except httpx2.TimeoutException as error:
            self._cost_budget.book_loss()
            raise RequestFailure(TemporarilyUnavailable(f"{body['model']} did not reply in time")) from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            failure = unreachable_error(error, str(self._client.base_url))
            if not isinstance(failure, TemporarilyUnavailable):
                raise failure from error
            advice = "Start the server, or name another one in SELFRAG_MODEL_URL"
            raise RequestFailure(TemporarilyUnavailable(f"{body['model']}: {failure}. {advice}")) from error
        if reply.status_code != 200:
            return _error_message(reply, body["model"], host)
        try:
            return to_message(_ChatReply.model_validate_json(reply.content), body)
        except ValidationError as error:
            self._cost_budget.book_loss()
            raise unreadable_error(body["model"]) from error


def chat_body(request: MessagesRequest, max_tokens: int) -> ChatBody:
    """Return a request of the Messages API as one of this API; marks of the prompt cache are left out."""
    body: ChatBody = {
        "model": request["model"],
        "messages": [
            {"role": "system", "content": "\n\n".join(block["text"] for block in request["system"])},
            {"role": "user", "content": user_text(request)},
        ],
        "max_tokens": max_tokens,
    }
    options = request.get("output_config", {})
    if "effort" in options:
        body["reasoning_effort"] = options["effort"]
    if "format" in options:
        schema = {"name": "verdict", "schema": options["format"]["schema"]}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return body


def to_message(reply: _ChatReply, body: ChatBody) -> Message:
    """Convert a reply to a Messages API message without thoughts; raises ValidationError.

    A server may silently truncate a prompt; it then counts fewer tokens than the prompt must have.
    """
    choice, usage = reply.choices[0], reply.usage
    text = strip_thoughts(choice.message.content or "")
    stop = "refusal" if choice.message.refusal else _STOPS.get(choice.finish_reason or "stop", "end_turn")
    characters = sum(len(message["content"]) for message in body["messages"])
    if 0 < usage.prompt_tokens < characters / _MAX_CHARACTERS_PER_TOKEN:
        stop, text = TOO_LONG, ""
    return _message(body["model"], text, stop, usage)


def _message(model: str, text: str, stop: str, usage: _ChatUsage) -> Message:
    counts = {"input_tokens": usage.prompt_tokens, "output_tokens": usage.completion_tokens}
    content = [SimpleNamespace(type="text", text=text)]
    return Message.model_validate({"model": model, "stop_reason": stop, "usage": counts, "content": content})


def _error_message(reply: httpx2.Response, model: str, host: str) -> Message:
    """Return an empty message if the window is too small; raises the typed error of other statuses."""
    status, words = reply.status_code, reply.text[:_MAX_ERROR_CHARACTERS]
    if status in (400, 413, 422, 500) and names_window(words):
        return _message(model, "", TOO_LONG, _ChatUsage())
    if status in (408, 409, 425, 429) or status >= 500:
        raise RequestFailure(TemporarilyUnavailable(f"{model} is busy: status {status}"), throttled=status == 429)
    if status in (401, 403):
        raise Misconfigured(f"{host} refused the key: status {status}. Set SELFRAG_MODEL_KEY")
    if status == 404 or reply.is_redirect:
        raise Misconfigured(f"{host} has no {model}, or SELFRAG_MODEL_URL is wrong: status {status}")
    # Naming no request field, the error may come from a server without `response_format`.
    raise RequestRejected(f"{model} refused the request: status {status}") from ValueError(f"{words} response_format")
