"""Step reports as verdicts and ledger entries, failing closed."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Generic, Literal, Self, TypedDict, TypeVar, Unpack

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from selfrag.domain.calls import StepResult
from selfrag.domain.errors import BudgetExceeded, DeadlineExceeded
from selfrag.domain.ledger import Entry
from selfrag.domain.steps import (
    CitationRepair,
    DecideRetrievalResult,
    GenerateResult,
    GradeRelevanceResult,
    GradeSupportResult,
    GradeUtilityResult,
    PickCandidateResult,
    RankPathsResult,
    RecallAnswerResult,
    RetrievalResult,
    RetrievedHit,
    RewriteQuestionResult,
)
from selfrag.domain.verdicts import (
    Critique,
    RelevanceVerdict,
    RetrievalVerdict,
    SupportVerdict,
    UtilityVerdict,
    ungraded_relevance,
)
from selfrag.plan.state import State

N = TypeVar("N", bound=str)
R = TypeVar("R", bound=StepResult)
NO_VERDICT = "the grader gave no verdict"
UNREADABLE_RESULT = "UnreadableResult"
# Errors raised before the model is called.
_NOT_ASKED = (DeadlineExceeded.__name__, BudgetExceeded.__name__)
# Steps without model calls.
_WITHOUT_MODEL = ("RecallAnswer", "Retrieve", "SearchWeb", "RankPaths", "PickCandidate", "Plan", "RunSteps")


class ResultReport(BaseModel, Generic[N, R]):
    """The report of the step with this name: its result or the class name of its error."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    step: N
    id: str = ""
    result: R | None = None
    error: str | None = None

    @model_validator(mode="wrap")
    @classmethod
    def _failing_closed(cls, report: Any, read: ModelWrapValidatorHandler[Self]) -> Self:
        """Parse the report; an unreadable result counts as missing."""
        try:
            return read(report)
        except ValidationError:
            return cls(step=report["step"], id=report.get("id", ""), error=UNREADABLE_RESULT)


class GenerateReport(ResultReport[Literal["Generate"], GenerateResult]):
    """The report of Generate."""

    @property
    def text(self) -> GenerateResult:
        """Return the text, or ""."""
        return self.result or GenerateResult()

    @property
    def flaw(self) -> str | None:
        """Return why a text is unusable or incomplete, or the step's error."""
        return self.error or (self.result.flaw if self.result else None)


RecallAnswerReport = ResultReport[Literal["RecallAnswer"], RecallAnswerResult]
DecideRetrievalReport = ResultReport[Literal["DecideRetrieval"], DecideRetrievalResult]
RetrieveReport = ResultReport[Literal["Retrieve"], RetrievalResult]
SearchWebReport = ResultReport[Literal["SearchWeb"], RetrievalResult]
GradeRelevanceReport = ResultReport[Literal["GradeRelevance"], GradeRelevanceResult]
GradeSupportReport = ResultReport[Literal["GradeSupport"], GradeSupportResult]
GradeUtilityReport = ResultReport[Literal["GradeUtility"], GradeUtilityResult]
RewriteQuestionReport = ResultReport[Literal["RewriteQuestion"], RewriteQuestionResult]
RankPathsReport = ResultReport[Literal["RankPaths"], RankPathsResult]
PickCandidateReport = ResultReport[Literal["PickCandidate"], PickCandidateResult]
# The report of a failed pass or a failed plan.
PassReport = ResultReport[Literal["RunSteps", "Plan"], StepResult]
SearchReport = RetrieveReport | SearchWebReport
Report = Annotated[
    RecallAnswerReport
    | DecideRetrievalReport
    | SearchReport
    | GradeRelevanceReport
    | GenerateReport
    | GradeSupportReport
    | GradeUtilityReport
    | RewriteQuestionReport
    | RankPathsReport
    | PickCandidateReport
    | PassReport,
    Field(discriminator="step"),
]
REPORTS: TypeAdapter[list[Report]] = TypeAdapter(list[Report])
T = TypeVar("T", bound=BaseModel)
S = TypeVar("S", bound=State)


