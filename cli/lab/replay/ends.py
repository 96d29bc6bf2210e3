"""The end of a question under other verdicts on the same passages and the same answers (pure).

What would then have been searched or written is not known: the end tells that a question would have gone another way,
and the status of the answer that it had.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cli.lab.replay.traces import END, Recorded, Trace
from question.compose_answer.outcome import outcome
from question.compose_answer.task import Task
from selfrag.domain.answers import Draft
from selfrag.domain.verdicts import SupportVerdict, UtilityVerdict

Verdict = dict[str, Any]


@dataclass(frozen=True)
class End:
    """The status of the answer that there was, and what decided: passages used, answers accepted."""

    status: str
    evidence: tuple[str, ...]
    accepted: tuple[bool, ...]


def end_of(trace: Trace, verdicts: Sequence[Verdict | None]) -> End | None:
    """Return the end of a question with these verdicts on its steps, in order; None if its answer was never composed.

    The status is that of ComposeAnswer's own rules for the same answers.
    """
    if not trace.steps or trace.steps[-1].name != END:
        return None
    task = Task.model_validate(trace.steps[-1].given, extra="ignore")
    said = list(zip(trace.steps, verdicts, strict=True))
    judged = {
        name: _by_answer(said, state) for name, state in (("support", "GradeSupport"), ("utility", "GradeUtility"))
    }
    best, draft = (_with(one, judged) for one in (task.best, task.draft))
    # Of answers that were compared the best goes out, whatever it is worth, as does one that was let go at last.
    goes = bool(task.scores) or _of_little_use(task.best, task.min_utility) or _may_be_best(best, task.min_utility)
    allowed = best if goes else Draft()
    relevant = {one["passage_id"] for step, one in said if step.name == "GradeRelevance" and one and one["relevant"]}
    return End(
        status=outcome(task.model_copy(update={"best": allowed, "draft": draft})).status,
        evidence=tuple(sorted(relevant)),
        accepted=tuple(
            _accepted(judged["support"].get(answer), utility, task.min_utility)
            for answer, utility in judged["utility"].items()
        ),
    )


def _by_answer(said: Sequence[tuple[Recorded, Verdict | None]], state: str) -> dict[str, Any]:
    """Return the verdicts of a state by the answer that was judged."""
    kind: Any = SupportVerdict if state == "GradeSupport" else UtilityVerdict
    none = SupportVerdict(level="ungraded") if state == "GradeSupport" else UtilityVerdict(score=None)
    return {
        str(step.given.get("answer")): none if verdict is None else kind.model_validate(verdict, extra="ignore")
        for step, verdict in said
        if step.name == state
    }


def _with(draft: Draft, judged: dict[str, dict[str, Any]]) -> Draft:
    """Return a draft with the verdicts on its answer."""
    return draft.model_copy(
        update={name: verdicts[draft.answer] for name, verdicts in judged.items() if draft.answer in verdicts}
    )


def _may_be_best(draft: Draft, min_utility: int) -> bool:
    """Return whether self_rag's plan keeps an answer as the best so far."""
    useful = draft.utility.score is not None and draft.utility.score >= min_utility
    refused = _of_little_use(draft, min_utility) or draft.support.level == "no_support"
    return not refused and (useful or not draft.direct)


def _of_little_use(draft: Draft, min_utility: int) -> bool:
    return draft.utility.score is not None and draft.utility.score < min_utility


def _accepted(support: SupportVerdict | None, utility: UtilityVerdict, min_utility: int) -> bool:
    """Return whether self_rag's plan ends with an answer; a direct one has no support."""
    supported = support is None or support.level == "fully_supported"
    return supported and utility.score is not None and utility.score >= min_utility
