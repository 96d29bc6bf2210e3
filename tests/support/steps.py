"""Results of steps as their Lambdas would return them, for machines that are run without a model."""

import re
from collections.abc import Sequence
from typing import Any

from selfrag.question.compose_answer.handler import handler as compose_answer
from selfrag.question.pick_candidate.handler import handler as pick_candidate
from selfrag.question.plan.handler import handler as plan
from selfrag.question.rank_paths.handler import handler as rank_paths


def call(step: str) -> dict[str, Any]:
    return {
        "step": step,
        "model": "claude-haiku-5-5",
        "started_at": 1.0,
        "ended_at": 2.0,
        "stop_reason": "end_turn",
        "input_tokens": 10,
        "output_tokens": 1,
        "cache_read_input_tokens": 0,
        "cache_creation_input_tokens": 0,
    }


def asked(step: str, **result: Any) -> dict[str, Any]:
    """Return a result that cost one model call."""
    return {**result, "calls": [call(step)], "warnings": [], "attempts": 1, "error": None}


def entry(step: str, asked: int = 1, **more: Any) -> dict[str, Any]:
    """Return the ledger entry of a step with this many model requests, all answered."""
    calls = [call(re.sub(r"(?<!^)(?=[A-Z])", "_", step).lower())] * asked
    return {"step": step, "turn": 0, "calls": calls, "warnings": [], "attempts": asked, **more}


def passage(passage_id: str, text: str = "Leave is 25 days a year.") -> dict[str, Any]:
    return {
        "passage_id": passage_id,
        "document": "people/leave.md",
        "title": "Leave",
        "text": text,
        "collection": "c",
        "score": 1.0,
    }


def retrieval(decision: str, complexity: str | None = None) -> dict[str, Any]:
    return asked("decide_retrieval", verdict={"decision": decision, "reason": "because", "complexity": complexity})


def found(*passage_ids: str) -> dict[str, Any]:
    passages = [passage(i) for i in passage_ids]
    hits = [{"passage_id": passage["passage_id"], "document": passage["document"]} for passage in passages]
    return {"passages": passages, "hits": hits, "bytes": 200 * len(passages), "warnings": []}


def relevance(
    passage_id: str, label: str, cached: bool = False, strips: Sequence[tuple[int, int]] = ()
) -> dict[str, Any]:
    score = {"relevant": 0.9, "ambiguous": 0.3, "irrelevant": 0.1, "ungraded": None}[label]
    verdict = {
        "passage_id": passage_id,
        "relevant": label == "relevant",
        "score": score,
        "label": label,
        "cached": cached,
        "strips": [{"start": start, "end": end} for start, end in strips],
        "reason": "" if label == "ungraded" else "because",
    }
    return asked("grade_relevance", verdict=verdict, cached=cached)


def answer(
    text: str = "25 days.", *, is_found: bool = True, flaw: str | None = None, cites: str = "p1-0"
) -> dict[str, Any]:
    citation = {"passage_id": cites, "document": "people/leave.md", "quote": "Leave", "answer_span": [0, len(text)]}
    return asked(
        "generate",
        answer=text if is_found else "",
        citations=[citation] if is_found else [],
        answered=is_found,
        flaw=flaw,
    )


def support(level: str) -> dict[str, Any]:
    kinds = {
        "fully_supported": ["full"],
        "partially_supported": ["full", "none"],
        "no_support": ["none"],
        "ungraded": [],
    }[level]
    claims = [
        {"claim": f"claim {n}", "support": kind, "passage_ids": ["p1-0"], "missing": ""} for n, kind in enumerate(kinds)
    ]
    return asked("grade_support", verdict={"level": level, "claims": claims, "cached": False})


def utility(score: int | None) -> dict[str, Any]:
    return asked("grade_utility", verdict={"score": score, "reason": "because", "cached": False})


def missing(what: str = "carry-over of leave") -> dict[str, Any]:
    """Return a verdict on an answer of which one claim lacks evidence."""
    claims = [
        {"claim": "claim 0", "support": "full", "passage_ids": ["p1-0"], "missing": ""},
        {"claim": "claim 1", "support": "none", "passage_ids": [], "missing": what},
    ]
    return asked("grade_support", verdict={"level": "partially_supported", "claims": claims, "cached": False})


def rewrite(query: str, *, new: bool = True) -> dict[str, Any]:
    return asked("rewrite_question", query=query if new else "", new=new)


class Scripted:
    """Handlers that answer from lists, repeating the last entry, and record their inputs.

    An entry that is an exception is raised; a callable gets the event.
    """

    def __init__(self, **script: list[Any]) -> None:
        self.script: dict[str, list[Any]] = {
            "decide_retrieval": [retrieval("yes")],
            "retrieve": [lambda e: found(*(f"p{self.count('retrieve')}-{n}" for n in range(e["top_k"])))],
            "grade_relevance": [lambda e: relevance(e["passage"]["passage_id"], "relevant")],
            "generate": [answer()],
            "grade_support": [support("fully_supported")],
            "grade_utility": [utility(5)],
            "rewrite_question": [lambda e: rewrite(f"query {len(e['queries'])}")],
            "search_web": [lambda e: found(*(f"w{n}" for n in range(e["top_k"])))],
            "plan": [lambda e: plan(e, None)],
            "rank_paths": [lambda e: rank_paths(e, None)],
            "pick_candidate": [lambda e: pick_candidate(e, None)],
            "compose_answer": [lambda e: compose_answer(e, None)],
            **script,
        }
        self.events: list[tuple[str, dict[str, Any]]] = []

    def count(self, step: str) -> int:
        return sum(name == step for name, _ in self.events)

    def events_of(self, step: str) -> list[dict[str, Any]]:
        return [event for name, event in self.events if name == step]

    def handlers(self) -> dict[str, Any]:
        return {step: self._handler(step) for step in self.script}

    def _handler(self, step: str) -> Any:
        def handler(event: dict[str, Any], context: Any) -> Any:
            entries = self.script[step]
            self.events.append((step, event))
            entry = entries[min(self.count(step), len(entries)) - 1]
            if isinstance(entry, Exception):
                raise entry
            return entry(event) if callable(entry) else entry

        return handler


def earlier(*passage_ids: str) -> dict[str, Any]:
    """Return an answer that is kept, with its evidence, as a question after it reads it."""
    return {
        "id": {"S": "earlier"},
        "question": {"S": "How many days?"},
        "answer": {"S": "25 days."},
        "collections": {"L": [{"S": "c"}]},
        "evidence": {"L": [{"M": {"passage_id": {"S": one}, "score": {"N": "0.9"}}} for one in passage_ids]},
        "expires_at": {"N": "99999999999"},
    }
