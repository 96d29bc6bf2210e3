"""The view of an unfinished question: its trace so far, and the verdicts known by then (pure)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any, Literal, Self

from pydantic import Field

from selfrag.domain.answers import AnswerCitation, Citation, Pass
from selfrag.domain.base import Model
from selfrag.domain.citations import add_utf16_spans
from selfrag.domain.history import PLAN, Step, plan_of
from selfrag.domain.ledger import path_of
from selfrag.domain.passages import Passage
from selfrag.domain.strategies import compares
from selfrag.domain.verdicts import Critique, Reflection, ReportedSupport

# Steps whose results are passages.
SEARCHES = ("Retrieve", "SearchWeb")


class DraftAnswer(Model):
    """An answer that is not final: it may be replaced, or withheld."""

    answer: str
    citations: list[AnswerCitation]
    support: ReportedSupport | None = Field(description="IsSup of this text, claim by claim; null before it is judged.")


def draft_of(steps: Sequence[Step]) -> DraftAnswer | None:
    """Return the answer as the steps so far have it; of several that are compared, the chosen one."""
    state, now = _last_pass(steps)
    if compares(state.get("strategy", "")):
        picked = [step.result.get("winner") or {} for step in _finished_steps(steps, "PickCandidate")]
        text = picked[-1] if picked else {}
        support = text.get("support")
    else:
        text = _latest_text(now, state) or state.get("draft") or {}
        support = _support(steps, text.get("answer", ""))
    if not text.get("answer"):
        return None
    # Another release may have run the question, and its results may have more fields.
    citations = [Citation.model_validate(citation, extra="ignore") for citation in text.get("citations", [])]
    draft = {"answer": text["answer"], "citations": add_utf16_spans(citations, text["answer"]), "support": support}
    return DraftAnswer.model_validate(draft, extra="ignore")


def _last_pass(steps: Sequence[Step]) -> tuple[Mapping[str, Any], Sequence[Step]]:
    """Return the state when the last pass was planned, and its steps."""
    plans = [at for at, step in enumerate(steps) if plan_of(step)]
    if not plans:
        return {}, steps
    return steps[plans[-1]].result.get("state", {}), steps[plans[-1] + 1 :]


def _latest_text(now: Sequence[Step], state: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the text of a pass; a direct one, written ahead, counts once no search is needed."""
    decided = [step.result["verdict"]["decision"] for step in _finished_steps(now, "DecideRetrieval")]
    mode = "direct" if state.get("direct") or "no" in decided else "grounded"
    return next((step.result for step in _finished_steps(now, "Generate") if step.task.get("mode") == mode), None)


def _support(steps: Sequence[Step], answer: str) -> Any:
    """Return the last verdict on this text."""
    judged = [
        step.result["verdict"] for step in _finished_steps(steps, "GradeSupport") if step.task.get("answer") == answer
    ]
    return judged[-1] if judged else None


def _finished_steps(steps: Sequence[Step], name: str) -> list[Step]:
    return [step for step in steps if step.name == name and isinstance(step.result, dict)]


class AcceptedQuestion(Model):
    """A question that was accepted; its answer is at `Location`."""

    id: str
    status: Literal["running"] = "running"


class TracedStep(Model):
    """A step that was entered; times are in seconds from the execution's start, `error` is a class name."""

    state: str
    started: float
    seconds: float
    attempts: int
    finished: bool
    error: str


class PassageHit(Model):
    """A passage that a search found; `score` ranks it within its search, null where the search gives none.

    IsRel's verdict on it comes later, under the same id in `reflection.relevance`.
    """

    passage_id: str
    document: str
    heading: str
    page: int | None
    locator: str
    score: float | None


class PassProgress(Pass):
    """A pass of a running question: its duration (null before the end), and its verdicts by step and label."""

    seconds: float | None = None
    verdicts: dict[str, dict[str, int]] = {}


State = Literal["running", "failed"]


class UnfinishedQuestion(Model):
    """A question that is running, or one whose execution ended without a response (`failed`).

    The progress is null unless the request asked for it (`trace=true`) and Step Functions returned it.
    """

    id: str
    status: State
    question: str = Field(default="", description="The question as it was asked.")
    reflection: Reflection | None = None
    path: list[str] | None = None
    passes: list[PassProgress] | None = Field(default=None, description="The passes so far, in order.")
    trace: list[TracedStep] | None = Field(
        default=None, description="The steps so far, in the order in which they were entered."
    )
    draft: DraftAnswer | None = Field(
        default=None, description="The answer as it is written; null before there is one, and when the question failed."
    )
    passages: list[PassageHit] | None = Field(
        default=None, description="The passages found so far, each once, in the order in which they came."
    )

    def without_text(self) -> Self:
        """Return the same without any text of a model or a document, which a guardrail has not checked yet."""
        passes = None if self.passes is None else [each.replace(why="") for each in self.passes]
        return self.replace(reflection=None, draft=None, passages=None, passes=passes)


