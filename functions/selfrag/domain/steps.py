"""The steps of a question: parameters from Plan, task and result of each step's Lambda.

A task is the step's parameters plus the brief, passages by id, and the deadline, which the state machine adds.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, ConfigDict, Field

from selfrag.domain.answers import Citation, Draft, Exchange, Turn
from selfrag.domain.base import Model
from selfrag.domain.calls import Limits, StepResult
from selfrag.domain.passages import Evidence, Passage, Strip
from selfrag.domain.questions import Filters, Weights
from selfrag.domain.scores.critiqued import Constraints, CritiquedAnswer, Segment
from selfrag.domain.scores.paths import Path
from selfrag.domain.scores.shown import Node, Scores, Stopped
from selfrag.domain.verdicts import RelevanceVerdict, RetrievalVerdict, SupportVerdict, UtilityVerdict

StepName = Literal[
    "RecallAnswer",
    "DecideRetrieval",
    "Retrieve",
    "SearchWeb",
    "GradeRelevance",
    "Generate",
    "GradeSupport",
    "GradeUtility",
    "RewriteQuestion",
    "RankPaths",
    "PickCandidate",
]
MAX_CHOICES = 10


class Parameters(Model):
    """Task fields set by Plan; `step` is the state name."""

    step: ClassVar[StepName]


class ModelParameters(Parameters):
    """Parameters of a step that calls a model, for `budget_usd` at most."""

    budget_usd: float | None = None


class Brief(Limits):
    """Common task fields: the question, the turn before it, and the limits.

    `today` is the current date (ISO 8601, UTC) if the question has a relative date, else "".
    """

    question: str
    previous: Turn = Turn()
    today: str = ""

    @property
    def date_fields(self) -> dict[str, str]:
        """Return the current date as a request field, if the question has a relative date."""
        return {"today": self.today} if self.today else {}


class RecallAnswerParameters(Parameters):
    """Parameters of RecallAnswer; the planned step's id is the answer's id."""

    step = "RecallAnswer"


class RetrievedHit(Model):
    """A retrieved passage with its document and date."""

    passage_id: str
    document: str
    date: str | None = None


class EvidenceItem(Model):
    """A passage of an earlier answer."""

    model_config = ConfigDict(extra="ignore")

    passage_id: str
    score: float


class EarlierAnswer(Model):
    """The earlier answer of a follow-up; it has no `answer` while running."""

    model_config = ConfigDict(extra="ignore")

    question: str = ""
    answer: str | None = None
    turn_before: Exchange = Exchange()
    collections: list[str] = []
    evidence: list[EvidenceItem] = []
    expires_at: float = 0.0


def unwrap(attribute: Mapping[str, Any]) -> Any:
    """Unwrap a DynamoDB value."""
    ((kind, value),) = attribute.items()
    if kind == "L":
        return [unwrap(item) for item in value]
    return {name: unwrap(item) for name, item in value.items()} if kind == "M" else value


class RecallAnswerResult(StepResult):
    """The earlier answer, null if not stored."""

    item: Annotated[EarlierAnswer | None, BeforeValidator(lambda item: unwrap({"M": item}))] = Field(
        default=None, alias="Item"
    )


class DecideRetrievalParameters(ModelParameters):
    """Parameters of DecideRetrieval; `complexity` adds that verdict.

    `so_far` is a segment-wise answer in progress, "" before it begins.
    """

    step = "DecideRetrieval"

    complexity: bool = False
    so_far: str = ""


class DecideRetrievalTask(DecideRetrievalParameters, Brief):
    """The question, the turn before it, and the decision's parameters."""


class DecideRetrievalResult(StepResult):
    """The decision and its cost."""

    verdict: RetrievalVerdict


class SearchParameters(Parameters):
    """The number of passages, excluding those `seen` before.

    `shared` means that a document search and a web search share the state's room.
    """

    top_k: int = Field(ge=1)
    seen: list[str] = []
    bytes_used: int = 0
    shared: bool = False


class RetrieveParameters(SearchParameters):
    """The queries; `passage_ids`, if any, are fetched instead, within the same bounds.

    `refused` passages failed for other queries; the best of them reappear in addition to `top_k` new ones.
    """

    step = "Retrieve"

    queries: list[str] = []
    refused: list[str] = []
    passage_ids: list[str] = []


class RetrieveTask(RetrieveParameters):
    """The queries and the question's collections, which `filters` can only narrow.

    The handler's wrapper uses `deadline_ms` to decide on retries.
    """

    collections: list[str] = Field(min_length=1)
    filters: Filters = Filters()
    deadline_ms: float | None = None


class SearchWebParameters(SearchParameters):
    """The query of a web search."""

    step = "SearchWeb"

    query: str


class SearchWebTask(SearchWebParameters):
    """The query and the deadline."""

    deadline_ms: float | None = None


class RetrievalResult(StepResult):
    """A search result as seen by Plan: passage ids, best first, and their size in the state.

    `folded` are the ids of near-duplicates represented by these passages. `text_hits` counts the full-text matches of
    the first query, within the bounds and without seen passages; null if not counted. `newer` maps hits to their newest
    versions if a number, name or negation differs.
    """

    hits: list[RetrievedHit] = []
    folded: list[str] = []
    newer: dict[str, str] = {}
    bytes: int = 0
    text_hits: int | None = None


