"""A stored answer as spans and evaluation events of OpenTelemetry (pure).

The names are those of OpenTelemetry's conventions for generative AI, semantic-conventions-genai v0.1.0 (in
development). `opentelemetry-semantic-conventions` 0.66b2, the newest package of names for Python, has them all, but
marks them as moved to those conventions. What they lack is called `selfrag.*`. Without `with_content`, no
text of the question, the passages, the answer, a claim or a reason is in a trace.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from selfrag.domain.answers import AnswerResponse
from selfrag.domain.scores.critiqued import CLAIMS, LEVELS
from selfrag.domain.verdicts import Verdict

Value = str | int | float | bool | Sequence[str]
Attributes = Mapping[str, Value | None]
_SEARCHES = ("Retrieve", "SearchWeb")


@dataclass(frozen=True)
class Evaluation:
    """A verdict, with a score, a label or both; `judged_at` is in seconds since the epoch."""

    name: str
    grader: str
    score: float | None
    label: str | None
    explanation: str | None
    judged_at: float
    details: Attributes


@dataclass(frozen=True)
class Span:
    """A span between two moments, in seconds since the epoch, with the verdicts on it; `id` has 16 hex digits."""

    id: str
    name: str
    started: float
    ended: float
    attributes: Attributes
    evaluations: Sequence[Evaluation] = ()


@dataclass(frozen=True)
class AnswerTrace:
    """The spans of a question, each below the first one; `id` has 32 hex digits."""

    id: str
    spans: Sequence[Span]

    @property
    def evaluations(self) -> list[tuple[Span, Evaluation]]:
        """Return all verdicts, each with the span that it is about."""
        return [(span, evaluation) for span in self.spans for evaluation in span.evaluations]


def answer_trace(
    response: AnswerResponse, question_hash: str, collections: Sequence[str], ended: float, with_content: bool = False
) -> AnswerTrace:
    """Return the trace of a stored answer; the same answer has the same ids.

    A response has the times of calls to the model alone, from the first of them on, and `ended` is the second in which
    it was stored: the question begins with that call, and a step without a call is a moment after the step before it.
    A verdict is about the step that it judges, or about the question where that step did not run.
    """
    usages = response.usage.by_step.values()
    begin = ended - max(((usage.started or 0.0) + usage.seconds for usage in usages), default=0.0)
    steps = dict(_times(response, begin))
    judged = list(_evaluations(response, steps, ended, with_content))
    source = {"gen_ai.data_source.id": collections[0] if len(collections) == 1 else None}
    about_all = [evaluation for step, evaluation in judged if step not in steps]
    spans = [
        Span(
            _hash(response.id, "question")[:16],
            "invoke_workflow selfrag",
            begin,
            ended,
            {**_of_question(response, with_content), **source, "selfrag.question.hash": question_hash},
            about_all,
        )
    ]
    for name, (started, step_ended) in steps.items():
        own = [evaluation for step, evaluation in judged if step == name]
        verdicts = [evaluation.label or str(evaluation.score) for _, evaluation in judged if evaluation.grader == name]
        attributes = {**_of_step(response, name, with_content), "selfrag.verdicts": verdicts or None}
        if name in _SEARCHES:
            attributes |= {"gen_ai.operation.name": "retrieval", **source}
        title = "retrieval" if name in _SEARCHES else name
        spans.append(Span(_hash(response.id, name)[:16], title, started, step_ended, attributes, own))
    return AnswerTrace(_trace_id(response.id), spans)


def _trace_id(question_id: str) -> str:
    """Return the question's own id if it is a UUID, else a hash of it."""
    return question_id if re.fullmatch(r"[0-9a-f]{32}", question_id) else _hash(question_id, "trace")[:32]


def _times(response: AnswerResponse, begin: float) -> Iterator[tuple[str, tuple[float, float]]]:
    at = begin
    for name in dict.fromkeys(response.path):
        usage = response.usage.by_step.get(_snake(name))
        started = at if usage is None else begin + (usage.started or 0.0)
        at = started + (usage.seconds if usage else 0.0)
        yield name, (started, at)