class EntryFields(TypedDict, total=False):
    """Ledger entry fields that Plan adds to a report."""

    waste: bool
    prepared: bool
    query: str
    aim: str
    repair: bool
    of: str


def entry_of(report: Report, turn: int, **more: Unpack[EntryFields]) -> Entry:
    """Return a step's ledger entry, with the number of passages of a document search."""
    result = report.result
    if result is None:
        requested = report.step not in _WITHOUT_MODEL and report.error not in _NOT_ASKED
        return Entry(step=report.step, turn=turn, error=report.error, attempts=int(requested), **more)
    return Entry(
        step=report.step,
        turn=turn,
        calls=result.calls,
        warnings=result.warnings,
        attempts=result.attempts,
        throttled=result.throttled,
        flaw=result.flaw,
        cached=result.cached,
        error=result.error or (result.flaw if isinstance(result, GenerateResult) and not result.answered else None),
        hits=len(result.hits) if isinstance(result, RetrievalResult) and report.step == "Retrieve" else None,
        **more,
    )


def select_reports(reports: Iterable[Report], kind: type[T]) -> list[T]:
    """Return the reports of one step."""
    return [report for report in reports if isinstance(report, kind)]


def searches_in(reports: Iterable[Report]) -> list[SearchReport]:
    """Return the reports of searches."""
    return [report for report in reports if report.step == "Retrieve" or report.step == "SearchWeb"]


def hits_of(report: SearchReport) -> list[RetrievedHit]:
    """Return a search's passages, none if it failed."""
    return report.result.hits if report.result else []


def add_search_metadata(state: S, reports: Iterable[Report]) -> S:
    """Add passage metadata of searches, and the highest number of full-text hits so far.

    The latter is None if the store does not count.
    """
    results = [report.result for report in searches_in(reports) if report.result]
    hits = [hit for result in results for hit in result.hits]
    counts = [state.text_hits, *(result.text_hits for result in results)]
    return state.replace(
        documents={**state.documents, **{hit.passage_id: hit.document for hit in hits}},
        dates={**state.dates, **{hit.passage_id: hit.date for hit in hits if hit.date}},
        newer={**state.newer, **{older: newer for result in results for older, newer in result.newer.items()}},
        text_hits=max((count for count in counts if count is not None), default=None),
    )


def retrieval_of(report: DecideRetrievalReport) -> RetrievalVerdict:
    """Return the retrieval verdict; if missing, ungraded, which leads to a search."""
    return report.result.verdict if report.result else RetrievalVerdict(decision="ungraded", reason=NO_VERDICT)


def relevance_of(report: GradeRelevanceReport, passage_id: str, document: str) -> RelevanceVerdict:
    """Return the relevance verdict; if missing, ungraded, which is no evidence."""
    return report.result.verdict if report.result else ungraded_relevance(passage_id, document)


def support_of(report: GradeSupportReport) -> SupportVerdict:
    """Return the support verdict; if missing, ungraded."""
    return report.result.verdict if report.result else SupportVerdict(level="ungraded")


def utility_of(report: GradeUtilityReport) -> UtilityVerdict:
    """Return the utility verdict; if missing, ungraded, which is never a pass."""
    return report.result.verdict if report.result else UtilityVerdict(score=None, reason=NO_VERDICT)


def critique_of(reports: Sequence[Report]) -> Critique:
    """Return the verdicts on an answer; without a report, ungraded."""
    critique = Critique()
    for report in reports:
        if report.step == "GradeSupport":
            critique = critique.replace(support=support_of(report))
        elif report.step == "GradeUtility":
            critique = critique.replace(utility=utility_of(report))
    return critique


def citation_repair(reports: Sequence[Report]) -> CitationRepair | None:
    """Return the answer with repaired citations, or None."""
    results = [report.result for report in select_reports(reports, GradeSupportReport)]
    return next((result for result in results if result and result.answer), None)