class RetrievedPassages(RetrievalResult):
    """A search result with its passages, which the state machine keeps."""

    passages: list[Passage]

    @classmethod
    def create(
        cls, passages: Sequence[Passage], size: int, warnings: Sequence[str], text_hits: int | None = None
    ) -> Self:
        """Return the result for these passages."""
        return cls(
            hits=[RetrievedHit.model_validate(passage, from_attributes=True) for passage in passages],
            folded=[copy.passage_id for passage in passages for copy in passage.copies],
            bytes=size,
            text_hits=text_hits,
            warnings=list(warnings),
            passages=list(passages),
        )


class GradeRelevanceParameters(ModelParameters):
    """The relevance threshold, and the `query` that found the passage, "" for the question.

    With a `lower_threshold`, a passage may be ambiguous and its strips are judged, too (CRAG, arXiv 2401.15884).
    """

    step = "GradeRelevance"

    query: str = ""
    relevance_threshold: float = 0.5
    lower_threshold: float | None = None


class GradeRelevanceTask(GradeRelevanceParameters, Brief):
    """The question, the turn before it, and one passage."""

    passage: Passage


class GradeRelevanceResult(StepResult):
    """The verdict on a passage and its cost."""

    verdict: RelevanceVerdict


class GenerateParameters(ModelParameters):
    """Parameters of the text; `draft` and `failed_claims` are set for a repair.

    `strips` are the parts of passages to use, by id. With `choices`, the answer is one of them. A `segment` is the
    sentence after `so_far`, from a passage or the model alone.
    """

    step = "Generate"

    mode: Literal["grounded", "direct", "segment"] = "grounded"
    strips: dict[str, list[Strip]] = {}
    draft: str = ""
    failed_claims: list[str] = []
    so_far: str = ""
    choices: list[str] = Field(default=[], max_length=MAX_CHOICES)


class GenerateTask(GenerateParameters, Brief):
    """The question, its evidence, and the text's parameters."""

    passages: list[Evidence] = []


class GenerateResult(StepResult):
    """The answer and its citations; `answered` is false without an answer.

    `not_said` are its sentences about gaps in the passages, `missing` the writer's search phrases for them.
    `word_sources` are the passages that its words come from.
    """

    answer: str = ""
    citations: list[Citation] = []
    answered: bool = False
    not_said: list[str] = []
    missing: list[str] = []
    word_sources: list[list[str]] = []


class GradeSupportParameters(ModelParameters):
    """The answer to check with its citations, and whether it can be repaired or searched for gaps.

    `one_call` skips the smaller model because only one call is left.
    """

    step = "GradeSupport"

    answer: str
    citations: list[Citation] = []
    may_repair: bool = False
    may_search: bool = False
    one_call: bool = False


class GradeSupportTask(GradeSupportParameters, Brief):
    """The question, the turn before it, the answer and its passages."""

    passages: list[Passage]


class CitationRepair(Model):
    """The repaired answer and citations, and how many were replaced; empty if unchanged."""

    answer: str = ""
    citations: list[Citation] = []
    repaired: int = 0


class GradeSupportResult(StepResult, CitationRepair):
    """The verdict and its cost, and the answer with repaired citations and marks, if wrong."""

    verdict: SupportVerdict


class GradeUtilityParameters(ModelParameters):
    """The answer to judge, and the minimum score of a useful one."""

    step = "GradeUtility"

    answer: str
    min_utility: int = 3


class GradeUtilityTask(GradeUtilityParameters, Brief):
    """The question, the turn before it, and the answer to judge."""


class GradeUtilityResult(StepResult):
    """The verdict on an answer's usefulness and its cost."""

    verdict: UtilityVerdict


class RewriteQuestionParameters(ModelParameters):
    """The queries tried so far; `not_said` are the last answer's sentences about gaps in the documents."""

    step = "RewriteQuestion"

    queries: list[str]
    not_said: list[str] = []


class RewriteQuestionTask(RewriteQuestionParameters, Brief):
    """The question, the turn before it, the queries, and their relevant passages."""

    passages: list[Passage] = []


class RewriteQuestionResult(StepResult):
    """The next query; `new` is false if it was tried before."""

    query: str = ""
    new: bool = False


class Beam(Model):
    """The best paths, and the tree so far as `nodes`."""

    beam: list[Path] = []
    nodes: list[Node] = []


class CandidateAnswers(Model):
    """The finished answers of `candidates`, in retrieval order."""

    candidates: list[CritiquedAnswer] = []


class RankPathsParameters(Parameters):
    """The live paths' new sentences, and the ids of `complete` paths.

    `size` is the beam width, `dates` has the passages' dates.
    """

    step = "RankPaths"

    dates: dict[str, str] = {}
    complete: list[str] = []
    children: list[Segment] = []
    size: int = 2
    constraints: Constraints = "hard"
    weights: Weights = Weights()


class RankPathsTask(RankPathsParameters, Beam):
    """The beam, and its new sentences."""


class RankPathsResult(StepResult, Beam):
    """The beam, best first, and the tree with a node for each child."""


class PickCandidateParameters(Parameters):
    """Constraints, weights, and the options of a closed set, if any.

    `documents` and `dates` describe each passage. `stopped` is the limit that ended reading early. With `tree`, the
    beam's paths are the answers.
    """

    step = "PickCandidate"

    documents: dict[str, str] = {}
    dates: dict[str, str] = {}
    constraints: Constraints = "hard"
    weights: Weights = Weights()
    choices: list[str] = []
    stopped: Stopped = ""
    tree: bool = False


class PickCandidateTask(PickCandidateParameters, CandidateAnswers, Beam):
    """Answers or paths to compare, with their weights."""


class PickCandidateResult(StepResult):
    """The winner, null if all are rejected, and all scores."""

    winner: Draft | None
    scores: Scores
