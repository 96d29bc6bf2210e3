"""An API whose replies are full of markup: what documents, file names and models may say to a page."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from werkzeug.wrappers import Request, Response

from ask.page import assembled
from cli.local.loopback import Loopback

MARKUP = [
    "<script>console.error('ran')</script>",
    "<img src=x onerror=console.error('ran')>",
    "<svg onload=console.error('ran')>",
    "<a href=\"javascript:console.error('ran')\">here</a>",
    "javascript:console.error('ran')",
    "</script><script>console.error('ran')</script>",
    "</style><style>body{display:none}</style>",
    "<iframe srcdoc=\"<script>parent.console.error('ran')</script>\"></iframe>",
    "\"><input autofocus onfocus=console.error('ran')>",
    "<base href=http://elsewhere.example/><link rel=stylesheet href=http://elsewhere.example/a.css>",
    "<meta http-equiv=refresh content='0;url=http://elsewhere.example/'>",
    "<form action=http://elsewhere.example/><button>go</button></form>",
    "{{constructor.constructor('console.error(1)')()}} ${console.error('ran')}",
    "__proto__",
    "\u202egnp.exe\u2066\u2067 right to left \u05d0\u05d1\u05d2 \u200f",
    "\u0627\u0644\u0639\u0631\u0628\u064a\u0629 <b>bold</b> &lt;i&gt;",
    "&#60;img src=x onerror=console.error('ran')&#62;",
]
# All of it at once, and what is too long for a line.
HOSTILE = [
    "\n".join(MARKUP),
    "\U0001f469\u200d\U0001f52c" * 200 + "<u>",
    "a" * 100_000,
    "W\u0300\u0301\u0302" * 3000,
]


def response_of(text: str, question_id: str = "q0") -> dict[str, Any]:
    """A response each text of which is this one."""
    claim = {"claim": text, "support": text, "passage_ids": [text], "missing": text}
    judged = {"passage_id": text, "document": text, "relevant": True, "score": 0.9, "label": text, "strips": []}
    citation = {"passage_id": text, "document": text, "quote": text, "heading": text, "page": None, "locator": text}
    step = {"model": text, "calls": 1, "seconds": 1.0, "input_tokens": 1, "output_tokens": 1, "cost_usd": None}
    counts = ("model_calls", "rounds", "cached_verdicts", "input_tokens", "output_tokens", "cache_read_input_tokens")
    return {
        "id": question_id,
        "status": "abstained",
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
    }


def document_of(text: str) -> dict[str, Any]:
    """A failed document, whose key and reason are this text."""
    return {"id": "d", "key": text, "collection": text, "status": "failed", "reason": text}


@contextmanager
def saying(text: str) -> Iterator[str]:
    """The URL of an API that has the page and says this text wherever it may; a key is wanted once a question comes."""

    def reply(request: Request) -> Response:
        if request.path == "/":
            policy = {"Content-Security-Policy": assembled.policy()}
            return Response(assembled.html(), 200, policy, content_type="text/html; charset=utf-8")
        if request.headers.get("x-api-key") != "the-key":
            problem = {"status": 403, "detail": text, "hint": "Send a valid API key in the header x-api-key."}
            return Response(json.dumps(problem), 403, content_type="application/problem+json")
        if request.method == "POST":
            return _json({"id": "q0", "status": "running"}, 202)
        if request.path == "/v1/documents":
            return _json({"documents": [document_of(text)], "collections": [text], "cursor": None})
        return _json(response_of(text))

    with Loopback(reply) as server:
        yield server.url


def _json(said: dict[str, Any], status: int = 200) -> Response:
    return Response(json.dumps(said), status, content_type="application/json")
