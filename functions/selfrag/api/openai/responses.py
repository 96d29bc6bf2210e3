"""Replies of the Responses API: whole, or event by event."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import Any

from selfrag.api.edge.problems import to_error
from selfrag.api.openai.content import MarkedAnswer, content_of, cut_off, usage_of
from selfrag.api.openai.requests import Call
from selfrag.api.streaming.events import Event

ID_PREFIX = "resp_"


def reply(response: Mapping[str, Any], call: Call) -> dict[str, Any]:
    """Return a response in the form of this API: the passes as reasoning, then the message."""
    reasons = [each["why"] for each in response.get("passes", ()) if each["steps"] and each["why"]]
    output = [_reasoning(response["id"], reasons), _message(response["id"], content_of(response, call.base_url))]
    return _final(response, call, output)


def stream(events: Iterable[Event | None], call: Call) -> Iterator[dict[str, Any] | None]:
    """Return the events of a question as this API's, numbered, None where nothing is new."""
    numbers = count()
    return (event and {**event, "sequence_number": next(numbers)} for event in _events(events, call))


def _events(events: Iterable[Event | None], call: Call) -> Iterator[dict[str, Any] | None]:
    question_id, reasons = "", list[str]()
    for event in events:
        if event is None:
            yield None
        elif event.name == "question":
            question_id = event.data["id"]
            begun = _head(question_id, call) | {"status": "in_progress"}
            yield {"type": "response.created", "response": begun}
            yield {"type": "response.in_progress", "response": begun}
            item = _reasoning(question_id, []) | {"status": "in_progress"}
            yield {"type": "response.output_item.added", "output_index": 0, "item": item}
        elif event.name == "pass":
            if event.data["why"]:
                yield from _reason(question_id, len(reasons), event.data["why"])
                reasons.append(event.data["why"])
        elif event.name == "error":
            yield _failure(question_id, call, event.data)
            return
        else:
            reasoning = _reasoning(question_id, reasons)
            message = _message(question_id, content_of(event.data, call.base_url))
            yield {"type": "response.output_item.done", "output_index": 0, "item": reasoning}
            yield from _message_events(message)
            final = _final(event.data, call, [reasoning, message])
            yield {"type": f"response.{final['status']}", "response": final}
            return
    yield _failure(question_id, call, cut_off(question_id))


def _failure(question_id: str, call: Call, problem: Mapping[str, Any]) -> dict[str, Any]:
    error = {"code": "server_error", "message": to_error(problem)["error"]["message"]}
    return {"type": "response.failed", "response": _head(question_id, call) | {"status": "failed", "error": error}}


def _reason(question_id: str, index: int, why: str) -> Iterator[dict[str, Any]]:
    """Yield the events of one part of the reasoning."""
    place = {"item_id": f"rs_{question_id}", "output_index": 0, "summary_index": index}
    name = "response.reasoning_summary"
    yield {"type": f"{name}_part.added", **place, "part": {"type": "summary_text", "text": ""}}
    yield {"type": f"{name}_text.delta", **place, "delta": why}
    yield {"type": f"{name}_text.done", **place, "text": why}
    yield {"type": f"{name}_part.done", **place, "part": {"type": "summary_text", "text": why}}


def _message_events(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the events by which a finished message comes."""
    begun = {**message, "status": "in_progress", "content": []}
    yield {"type": "response.output_item.added", "output_index": 1, "item": begun}
    for index, part in enumerate(message["content"]):
        place = {"item_id": message["id"], "output_index": 1, "content_index": index}
        kind, field = part["type"], "refusal" if part["type"] == "refusal" else "text"
        empty: dict[str, Any] = {} if kind == "refusal" else {"logprobs": []}
        bare = {name: [] if isinstance(value, list) else value for name, value in part.items()}
        yield {"type": "response.content_part.added", **place, "part": {**bare, field: ""}}
        yield {"type": f"response.{kind}.delta", **place, "delta": part[field], **empty}
        for number, annotation in enumerate(part.get("annotations", ())):
            name = "response.output_text.annotation.added"
            yield {"type": name, **place, "annotation_index": number, "annotation": annotation}
        yield {"type": f"response.{kind}.done", **place, field: part[field], **empty}
        yield {"type": "response.content_part.done", **place, "part": part}
    yield {"type": "response.output_item.done", "output_index": 1, "item": message}


def _reasoning(question_id: str, reasons: Iterable[str]) -> dict[str, Any]:
    summary = [{"type": "summary_text", "text": why} for why in reasons]
    return {"type": "reasoning", "id": f"rs_{question_id}", "summary": summary, "status": "completed"}


def _message(question_id: str, content: MarkedAnswer) -> dict[str, Any]:
    annotations = [{"type": "url_citation", **citation} for citation in content.annotations]
    parts: list[dict[str, Any]] = [
        {"type": "output_text", "text": content.text, "annotations": annotations, "logprobs": []}
    ]
    # Beside the text, which is all that many clients show.
    parts += [{"type": "refusal", "refusal": content.refusal}] if content.refusal else []
    return {
        "type": "message",
        "id": f"msg_{question_id}",
        "role": "assistant",
        "status": "completed",
        "content": parts,
    }


def _final(response: Mapping[str, Any], call: Call, output: list[dict[str, Any]]) -> dict[str, Any]:
    failed = response["status"] == "failed"
    return _head(response["id"], call) | {
        "status": "failed" if failed else "completed",
        "error": {"code": "server_error", "message": response["answer"]} if failed else None,
        "output": output,
        "usage": usage_of(response["usage"], "input", "output"),
        "selfrag": call.extend(response),
    }


def _head(question_id: str, call: Call) -> dict[str, Any]:
    return {
        "id": f"{ID_PREFIX}{question_id}",
        "object": "response",
        "created_at": call.created,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": call.request.model,
        "output": [],
        "parallel_tool_calls": False,
        "previous_response_id": call.request.previous or None,
        "temperature": None,
        "tool_choice": "none",
        "tools": [],
        "top_p": None,
    }
