"""What a caller gets of a question that is not finished: the trace so far, and the verdicts known by then (pure)."""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field

from selfrag.domain.answers import Pass
from selfrag.domain.base import Model
from selfrag.domain.history import Step, plan_of
from selfrag.domain.ledger import path_of
from selfrag.domain.passages import Passage
from selfrag.domain.scores.shown import Scores
from selfrag.domain.scores.traced import scores_of
from selfrag.domain.strategies import compares
from selfrag.domain.verdicts import Critique, Reflection

# The steps whose results are passages.
SEARCHES = ("Retrieve", "SearchWeb")


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


class FoundPassage(Model):
    """A passage that a search brought; `score` compares it with others of its search, and is null where none is told.

    What IsRel says of it comes later, under the same id in `reflection.relevance`.
    """

    passage_id: str
    document: str
    heading: str
    page: int | None
    locator: str
    score: float | None


State = Literal["running", "failed"]


class Unfinished(Model):
    """A question at work, or one whose execution ended without a response (`failed`).

    How far it is, is null unless it was asked for (`trace=true`) and Step Functions told it.
    """

    id: str
    status: State
    reflection: Reflection | None = None
    path: list[str] | None = None
    passes: list[Pass] | None = Field(default=None, description="Why each pass so far was made, in order.")
    trace: list[TracedStep] | None = Field(
        default=None, description="The steps so far, in the order in which they were entered."
    )
    passages: list[FoundPassage] | None = Field(
        default=None, description="What the searches have brought so far, each once, in the order in which it came."
    )
    scores: Scores | None = Field(
        default=None, description="The answers that were compared so far; null where none were."
    )


def unfinished(question_id: str, status: State, steps: Sequence[Step] | None = None) -> Unfinished:
    """The view of a question without a response, and how far it is if the steps are known."""
    if steps is None:
        return Unfinished(id=question_id, status=status)
    return Unfinished(
        id=question_id,
        status=status,
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
    # The question may be of another release, whose verdicts say more.
    return Reflection.model_validate(known, extra="ignore")


def _of_the_answer(steps: Sequence[Step]) -> dict[str, Any]:
    """What is said of the answer: of the one that was chosen where several are compared, once it is."""
    picked = [step.result.get("winner") for step in steps if step.name == "PickCandidate" and _told(step)]
    if picked:
        return {name: (picked[-1] or {}).get(name) for name in Critique.model_fields}
    plans = [step.result for step in steps if plan_of(step)]
    # Where several answers are compared, no verdict is that of the answer before one is chosen.
    several = bool(plans) and compares(plans[-1].get("known", {}).get("strategy", ""))
    alone = [] if several else steps
    return {name: _last(alone, f"Grade{name.capitalize()}") for name in Critique.model_fields}


def _written_with(steps: Sequence[Step]) -> list[Any]:
    """The verdicts on passages that the generator gave as it wrote."""
    written = [one for step in steps if _told(step) for one in step.result.get("written") or []]
    return [one["relevance"] for one in written if one.get("relevance")]


def _last(steps: Sequence[Step], state: str) -> Any:
    return (_verdicts(steps, state) or [None])[-1]


def _verdicts(steps: Sequence[Step], state: str) -> list[Any]:
    return [step.result["verdict"] for step in steps if step.name == state and _told(step)]


def _told(step: Step) -> bool:
    return isinstance(step.result, dict)
