"""The view of an unfinished question: its trace so far, and the verdicts known by then (pure)."""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field

from selfrag.api.draft import DraftAnswer, draft_of
from selfrag.domain.answers import Pass
from selfrag.domain.base import Model
from selfrag.domain.history import Step, plan_of
from selfrag.domain.ledger import path_of
from selfrag.domain.passages import Passage
from selfrag.domain.scores.shown import Scores
from selfrag.domain.scores.traced import scores_of
from selfrag.domain.strategies import compares
from selfrag.domain.verdicts import Critique, Reflection

# Steps whose results are passages.
SEARCHES = ("Retrieve", "SearchWeb")


class Started(Model):
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


class FoundPassage(Model):
    """A passage that a search found; `score` ranks it within its search, null where the search gives none.

    IsRel's verdict on it comes later, under the same id in `reflection.relevance`.
    """

    passage_id: str
    document: str
    heading: str
    page: int | None
    locator: str
    score: float | None


State = Literal["running", "failed"]


class Unfinished(Model):
    """A question that is running, or one whose execution ended without a response (`failed`).

    The progress is null unless the request asked for it (`trace=true`) and Step Functions returned it.
    """

    id: str
    status: State
    question: str = Field(default="", description="The question as it was asked.")
    reflection: Reflection | None = None
    path: list[str] | None = None
    passes: list[Pass] | None = Field(default=None, description="The reason of each pass so far, in order.")
    trace: list[TracedStep] | None = Field(
        default=None, description="The steps so far, in the order in which they were entered."
    )
    draft: DraftAnswer | None = Field(
        default=None, description="The answer as it is written; null before there is one, and when the question failed."
    )
    passages: list[FoundPassage] | None = Field(
        default=None, description="The passages found so far, each once, in the order in which they came."
    )
    scores: Scores | None = Field(
        default=None, description="The answers that were compared so far; null where none were."
    )


def unfinished(question_id: str, status: State, steps: Sequence[Step] | None = None, question: str = "") -> Unfinished:
    """Return the view of a question without a response, with its progress if the steps are known."""
    if steps is None:
        return Unfinished(id=question_id, status=status, question=question)
    return Unfinished(
        id=question_id,
        status=status,
        question=question,
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
        scores=scores_of(steps),
    )


def _passes(steps: Sequence[Step]) -> list[Pass]:
    plans = [plan for step in steps if (plan := plan_of(step))]
    named = [(plan.get("why", ""), [one.get("step", "") for one in plan.get("steps", [])]) for plan in plans]
    return [Pass(why=why, steps=list(dict.fromkeys(names))) for why, names in named]


def _passages(steps: Sequence[Step]) -> list[FoundPassage]:
    results = [step.result for step in steps if step.name in SEARCHES and isinstance(step.result, dict)]
    found = [Passage.model_validate(one, extra="ignore") for result in results for one in result.get("passages") or []]
    told = {one.passage_id: one.model_dump(include=set(FoundPassage.model_fields)) for one in found}
    return [FoundPassage(**one) for one in told.values()]


def _reflection(steps: Sequence[Step]) -> Reflection:
    relevance = [*_verdicts(steps, "GradeRelevance"), *_written_with(steps)]
    known = {**_of_the_answer(steps), "retrieve": _last(steps, "DecideRetrieval"), "relevance": relevance}
    # Another release may have run the question, and its verdicts may have more fields.
    return Reflection.model_validate(known, extra="ignore")


def _of_the_answer(steps: Sequence[Step]) -> dict[str, Any]:
    """Return the verdicts on the answer; where answers are compared, on the chosen one once there is one."""
    picked = [step.result.get("winner") for step in steps if step.name == "PickCandidate" and _told(step)]
    if picked:
        return {name: (picked[-1] or {}).get(name) for name in Critique.model_fields}
    plans = [step.result for step in steps if plan_of(step)]
    # Where answers are compared, no verdict is the answer's before one is chosen.
    several = bool(plans) and compares(plans[-1].get("state", {}).get("strategy", ""))
    alone = [] if several else steps
    return {name: _last(alone, f"Grade{name.capitalize()}") for name in Critique.model_fields}


def _written_with(steps: Sequence[Step]) -> list[Any]:
    """Return the verdicts on passages that the generator gave as it wrote."""
    written = [one for step in steps if _told(step) for one in step.result.get("written") or []]
    return [one["relevance"] for one in written if one.get("relevance")]


def _last(steps: Sequence[Step], state: str) -> Any:
    return (_verdicts(steps, state) or [None])[-1]


def _verdicts(steps: Sequence[Step], state: str) -> list[Any]:
    return [step.result["verdict"] for step in steps if step.name == state and _told(step)]


def _told(step: Step) -> bool:
    return isinstance(step.result, dict)
