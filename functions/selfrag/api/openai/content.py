"""Text, annotations and usage of a reply, for both APIs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

# Begins the notes below an answer: an earlier answer ends where they begin.
BEFORE_NOTES = "\n\n---\n> "


@dataclass(frozen=True)
class MarkedAnswer:
    """The text of a reply with a mark behind each cited part, and an annotation for each mark.

    `refusal` is the text of an abstention or a failure, else null.
    """

    text: str
    annotations: Sequence[Mapping[str, Any]]
    refusal: str | None


def content_of(response: Mapping[str, Any], base_url: str) -> MarkedAnswer:
    """Return the content of a response, with links that begin with `base_url`."""
    marks: dict[int, dict[str, Mapping[str, Any]]] = {}
    for url, citation in _linked(response, base_url):
        marks.setdefault(citation["answer_span"][1], {})[url] = citation
    numbers: dict[str, int] = {}
    text, last, annotations = "", 0, []
    for end, citations in sorted(marks.items()):
        text, last = text + response["answer"][last:end] + " ", end
        for url, citation in citations.items():
            mark = f"[{numbers.setdefault(url, len(numbers) + 1)}]"
            place = {"start_index": len(text), "end_index": len(text) + len(mark)}
            annotations.append({**place, "url": url, "title": _title(citation)})
            text += mark
    text += response["answer"][last:]
    titles = {each["url"]: each["title"] for each in annotations}
    sources = [f"[{number}] {titles[url]}" for url, number in numbers.items()]
    notes = [note for note in (*sources, response.get("notice"), *response["usage"]["warnings"]) if note]
    withheld = response["answer"] if response["status"] in ("abstained", "failed") else None
    return MarkedAnswer(text + (BEFORE_NOTES + "\n> ".join(notes) if notes else ""), annotations, withheld)


def _linked(response: Mapping[str, Any], base_url: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each citation with its link: a web page, or the answer's page, open at the passage."""
    firsts: dict[str, int] = {}
    for number, citation in enumerate(response["citations"], 1):
        first = firsts.setdefault(citation["passage_id"], number)
        is_web = citation.get("document_id") is None and "://" in citation["document"]
        yield citation["document"] if is_web else f"{base_url}/#{response['id']}/{first}", citation


def _title(citation: Mapping[str, Any]) -> str:
    return ", ".join(filter(None, (citation["document"], citation.get("locator") or citation.get("heading"))))


def usage_of(usage: Mapping[str, Any], prompt: str, completion: str) -> dict[str, Any]:
    """Return the usage under an API's names; OpenAI counts cached tokens as tokens of the prompt."""
    cached = usage["cache_read_input_tokens"]
    return {
        f"{prompt}_tokens": usage["input_tokens"] + cached,
        f"{completion}_tokens": usage["output_tokens"],
        "total_tokens": usage["input_tokens"] + cached + usage["output_tokens"],
        f"{prompt}_tokens_details": {"cached_tokens": cached, "cache_write_tokens": 0},
        f"{completion}_tokens_details": {"reasoning_tokens": 0},
        "cost_usd": usage["cost_usd"],
    }


def cut_off(question_id: str) -> dict[str, Any]:
    """Return the problem of a stream that ends before its question does."""
    detail, hint = "The question is still at work.", f"GET /v1/questions/{question_id} shows its answer."
    return {"type": "urn:selfrag:problem:gateway-timeout", "status": 504, "detail": detail, "hint": hint}
