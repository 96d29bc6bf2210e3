"""The answer that goes out, its status, and the notes on it (pure)."""

from dataclasses import dataclass

from question.compose_answer.task import Task
from selfrag.domain.answers import Draft, Status
from selfrag.domain.errors import HINTS, BudgetExceeded, DeadlineExceeded, SelfragError
from selfrag.domain.ledger import is_out_of_budget
from selfrag.domain.questions import Filters
from selfrag.domain.scores.shown import Stopped
from selfrag.domain.verdicts import Critique

NO_TIME = "The time for this question ran out before an answer was ready. Nothing was checked, so nothing is claimed."
NO_MONEY = "The cost limit of this question was reached before an answer was ready, so nothing is claimed."
NO_ROOM = "A limit of this question left no room for an answer, so nothing is claimed."
# The note on a comparison of answers that ended early.
STOPPED: dict[Stopped, str] = {
    "depth": "The answer has as many sentences as it may have, and was not finished.",
    "calls": "The limit on model calls was reached.",
    "sequences": "The limit on sequences of the generator was reached.",
    "cost": "The cost limit was reached.",
    "deadline": "The deadline was reached.",
    "no_evidence": "The answer ends where no further evidence was found.",
    "fault": "A step failed before the answer was complete.",
}
# Without the results of these steps there is no answer.
_DECISIVE = ("Plan", "RunSteps", "Retrieve", "Generate", "RankPaths", "PickCandidate")


@dataclass(frozen=True)
class Outcome:
    """The answer that goes out, if any (`draft`), its text, its status, and what was not checked (`notes`)."""

    draft: Draft | None
    status: Status
    answer: str
    notes: list[str]


def outcome(task: Task) -> Outcome:
    """Return what goes out and its status: the plan's best answer, else the last one that no grader refused."""
    chosen, out_of_time, out_of_money = _chosen(task), _out_of_time(task), is_out_of_budget(task.ledger)
    stopped = task.scores.stopped if task.scores else ""
    status = _status(task, chosen, ended_early=out_of_time or out_of_money or bool(stopped))
    notes = [] if chosen is None else _notes(chosen, task.min_utility)
    if stopped:
        notes.append(STOPPED[stopped])
    if out_of_time and status != "answered":
        notes.append(STOPPED["deadline"])
    if out_of_money and status != "answered":
        notes.append(STOPPED["cost"])
    return Outcome(chosen, status, chosen.answer if chosen else _apology(task, status), notes)


def _chosen(task: Task) -> Draft | None:
    if task.best.answer:
        return task.best
    if task.draft.answer and _may_go_out(task.draft, task.min_utility):
        return task.draft
    return None


def _may_go_out(draft: Draft, min_utility: int) -> bool:
    return draft.support.level != "no_support" and not _of_little_use(draft, min_utility)


def _of_little_use(draft: Draft, min_utility: int) -> bool:
    return draft.utility.score is not None and draft.utility.score < min_utility


def _status(task: Task, chosen: Draft | None, *, ended_early: bool) -> Status:
    if chosen is not None and task.scores and task.scores.stopped:
        return "partial"
    if chosen is not None:
        supported = chosen.relevant and (chosen.direct or chosen.support.level == "fully_supported")
        useful = chosen.utility.score is not None and chosen.utility.score >= task.min_utility
        return "answered" if supported and useful and not chosen.cut else "partial"
    if ended_early:
        return "partial"
    return "failed" if _broken(task) else "abstained"


def _out_of_time(task: Task) -> bool:
    """Return whether the deadline, or a step's own timeout, ended the question."""
    return task.late or _ended_by(task, DeadlineExceeded)


def _ended_by(task: Task, kind: type[SelfragError]) -> bool:
    return any(error == kind.__name__ for _, error in task.problems)


def _broken(task: Task) -> bool:
    """Return whether a fault, and not the documents, is the reason for no answer."""
    decisive = any(step in _DECISIVE for step, _ in task.problems)
    all_ungraded = bool(task.relevance) and all(verdict.label == "ungraded" for verdict in task.relevance)
    return decisive or all_ungraded


def _apology(task: Task, status: Status) -> str:
    if status == "partial":
        return NO_TIME if _out_of_time(task) else NO_MONEY if is_out_of_budget(task.ledger) else NO_ROOM
    if status == "failed":
        # A fault is the reason, also if the budget is spent by then.
        kinds = [error for _, error in task.problems if error in HINTS and error != BudgetExceeded.__name__]
        hint = HINTS[kinds[-1]] if kinds else "Look at the trace of the execution."
        steps = ", ".join(dict.fromkeys(step for step, _ in task.problems)) or "GradeRelevance"
        return f"The question could not be answered because a step failed: {steps}. {hint}"
    searched = "; ".join(f'"{query}"' for query in task.queries) or "nothing"
    why = "No document meets the filters" if _filtered_out(task) else "Not found in the documents"
    return f"{why}. Searched for: {searched}."


def _filtered_out(task: Task) -> bool:
    """Return whether the filters left nothing to search: a vector search always finds something else."""
    searches = [entry for entry in task.ledger if entry.step == "Retrieve" and not entry.waste]
    # A warning says that a search was by full text alone, or dropped passages for want of room.
    nothing = all(entry.brought == 0 and not entry.warnings for entry in searches)
    return bool(searches) and nothing and task.filters != Filters()


def _notes(chosen: Draft, min_utility: int) -> list[str]:
    asked = [name for name in Critique.model_fields if not (chosen.direct and name == "support")]
    verdicts = [getattr(chosen, name) for name in asked]
    notes = [f"Not checked: {verdict.asks}." for verdict in verdicts if verdict.ungraded]
    if _of_little_use(chosen, min_utility):
        notes.append(
            f"The answer was judged of little use: {chosen.utility.score} of 5, where {min_utility} was asked for."
        )
    if chosen.cut:
        notes.append("The answer was cut at the model's length limit.")
    return notes