def unfinished(
    question_id: str, status: State, steps: Sequence[Step] | None = None, question: str = ""
) -> UnfinishedQuestion:
    """Return the view of a question without a response, with its progress if the steps are known."""
    view = UnfinishedQuestion(id=question_id, status=status, question=question)
    if steps is None:
        return view
    return view.replace(
        reflection=_reflection(steps),
        path=path_of((step.turn, step.name) for step in steps),
        passes=_passes(steps),
        trace=[
            TracedStep(
                state=step.name,
                started=round(step.started, 3),
                seconds=round(step.seconds, 3),
                attempts=step.attempts,
                finished=step.result is not None,
                error=step.error,
            )
            for step in steps
        ],
        draft=draft_of(steps) if status == "running" else None,
        passages=_passages(steps),
    )


def _passes(steps: Sequence[Step]) -> list[PassProgress]:
    # A pass reaches from its plan to the next one, or to the end of the question.
    bounds = [at for at, step in enumerate(steps) if step.name in (PLAN, "ComposeAnswer")]
    return [
        PassProgress(
            why=plan.get("why", ""),
            steps=list(dict.fromkeys(step.get("step", "") for step in plan.get("steps", []))),
            seconds=None if end is None else round(steps[end].started - steps[begin].started, 3),
            verdicts=_counts(steps[begin + 1 : end]),
        )
        for begin, end in zip_longest(bounds, bounds[1:])
        if (plan := plan_of(steps[begin]))
    ]


def _counts(steps: Sequence[Step]) -> dict[str, dict[str, int]]:
    """Return the number of verdicts of each label by step, without those by a rule, which judges nothing."""
    counts: dict[str, Counter[str]] = {}
    for step in steps:
        verdict = step.result.get("verdict") if isinstance(step.result, dict) else None
        if verdict and verdict.get("judged_by") != "rule":
            counts.setdefault(step.name, Counter()).update(_labels(verdict))
    return {name: dict(labels) for name, labels in counts.items()}


def _labels(verdict: Mapping[str, Any]) -> list[str]:
    """Return the labels of a verdict: one for each claim of an answer, one for any other."""
    if claims := verdict.get("claims"):
        return [claim["support"] or "ungraded" for claim in claims]
    label = next((verdict[name] for name in ("decision", "label", "level", "score") if name in verdict), None)
    return [str(label or "ungraded")]


def _passages(steps: Sequence[Step]) -> list[PassageHit]:
    results = [step.result for step in steps if step.name in SEARCHES and isinstance(step.result, dict)]
    passages = [
        Passage.model_validate(passage, extra="ignore")
        for result in results
        for passage in result.get("passages") or []
    ]
    fields = set(PassageHit.model_fields)
    by_id = {passage.passage_id: passage.model_dump(include=fields) for passage in passages}
    return [PassageHit(**passage) for passage in by_id.values()]


def _reflection(steps: Sequence[Step]) -> Reflection:
    """Return the verdicts; where answers are compared, on the chosen one once there is one."""
    # While answers are compared, no verdict belongs to the final answer yet.
    alone = [] if compares(_last_pass(steps)[0].get("strategy", "")) else steps
    critique = {name: _last(alone, f"Grade{name.capitalize()}") for name in Critique.model_fields}
    if picked := _finished_steps(steps, "PickCandidate"):
        winner = picked[-1].result.get("winner") or {}
        critique = {name: winner.get(name) for name in critique}
    verdicts = {"retrieve": _last(steps, "DecideRetrieval"), "relevance": _verdicts(steps, "GradeRelevance")}
    # Another release may have run the question, and its verdicts may have more fields.
    return Reflection.model_validate({**critique, **verdicts}, extra="ignore")


def _last(steps: Sequence[Step], state: str) -> Any:
    return (_verdicts(steps, state) or [None])[-1]


def _verdicts(steps: Sequence[Step], state: str) -> list[Any]:
    return [step.result["verdict"] for step in _finished_steps(steps, state)]
