"""Replies of the Chat Completions API: whole, or chunk by chunk from the events of a question."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from selfrag.api.edge.problems import to_error
from selfrag.api.openai.content import ReplyHeading, content_of, cut_off, usage_of
from selfrag.api.streaming.events import Event

ID_PREFIX = "chatcmpl-"
# As long as a part of the answer is unchecked or missing, a client shall not take it for the whole.
_REASONS = {"partial": "length"}


def reply(response: Mapping[str, Any], heading: ReplyHeading) -> dict[str, Any]:
    """Return a response as a chat completion."""
    content = content_of(response, heading.base_url)
    message = {
        "role": "assistant",
        "content": content.text,
        "refusal": content.refusal,
        "annotations": _annotations(content.annotations),
    }
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish_reason(response)}
    return {
        **_head(response["id"], "chat.completion", heading),
        "choices": [choice],
        "usage": usage_of(response["usage"], "prompt", "completion"),
        "selfrag": heading.extend(response),
    }


def stream(events: Iterable[Event | None], heading: ReplyHeading) -> Iterator[dict[str, Any] | None]:
    """Yield the chunks of a question's events, None where nothing is new; the text comes with its checks alone."""
    head: dict[str, Any] = {}

    def chunk(delta: Mapping[str, Any], finish_reason: str | None = None, **more: Any) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return {**head, "choices": [choice], **more}

    for event in events:
        if event is None:
            yield None
        elif event.name == "question":
            head = _head(event.data["id"], "chat.completion.chunk", heading)
            yield chunk({"role": "assistant", "content": ""})
        elif event.name == "pass":
            if event.data["why"]:
                yield chunk({"reasoning_content": f"{event.data['why']}\n"})
        elif event.name == "error":
            yield to_error(event.data)
            return
        else:
            content = content_of(event.data, heading.base_url)
            refusal = {"refusal": content.refusal} if content.refusal else {}
            yield chunk({"content": content.text, "annotations": _annotations(content.annotations), **refusal})
            yield chunk({}, _finish_reason(event.data), selfrag=heading.extend(event.data))
            if heading.includes_usage:
                yield {**head, "choices": [], "usage": usage_of(event.data["usage"], "prompt", "completion")}
            return
    yield to_error(cut_off(head.get("id", "").removeprefix(ID_PREFIX)))


def _head(question_id: str, kind: str, heading: ReplyHeading) -> dict[str, Any]:
    return {"id": f"{ID_PREFIX}{question_id}", "object": kind, "created": heading.created, "model": heading.model}


def _annotations(citations: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{"type": "url_citation", "url_citation": citation} for citation in citations]


def _finish_reason(response: Mapping[str, Any]) -> str:
    guarded = response["reflection"].get("guarded")
    return "content_filter" if guarded else _REASONS.get(response["status"], "stop")
