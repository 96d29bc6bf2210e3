"""The answer that goes out, its status, and the notes on it (pure)."""

from collections.abc import Sequence
from dataclasses import dataclass

from selfrag.domain.answers import Draft, Selection, Status
from selfrag.domain.errors import BudgetExceeded, DeadlineExceeded
from selfrag.domain.ledger import Entry, is_out_of_budget
from selfrag.domain.questions import Filters
from selfrag.domain.verdicts import Critique
from selfrag.question.compose_answer.messages import Messages
from selfrag.question.compose_answer.task import Task

# Without the results of these steps there is no answer.
_DECISIVE = ("Plan", "RunSteps", "Retrieve", "Generate", "RankPaths", "PickCandidate")


_LIMITS = (BudgetExceeded.__name__, DeadlineExceeded.__name__)


@dataclass(frozen=True)
class Outcome:
    """The answer that is returned, if any (`draft`), its text, its status, and what was not checked (`notes`).

    `selection` is there for an answer over documents, which passages alone cannot prove to be complete.
    """

    draft: Draft | None
    status: Status
    answer: str
    notes: list[str]
    selection: Selection | None = None


def outcome(task: Task) -> Outcome:
    """Return what goes out and its status: the plan's best answer, else the last one that no grader refused."""
    messages, chosen, faults = Messages(task.question), _chosen(task), _faults(task)
    out_of_time = task.late or any(entry.error == DeadlineExceeded.__name__ for entry in task.problems)
    # If a step failed, the cost is not the reason.
    out_of_money = is_out_of_budget(task.ledger) and not faults
    stopped = task.scores.stopped if task.scores else ""
    if stopped == "cost" and faults:
        stopped = "fault"
    limit = "no_time" if out_of_time else "no_money" if out_of_money else "no_room" if stopped and not faults else ""
    status = _status(task, chosen, ended_early=bool(limit), broken=bool(faults))
    notes = [] if chosen is None else _notes(messages, chosen, task.min_utility)
    if stopped:
        notes.append(messages(f"stopped_{stopped}"))
    if out_of_time and status != "answered":
        notes.append(messages("stopped_deadline"))
    if out_of_money and status != "answered":
        notes.append(messages("stopped_cost"))
    selection = _selection(task, chosen, messages)
    if selection:
        notes.append(selection.note)
    if chosen:
        answer = chosen.answer
    elif status == "partial":
        answer = messages(limit)
    elif status == "failed":
        answer = _failure(messages, faults)
    else:
        why = messages("filtered" if _filtered_out(task) else "not_found")
        answer = messages.joined(why, messages.searched(task.queries))
    return Outcome(chosen, status, answer, notes, selection)


def _chosen(task: Task) -> Draft | None:
    if task.best.answer:
        return task.best
    if task.draft.answer and _may_go_out(task.draft, task.min_utility):
        return task.draft
    return None


def _selection(task: Task, chosen: Draft | None, messages: Messages) -> Selection | None:
    """Return the passages of an answer that counts, adds up or lists over documents; None for any other."""
    if chosen is None or chosen.direct or task.retrieval is None or not task.retrieval.aggregate:
        return None
    passages, hits = sum(verdict.relevant for verdict in task.relevance), task.text_hits
    note = messages("selection" if hits is None else "selection_of", passages=passages, hits=hits)
    return Selection(passages=passages, text_hits=hits, note=note)


def _may_go_out(draft: Draft, min_utility: int) -> bool:
    return draft.support.level != "no_support" and not _of_little_use(draft, min_utility)


def _of_little_use(draft: Draft, min_utility: int) -> bool:
    return draft.utility.score is not None and draft.utility.score < min_utility


def _status(task: Task, chosen: Draft | None, *, ended_early: bool, broken: bool) -> Status:
    if chosen is not None and task.scores and task.scores.stopped:
        return "partial"
    if chosen is not None:
        cited = bool(chosen.citations) and chosen.support.level == "fully_supported"
        supported = chosen.relevant and (chosen.direct or cited)
        useful = chosen.utility.score is not None and chosen.utility.score >= task.min_utility
        return "answered" if supported and useful and not chosen.cut else "partial"
    if ended_early:
        return "partial"
    return "failed" if broken else "abstained"


def _faults(task: Task) -> list[Entry]:
    """Return the steps by which a fault, and neither a limit nor the documents, is the reason for no answer."""
    all_ungraded = bool(task.relevance) and all(verdict.label == "ungraded" for verdict in task.relevance)
    decisive = (*_DECISIVE, "GradeRelevance") if all_ungraded else _DECISIVE
    faults = [entry for entry in task.problems if entry.step in decisive]
    if all_ungraded and not faults:
        return [Entry(step="GradeRelevance")]
    return [entry for entry in faults if entry.error not in _LIMITS]


def _failure(messages: Messages, faults: Sequence[Entry]) -> str:
    """Return the sentences on the steps that failed: what went wrong, and what to do about it."""
    steps = ", ".join(dict.fromkeys(entry.step for entry in faults))
    # A text that is no answer has its flaw as its error.
    names = [name for entry in faults for name in (entry.flaw, entry.error) if name]
    causes = [messages(name) if name in messages else messages("unexpected", error=name) for name in names]
    return messages("failed", steps=steps, causes=messages.joined(*causes)).strip()


def _filtered_out(task: Task) -> bool:
    """Return whether the filters left nothing to search: a vector search always finds something else."""
    searches = [entry for entry in task.ledger if entry.step == "Retrieve" and not entry.waste]
    # A warning says that a search was by full text alone, or dropped passages for want of room.
    nothing = all(entry.brought == 0 and not entry.warnings for entry in searches)
    return bool(searches) and nothing and task.filters != Filters()


def _notes(messages: Messages, chosen: Draft, min_utility: int) -> list[str]:
    asked = [name for name in Critique.model_fields if not (chosen.direct and name == "support")]
    notes = [messages(f"unchecked_{name}") for name in asked if getattr(chosen, name).ungraded]
    if _of_little_use(chosen, min_utility):
        notes.append(messages("little_use", score=chosen.utility.score, least=min_utility))
    if not chosen.direct and not chosen.citations:
        notes.append(messages("uncited"))
    if chosen.cut:
        notes.append(messages("answer_cut"))
    return notes
