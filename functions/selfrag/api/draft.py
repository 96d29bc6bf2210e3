"""The draft of an unfinished question: its answer as it is written, before it is checked (pure)."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from selfrag.domain.answers import Citation
from selfrag.domain.base import Model
from selfrag.domain.history import Step, plan_of
from selfrag.domain.strategies import compares
from selfrag.domain.verdicts import SupportVerdict


class DraftAnswer(Model):
    """An answer that is not final: it may be replaced, or withheld."""

    answer: str
    citations: list[Citation]
    support: SupportVerdict | None = Field(description="IsSup of this text, claim by claim; null before it is judged.")


def draft_of(steps: Sequence[Step]) -> DraftAnswer | None:
    """Return the answer as the steps so far have it; of several that are compared, the chosen one."""
    state, now = _last_pass(steps)
    if compares(state.get("strategy", "")):
        picked = [step.result.get("winner") or {} for step in _told(steps, "PickCandidate")]
        text = picked[-1] if picked else {}
        support = text.get("support")
    else:
        text = _written(now, state) or state.get("draft") or {}
        support = _support(steps, text.get("answer", ""))
    if not text.get("answer"):
        return None
    draft = {"answer": text["answer"], "citations": text.get("citations", []), "support": support}
    # Another release may have run the question, and its results may have more fields.
    return DraftAnswer.model_validate(draft, extra="ignore")


def _last_pass(steps: Sequence[Step]) -> tuple[Mapping[str, Any], Sequence[Step]]:
    """Return the state when the last pass was planned, and its steps."""
    plans = [at for at, step in enumerate(steps) if plan_of(step)]
    if not plans:
        return {}, steps
    return steps[plans[-1]].result.get("state", {}), steps[plans[-1] + 1 :]


def _written(now: Sequence[Step], state: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the text of a pass; a direct one, written ahead, counts once no search is needed."""
    decided = [step.result["verdict"]["decision"] for step in _told(now, "DecideRetrieval")]
    mode = "direct" if state.get("direct") or "no" in decided else "grounded"
    return next((step.result for step in _told(now, "Generate") if step.given.get("mode") == mode), None)


def _support(steps: Sequence[Step], answer: str) -> Any:
    """Return the last verdict on this text."""
    judged = [step.result["verdict"] for step in _told(steps, "GradeSupport") if step.given.get("answer") == answer]
    return judged[-1] if judged else None


def _told(steps: Sequence[Step], name: str) -> list[Step]:
    return [step for step in steps if step.name == name and isinstance(step.result, dict)]
