"""What a caller gets of a question that is not finished: the trace so far, and the verdicts known by then (pure)."""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field

from selfrag.domain.answers import RetrieveReflection
from selfrag.domain.base import Model
from selfrag.domain.history import Step
from selfrag.domain.verdicts import RelevanceVerdict, RetrievalVerdict, SupportVerdict, UtilityVerdict


class Started(Model):
    """A question that was taken on; its answer is at `Location`."""

    id: str
    status: Literal["running"] = "running"


class TracedStep(Model):
    """One step that was entered; times are in seconds from the execution's start, `error` is a class name."""

    state: str
    started: float
    seconds: float
    attempts: int
    finished: bool
    error: str


class ReflectionSoFar(Model):
    """The verdicts known by now; the last of each kind, and of IsRel all."""

    retrieve: RetrieveReflection | None = None
    relevance: list[RelevanceVerdict] = []
    support: SupportVerdict | None = None
    utility: UtilityVerdict | None = None


class Unfinished(Model):
    """A question at work, or one whose execution ended without a response (`failed`)."""

    id: str
    status: Literal["running", "failed"]
    reflection: ReflectionSoFar
    path: list[str]
    trace: list[TracedStep] = Field(description="The steps so far, in the order in which they were entered.")


def unfinished(question_id: str, status: str, steps: Sequence[Step]) -> Unfinished:
    """The view of an execution that has given no response; `status` is in AWS's words."""
    return Unfinished(
        id=question_id,
        status="running" if status == "RUNNING" else "failed",
        reflection=_reflection(steps),
        path=list(dict.fromkeys(step.name for step in steps)),
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
    )


def _reflection(steps: Sequence[Step]) -> ReflectionSoFar:
    decided = [RetrievalVerdict.model_validate(verdict) for verdict in _verdicts(steps, "DecideRetrieval")]
    support = [SupportVerdict.model_validate(verdict) for verdict in _verdicts(steps, "GradeSupport")]
    utility = [UtilityVerdict.model_validate(verdict) for verdict in _verdicts(steps, "GradeUtility")]
    return ReflectionSoFar(
        retrieve=RetrieveReflection(decision=decided[-1].decision, reason=decided[-1].reason) if decided else None,
        relevance=[RelevanceVerdict.model_validate(verdict) for verdict in _verdicts(steps, "GradeRelevance")],
        support=support[-1] if support else None,
        utility=utility[-1] if utility else None,
    )


def _verdicts(steps: Sequence[Step], state: str) -> list[Any]:
    return [step.result["verdict"] for step in steps if step.name == state and isinstance(step.result, dict)]