def _of_question(response: AnswerResponse, with_content: bool) -> Attributes:
    usage = response.usage
    content = {
        "gen_ai.input.messages": _message("user", response.question),
        "gen_ai.output.messages": _message("assistant", response.answer, finish_reason="stop"),
    }
    return {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.agent.name": "selfrag",
        **(content if with_content else {}),
        "error.type": "failed" if response.status == "failed" else None,
        "selfrag.question.id": response.id,
        "selfrag.status": response.status,
        "selfrag.path": response.path,
        "selfrag.model_calls": usage.model_calls,
        "selfrag.rounds": usage.rounds,
        "selfrag.cost_usd": usage.cost_usd,
    }


def _message(role: str, text: str, **fields: str) -> str:
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}], **fields}], ensure_ascii=False)


def _of_step(response: AnswerResponse, name: str, with_content: bool) -> Attributes:
    usage = response.usage.by_step.get(_snake(name))
    attributes: dict[str, Value | None] = {"selfrag.step": name}
    if name in _SEARCHES:
        scores = {verdict.passage_id: verdict.score for verdict in response.reflection.relevance}
        cited = {citation.passage_id: citation.document for citation in response.citations}
        documents = {verdict.passage_id: verdict.document for verdict in response.reflection.relevance} | cited
        passages = [passage for passage, document in documents.items() if _search_of(response, document) == name]
        attributes |= {
            "gen_ai.retrieval.documents": json.dumps([{"id": each, "score": scores.get(each)} for each in passages]),
            "gen_ai.retrieval.query.text": json.dumps(response.queries, ensure_ascii=False) if with_content else None,
        }
    if usage:
        attributes |= {
            "gen_ai.usage.output_tokens": usage.output_tokens,
            "selfrag.models": usage.model.split(", "),
            "selfrag.model_calls": usage.calls,
            # Without those of a cache, which the convention's own count has in it.
            "selfrag.input_tokens": usage.input_tokens,
            "selfrag.cost_usd": usage.cost_usd,
        }
    return attributes


def _search_of(response: AnswerResponse, document: str) -> str:
    """Return the step that found a passage: a page of the web is named by its address."""
    return "SearchWeb" if "SearchWeb" in response.path and document.startswith(("https://", "http://")) else "Retrieve"


def _evaluations(
    response: AnswerResponse, steps: Mapping[str, tuple[float, float]], ended: float, with_content: bool
) -> Iterator[tuple[str, Evaluation]]:
    """Yield each verdict with the step that it is about; one that was not given is labelled `ungraded`."""
    reflection = response.reflection

    def judged(
        name: str, grader: str, verdict: Verdict, label: str | None, score: float | None, **details: Value | None
    ) -> Evaluation:
        reason = str(getattr(verdict, "reason", "")) if with_content else ""
        common = {
            "selfrag.judged_by": verdict.judged_by,
            "selfrag.model": verdict.model or None,
            "selfrag.probability": verdict.probability,
            "selfrag.cached": bool(getattr(verdict, "cached", False)),
        }
        at = steps.get(grader, (ended, ended))[1]
        named = label if label or score is not None else "ungraded"
        return Evaluation(name, grader, score, named, reason or None, at, {**common, **details})

    if retrieve := reflection.retrieve:
        yield "", judged("Retrieve", "DecideRetrieval", retrieve, retrieve.decision, retrieve.ratio)
    for relevance in reflection.relevance:
        details = {"selfrag.passage.id": relevance.passage_id}
        about = _search_of(response, relevance.document)
        yield about, judged("IsRel", "GradeRelevance", relevance, relevance.label, relevance.score, **details)
    if support := reflection.support:
        level = None if support.ungraded else LEVELS.get(support.level or "")
        yield "Generate", judged("IsSup", "GradeSupport", support, support.level, level)
        for claim in support.claims:
            own = support.model_copy(update={"probability": claim.probability})
            score = CLAIMS.get(claim.support or "")
            yield "Generate", judged("IsSup.claim", "GradeSupport", own, claim.support, score)
    if utility := reflection.utility:
        yield "Generate", judged("IsUse", "GradeUtility", utility, None, utility.score and float(utility.score))


def _snake(state: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", state).lower()


def _hash(question_id: str, part: str) -> str:
    return hashlib.sha256(f"{question_id}/{part}".encode()).hexdigest()
