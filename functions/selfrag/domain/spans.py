"""A question as spans of OpenTelemetry: their ids, their attributes, and those that a stored answer gives (pure).

The names are those of OpenTelemetry's semantic conventions for generative AI (1.41, in development); what these have no
name for is called `selfrag.*`.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

Value = str | int | float | bool | list[str]
# The reflection token of each grader's step, and the fields of its verdict that are its label and its score.
_TOKENS = {
    "DecideRetrieval": ("Retrieve", "decision", "ratio"),
    "GradeRelevance": ("IsRel", "label", "score"),
    "GradeSupport": ("IsSup", "level", ""),
    "GradeUtility": ("IsUse", "", "score"),
}
# The field of a response's `reflection` that has the verdicts of a grader's step.
_VERDICTS = {
    "DecideRetrieval": "retrieve", "GradeRelevance": "relevance", "GradeSupport": "support", "GradeUtility": "utility"
}  # fmt: skip
# The steps that look for passages.
SEARCHES = ("Retrieve", "SearchWeb")


@dataclass(frozen=True)
class Span:
    """A span between two moments, in seconds since the epoch; `error` is a class name, empty without one."""

    name: str
    started: float
    ended: float
    attributes: Mapping[str, Value]
    error: str = ""
    of_model: bool = False
    children: Sequence["Span"] = field(default=())

    @property
    def count(self) -> int:
        """Return the number of spans, with those within."""
        return 1 + sum(child.count for child in self.children)


def trace_id(question_id: str) -> str:
    """Return the id of a question's trace, 32 hexadecimal digits: the question's own, if it is a UUID."""
    return question_id if re.fullmatch(r"[0-9a-f]{32}", question_id) else _hash(question_id, "trace")[:32]


def span_id(question_id: str, part: str) -> str:
    """Return the id of a part of a question's trace, 16 hexadecimal digits: the same whenever it is sent."""
    return _hash(question_id, part)[:16]


def of_question(question_id: str, response: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes of a question, from its response, without its texts."""
    usage = response.get("usage", {})
    return {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.workflow.name": "selfrag",
        "selfrag.question.id": question_id,
        "selfrag.status": response.get("status"),
        "selfrag.path": response.get("path"),
        "selfrag.model_calls": usage.get("model_calls"),
        "selfrag.rounds": usage.get("rounds"),
        "selfrag.cost_usd": usage.get("cost_usd"),
    }


def judged(step: str, verdict: Mapping[str, Any]) -> dict[str, Any]:
    """Return a verdict as the convention for evaluations names it, without its reason and its claims."""
    token, label, score = _TOKENS.get(step, ("", "", ""))
    if not token or not verdict:
        return {}
    return {
        "gen_ai.evaluation.name": token,
        "gen_ai.evaluation.score.label": verdict.get(label),
        "gen_ai.evaluation.score.value": verdict.get(score),
        "selfrag.judged_by": verdict.get("judged_by"),
    }


def known(attributes: Mapping[str, Any]) -> dict[str, Value]:
    """Return the attributes that have a value."""
    return {name: value for name, value in attributes.items() if value is not None}


def answer_span(question_id: str, question_hash: str, response: Mapping[str, Any], ended: float) -> Span:
    """Return the span of a stored answer, with one of each step in it, and in GradeRelevance's one of each passage.

    A response has the times of calls to the model alone, from the first of them on, and `ended` is the second in which
    it was stored: the question begins with that call, and a step without a call is a moment after the step before it.
    """
    by_step = response["usage"]["by_step"].values()
    begin = ended - max(((used["started"] or 0.0) + used["seconds"] for used in by_step), default=0.0)
    attributes = known({**of_question(question_id, response), "selfrag.question.hash": question_hash})
    steps = list(_steps(response, begin))
    return Span("invoke_workflow selfrag", begin, ended, attributes, children=steps)


def _steps(response: Mapping[str, Any], begin: float) -> Iterator[Span]:
    at = begin
    for name in dict.fromkeys(response["path"]):
        used = response["usage"]["by_step"].get(re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower())
        started = begin + (used["started"] or 0.0) if used else at
        at = started + used["seconds"] if used else at
        made = Span(name, started, at, known(_of_use(name, used or {})))
        verdicts = response["reflection"].get(_VERDICTS.get(name, "")) or {}
        if isinstance(verdicts, dict):
            yield replace(made, attributes={**made.attributes, **known(_verdict(name, verdicts))})
        else:
            yield replace(made, children=[Span(name, started, at, known(_verdict(name, one))) for one in verdicts])


def _verdict(step: str, verdict: Mapping[str, Any]) -> dict[str, Any]:
    return {"selfrag.step": step, "selfrag.cached": verdict.get("cached"), **judged(step, verdict)}


def _of_use(step: str, used: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "gen_ai.operation.name": "retrieval" if step in SEARCHES else None,
        "gen_ai.usage.output_tokens": used.get("output_tokens"),
        "selfrag.step": step,
        "selfrag.models": used["model"].split(", ") if used else None,
        "selfrag.model_calls": used.get("calls"),
        # Without those of a cache, which the convention's own count has in it.
        "selfrag.input_tokens": used.get("input_tokens"),
        "selfrag.cost_usd": used.get("cost_usd"),
    }


def _hash(question_id: str, part: str) -> str:
    return hashlib.sha256(f"{question_id}/{part}".encode()).hexdigest()
