"""Reports of steps to the plan: their results as verdicts and ledger entries, failing closed."""

from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, ConfigDict

from selfrag.domain.answers import Citation
from selfrag.domain.errors import BudgetExceeded, DeadlineExceeded
from selfrag.domain.ledger import Entry
from selfrag.domain.verdicts import Critique, RelevanceVerdict, RetrievalVerdict, SupportVerdict, UtilityVerdict
from selfrag.plan.situation import Situation

NO_VERDICT = "the grader gave no verdict"
# These are raised before the model is asked.
_NOT_ASKED = (DeadlineExceeded.__name__, BudgetExceeded.__name__)
# Steps whose Lambda asks no model.
_WITHOUT_MODEL = ("RecallAnswer", "Retrieve", "SearchWeb", "RankPaths", "PickCandidate", "Plan", "RunSteps")


class Report(BaseModel):
    """The report of one step: its result, or the class name of the error that ended it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    step: str
    id: str = ""
    result: dict[str, Any] | None = None
    error: str | None = None

    def get(self, name: str, otherwise: Any = None) -> Any:
        """Return a field of the result, or `otherwise` where there is none."""
        return (self.result or {}).get(name, otherwise)

    @property
    def flaw(self) -> str | None:
        """Return why a text is no answer, or not whole; for a failed step, its error."""
        return self.error or self.get("flaw")


def entry_of(report: Report, turn: int, **more: Any) -> Entry:
    """Return a step's entry in the ledger; `more` are further fields of it."""
    if report.result is None:
        asked = report.step not in _WITHOUT_MODEL and report.error not in _NOT_ASKED
        return Entry(step=report.step, turn=turn, error=report.error, attempts=int(asked), **more)
    took = {name: report.result[name] for name in _TOOK if name in report.result}
    cached = bool(report.get("cached") or (report.get("verdict") or {}).get("cached"))
    entry = {"step": report.step, "turn": turn, **took, "error": _error(report), "cached": cached, **more}
    return Entry.model_validate(entry)


_TOOK = ("calls", "warnings", "attempts", "throttled", "sequences", "flaw")


def _error(report: Report) -> str | None:
    """Return why a step had no result; for a text that is no answer, its flaw."""
    error: str | None = report.get("error")
    return error or (None if report.get("found", True) else report.get("flaw"))


def of_step(reports: Iterable[Report], step: str) -> list[Report]:
    """Return the reports of one step."""
    return [report for report in reports if report.step == step]


def retrieval_of(report: Report) -> RetrievalVerdict:
    """Return the verdict on the search; without one it is ungraded, which means a search."""
    verdict = report.get("verdict")
    if verdict is None:
        return RetrievalVerdict(decision="ungraded", reason=NO_VERDICT)
    return RetrievalVerdict.model_validate(verdict)


def relevance_of(report: Report | None, passage_id: str, document: str) -> RelevanceVerdict:
    """Return the verdict on a passage; without one it is ungraded and no evidence."""
    verdict = report.get("verdict") if report else None
    if verdict is None:
        return RelevanceVerdict(passage_id=passage_id, document=document, relevant=False, score=None, label="ungraded")
    return RelevanceVerdict.model_validate(verdict)


def support_of(report: Report | None) -> SupportVerdict:
    """Return the verdict on an answer's support; without one it is ungraded."""
    verdict = report.get("verdict") if report else None
    return SupportVerdict(level="ungraded") if verdict is None else SupportVerdict.model_validate(verdict)


def most_text_hits(known: Situation, reports: Iterable[Report]) -> int | None:
    """Return the most full-text hits of a search of the documents so far, None if the store does not count them."""
    counts = [known.text_hits, *(report.get("text_hits") for report in of_step(reports, "Retrieve"))]
    return max((hits for hits in counts if hits is not None), default=None)


def citation_repair(report: Report | None) -> dict[str, Any]:
    """Return the fields of an answer whose citations were repaired by its support, none of another."""
    if report is None or not report.get("repaired"):
        return {}
    citations = [Citation.model_validate(citation) for citation in report.get("citations", [])]
    return {"answer": report.get("answer"), "citations": citations, "repaired": report.get("repaired")}


def utility_of(report: Report | None) -> UtilityVerdict:
    """Return the verdict on an answer's use; without one it is ungraded, which is no pass."""
    if report is None:
        return UtilityVerdict(score=None)
    verdict = report.get("verdict")
    return UtilityVerdict(score=None, reason=NO_VERDICT) if verdict is None else UtilityVerdict.model_validate(verdict)


def critique_of(reports: Iterable[Report]) -> Critique:
    """Return the verdicts on one answer: the verdict `utility` is GradeUtility's, and so for each."""
    by_name = {report.step.removeprefix("Grade").lower(): report for report in reports}
    told = {name: by_name[name].get("verdict") for name in Critique.model_fields if name in by_name}
    said = Critique.model_validate({name: verdict for name, verdict in told.items() if verdict})
    return said.model_copy(update={"utility": utility_of(by_name.get("utility"))})
