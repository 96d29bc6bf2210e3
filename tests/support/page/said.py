"""An API that says a text wherever it may: what documents, file names and models may say to a page."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any

from werkzeug.wrappers import Request, Response

from selfrag.api.page import bundle
from tests.support.loopback import Loopback


def response_of(text: str, question_id: str = "q0") -> dict[str, Any]:
    """Return a response each text of which is this one."""
    claim = {"claim": text, "support": text, "passage_ids": [text], "missing": text}
    judged = {
        "passage_id": text,
        "document": text,
        "relevant": True,
        "score": 0.9,
        "label": text,
        "strips": [],
        "reason": text,
    }
    citation = {"passage_id": text, "document": text, "quote": text, "heading": text, "page": None, "locator": text}
    step = {"model": text, "calls": 1, "seconds": 1.0, "input_tokens": 1, "output_tokens": 1, "cost_usd": None}
    counts = ("model_calls", "rounds", "cached_verdicts", "input_tokens", "output_tokens", "cache_read_input_tokens")
    figures = {"rel": 0.9, "sup": None, "use": -0.5, "score": 1.5}
    node = {"id": text, "parent": text, "passage_id": text, "document": text, "text": text, "state": text, **figures}
    nodes = [{**node, "reason": text}, {**node, "state": "pruned", "reason": text}, {**node, "passage_id": None}]
    return {
        "id": question_id,
        "question": text,
        "status": "partial",
        "answer": text,
        "citations": [{**citation, "answer_span": [0, 1]}, {**citation, "answer_span": [0, len(text)]}],
        "reflection": {
            "retrieve": {"decision": text, "reason": text},
            "relevance": [judged, {**judged, "score": None}],
            "support": {"level": text, "claims": [claim]},
            "utility": {"score": 5, "reason": text},
        },
        "path": [text],
        "queries": [text],
        "usage": {**dict.fromkeys(counts, 1), "cost_usd": None, "by_step": {text: step}, "warnings": [text]},
        "execution": {"arn": text, "console_url": text},
        "scores": {"scale": text, "nodes": nodes, "votes": {text: 1.0}, "stopped": text},
    }


def document_of(text: str) -> dict[str, Any]:
    """Return a failed document, whose key and reason are this text."""
    return {"id": "d", "key": text, "collection": text, "status": "failed", "reason": text}


@contextmanager
def saying(text: str, status: int = 403, hint: str = "Send a valid API key in the header x-api-key.") -> Iterator[str]:
    """The URL of an API that has the page and says this text wherever it may; a key is wanted once a question comes."""

    def reply(request: Request) -> Response:
        if request.path == "/":
            policy = {"Content-Security-Policy": bundle.policy()}
            return Response(bundle.html(), 200, policy, content_type="text/html; charset=utf-8")
        if request.headers.get("x-api-key") != "the-key":
            problem = {"status": status, "detail": text, "hint": hint}
            return Response(json.dumps(problem), status, content_type="application/problem+json")
        if request.method == "POST":
            return _json({"id": "q0", "status": "running"}, 202)
        if request.path == "/v1/documents":
            return _json({"documents": [document_of(text)], "collections": [text], "cursor": None})
        return _json(response_of(text))

    with Loopback(reply) as server:
        yield server.url


def _json(said: dict[str, Any], status: int = 200) -> Response:
    return Response(json.dumps(said), status, content_type="application/json")


@contextmanager
def saying_each(texts: Sequence[str]) -> Iterator[str]:
    """The URL of an API that has the page and an answer for each text, `case-N`; `bad-N` is a problem that says it.

    `none-N` is an abstention, `old-N` an answer without its question. Questions are answered by the texts in turn.
    """
    asked = count()

    def reply(request: Request) -> Response:
        if request.path == "/":
            policy = {"Content-Security-Policy": bundle.policy()}
            return Response(bundle.html(), 200, policy, content_type="text/html; charset=utf-8")
        if request.path == "/v1/documents":
            documents = [document_of(text) for text in texts]
            return _json({"documents": documents, "collections": texts, "cursor": None})
        if request.path.endswith("/events"):
            return _json({"status": 404}, 404)
        if request.method == "POST":
            return _json({"id": f"case-{next(asked) % len(texts)}", "status": "running"}, 202)
        kind, number = request.path.rsplit("/", 1)[1].split("-")
        text = texts[int(number)]
        if kind == "bad":
            return _json({"status": 404, "detail": text, "hint": text}, 404)
        others = {"none": {"status": "abstained", "citations": []}, "old": {"question": ""}}
        return _json({**response_of(text, f"{kind}-{number}"), **others.get(kind, {})})

    with Loopback(reply) as server:
        yield server.url
