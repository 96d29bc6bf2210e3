"""Reports of steps to the plan: their results as verdicts and ledger entries, failing closed."""

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
from selfrag.domain.verdicts import Critique, RelevanceVerdict, RetrievalVerdict, SupportVerdict, UtilityVerdict
from selfrag.plan.state import State

R = TypeVar("R", bound=StepResult)
NO_VERDICT = "the grader gave no verdict"
UNREADABLE_RESULT = "UnreadableResult"
# These are raised before the model is asked.
_NOT_ASKED = (DeadlineExceeded.__name__, BudgetExceeded.__name__)
# Steps whose Lambda asks no model.
_WITHOUT_MODEL = ("RecallAnswer", "Retrieve", "SearchWeb", "RankPaths", "PickCandidate", "Plan", "RunSteps")


class ResultReport(BaseModel, Generic[R]):
    """The report of one step: its result, or the class name of the error that ended it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str = ""
    result: R | None = None
    error: str | None = None

    @model_validator(mode="wrap")
    @classmethod
    def _failing_closed(cls, report: Any, read: ModelWrapValidatorHandler[Self]) -> Self:
        """Read the report; a result that cannot be read is none."""
        try:
            return read(report)
        except ValidationError:
            return cls(id=report.get("id", ""), error=UNREADABLE_RESULT)


class RecallAnswerReport(ResultReport[RecallAnswerResult]):
    """The report of RecallAnswer."""

    step: Literal["RecallAnswer"] = "RecallAnswer"


class DecideRetrievalReport(ResultReport[DecideRetrievalResult]):
    """The report of DecideRetrieval."""

    step: Literal["DecideRetrieval"] = "DecideRetrieval"


class RetrieveReport(ResultReport[RetrievalResult]):
    """The report of Retrieve."""

    step: Literal["Retrieve"] = "Retrieve"


class SearchWebReport(ResultReport[RetrievalResult]):
    """The report of SearchWeb."""

    step: Literal["SearchWeb"] = "SearchWeb"


class GradeRelevanceReport(ResultReport[GradeRelevanceResult]):
    """The report of GradeRelevance."""

    step: Literal["GradeRelevance"] = "GradeRelevance"


class GenerateReport(ResultReport[GenerateResult]):
    """The report of Generate."""

    step: Literal["Generate"] = "Generate"

    @property
    def text(self) -> GenerateResult:
        """Return the text; an empty one if there is none."""
        return self.result or GenerateResult()

    @property
    def flaw(self) -> str | None:
        """Return why a text is no answer, or not whole; for a failed step, its error."""
        return self.error or (self.result.flaw if self.result else None)


class GradeSupportReport(ResultReport[GradeSupportResult]):
    """The report of GradeSupport."""

    step: Literal["GradeSupport"] = "GradeSupport"


class GradeUtilityReport(ResultReport[GradeUtilityResult]):
    """The report of GradeUtility."""

    step: Literal["GradeUtility"] = "GradeUtility"


class RewriteQuestionReport(ResultReport[RewriteQuestionResult]):
    """The report of RewriteQuestion."""

    step: Literal["RewriteQuestion"] = "RewriteQuestion"


class RankPathsReport(ResultReport[RankPathsResult]):
    """The report of RankPaths."""

    step: Literal["RankPaths"] = "RankPaths"


class PickCandidateReport(ResultReport[PickCandidateResult]):
    """The report of PickCandidate."""

    step: Literal["PickCandidate"] = "PickCandidate"


class PassReport(ResultReport[StepResult]):
    """The report of a pass that was lost, or could not be planned."""

    step: Literal["RunSteps", "Plan"]


Report = Annotated[
    RecallAnswerReport
    | DecideRetrievalReport
    | RetrieveReport
    | SearchWebReport
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
SearchReport = RetrieveReport | SearchWebReport
T = TypeVar("T", bound=BaseModel)
S = TypeVar("S", bound=State)


class EntryFields(TypedDict, total=False):
    """The fields of a ledger entry that Plan adds to a step's report."""

    waste: bool
    prepared: bool
    query: str
    hits: int
    aim: str
    repair: bool
    of: str


def entry_of(report: Report, turn: int, **more: Unpack[EntryFields]) -> Entry:
    """Return a step's entry in the ledger."""
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
        **more,
    )


def of_type(reports: Iterable[Report], kind: type[T]) -> list[T]:
    """Return the reports of one step."""
    return [report for report in reports if isinstance(report, kind)]


def searches_in(reports: Iterable[Report]) -> list[SearchReport]:
    """Return the reports of searches."""
    return [report for report in reports if isinstance(report, RetrieveReport | SearchWebReport)]


def hits_of(report: SearchReport) -> list[RetrievedHit]:
    """Return the passages of a search; none of a failed one."""
    return report.result.hits if report.result else []


def with_searches(state: S, reports: Iterable[Report]) -> S:
    """Return the state with what searches say of their passages, and the most full-text hits of a search so far.

    That is None if the store does not count them.
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
    """Return the verdict on the search; without one it is ungraded, which means a search."""
    return report.result.verdict if report.result else RetrievalVerdict(decision="ungraded", reason=NO_VERDICT)


def relevance_of(report: GradeRelevanceReport, passage_id: str, document: str) -> RelevanceVerdict:
    """Return the verdict on a passage; without one it is ungraded and no evidence."""
    if report.result:
        return report.result.verdict
    return RelevanceVerdict(passage_id=passage_id, document=document, relevant=False, score=None, label="ungraded")


def support_of(report: GradeSupportReport | None) -> SupportVerdict:
    """Return the verdict on an answer's support; without one it is ungraded."""
    return report.result.verdict if report and report.result else SupportVerdict(level="ungraded")


def utility_of(report: GradeUtilityReport | None) -> UtilityVerdict:
    """Return the verdict on an answer's use; without one it is ungraded, which is no pass."""
    if report is None:
        return UtilityVerdict(score=None)
    return report.result.verdict if report.result else UtilityVerdict(score=None, reason=NO_VERDICT)


def critique_of(reports: Sequence[Report]) -> Critique:
    """Return the graders' verdicts on one answer."""
    support = next(iter(of_type(reports, GradeSupportReport)), None)
    utility = next(iter(of_type(reports, GradeUtilityReport)), None)
    return Critique(support=support_of(support), utility=utility_of(utility))


def citation_repair(reports: Sequence[Report]) -> CitationRepair | None:
    """Return an answer whose citations and marks its support changed, None for another."""
    results = [report.result for report in of_type(reports, GradeSupportReport)]
    return next((result for result in results if result and result.answer), None)
