"""Replies of the Chat Completions API: whole, or chunk by chunk from the events of a question."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from selfrag.api.edge.problems import to_error
from selfrag.api.openai.content import content_of, cut_off, usage_of
from selfrag.api.openai.requests import Call
from selfrag.api.streaming.events import Event

ID_PREFIX = "chatcmpl-"


def reply(response: Mapping[str, Any], call: Call) -> dict[str, Any]:
    """Return a response as a chat completion."""
    content = content_of(response, call.base_url)
    message = {
        "role": "assistant",
        "content": content.text,
        "refusal": content.refusal,
        "annotations": _annotations(content.annotations),
    }
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish_reason(response)}
    return {
        **_head(response["id"], "chat.completion", call),
        "choices": [choice],
        "usage": usage_of(response["usage"], "prompt", "completion"),
        "selfrag": call.extend(response),
    }


def stream(events: Iterable[Event | None], call: Call) -> Iterator[dict[str, Any] | None]:
    """Yield the chunks of a question's events, None where nothing is new; the text comes with its checks alone."""
    head: dict[str, Any] = {}

    def chunk(delta: Mapping[str, Any], finish_reason: str | None = None, **more: Any) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return {**head, "choices": [choice], **more}

    for event in events:
        if event is None:
            yield None
        elif event.name == "question":
            head = _head(event.data["id"], "chat.completion.chunk", call)
            yield chunk({"role": "assistant", "content": ""})
        elif event.name == "pass":
            if event.data["why"]:
                yield chunk({"reasoning_content": f"{event.data['why']}\n"})
        elif event.name == "error":
            yield to_error(event.data)
            return
        else:
            content = content_of(event.data, call.base_url)
            refusal = {"refusal": content.refusal} if content.refusal else {}
            yield chunk({"content": content.text, "annotations": _annotations(content.annotations), **refusal})
            yield chunk({}, _finish_reason(event.data), selfrag=call.extend(event.data))
            if (call.request.stream_options or {}).get("include_usage"):
                yield {**head, "choices": [], "usage": usage_of(event.data["usage"], "prompt", "completion")}
            return
    yield to_error(cut_off(head.get("id", "").removeprefix(ID_PREFIX)))


def _head(question_id: str, kind: str, call: Call) -> dict[str, Any]:
    return {"id": f"{ID_PREFIX}{question_id}", "object": kind, "created": call.created, "model": call.request.model}


def _annotations(citations: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{"type": "url_citation", "url_citation": citation} for citation in citations]


def _finish_reason(response: Mapping[str, Any]) -> str:
    if response["reflection"].get("guarded"):
        return "content_filter"
    # As long as a part of the answer is unchecked or missing, a client shall not take it for the whole.
    return "length" if response["status"] == "partial" else "stop"
