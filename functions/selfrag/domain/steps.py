"""The steps of a question: the parameters that Plan fills, the task of each step's Lambda, and its result.

A task is the step's parameters with what the machine adds: the brief, passages by their ids, and the deadline.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, ConfigDict, Field

from selfrag.domain.answers import Citation, Draft, Exchange, Turn
from selfrag.domain.base import Model
from selfrag.domain.calls import CallBudget, Limits, StepResult
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
MOST_CHOICES = 10


class Parameters(Model):
    """The fields of a task that Plan fills; `step` is the state that runs it."""

    step: ClassVar[StepName]


class ModelParameters(Parameters, CallBudget):
    """The parameters of a step that asks the model."""


class Brief(Limits):
    """The fields of every task on the question: the question, the turn before it, and the limits.

    `today` is the day of asking (ISO 8601, UTC) if the question has a date relative to it, else "".
    """

    question: str
    previous: Turn = Turn()
    today: str = ""

    @property
    def dated(self) -> dict[str, str]:
        """Return the day of asking as a field of a request to the model, none without a relative date."""
        return {"today": self.today} if self.today else {}


class RecallAnswerParameters(Parameters):
    """The parameters of RecallAnswer: it reads the answer whose id is the planned step's."""

    step = "RecallAnswer"


class RetrievedHit(Model):
    """A passage of a search, its document, and the document's date."""

    passage_id: str
    document: str
    date: str | None = None


class EvidenceItem(Model):
    """A passage that an earlier answer rests on."""

    model_config = ConfigDict(extra="ignore")

    passage_id: str
    score: float


class EarlierAnswer(Model):
    """The earlier answer of a follow-up; the item of a running question has no `answer` yet."""

    model_config = ConfigDict(extra="ignore")

    question: str = ""
    answer: str | None = None
    turn_before: Exchange = Exchange()
    collections: list[str] = []
    evidence: list[EvidenceItem] = []
    expires_at: float = 0.0


def plain(attribute: Mapping[str, Any]) -> Any:
    """Return a value of DynamoDB without the name of its type."""
    ((kind, value),) = attribute.items()
    if kind == "L":
        return [plain(item) for item in value]
    return {name: plain(item) for name, item in value.items()} if kind == "M" else value


class RecallAnswerResult(StepResult):
    """The earlier answer, null if none is stored."""

    item: Annotated[EarlierAnswer | None, BeforeValidator(lambda item: plain({"M": item}))] = Field(
        default=None, alias="Item"
    )


class DecideRetrievalParameters(ModelParameters):
    """Whether to judge the question's complexity as well.

    `so_far` is an answer that grows by segments, "" before it begins.
    """

    step = "DecideRetrieval"

    complexity: bool = False
    so_far: str = ""


class DecideRetrievalTask(DecideRetrievalParameters, Brief):
    """The question, the turn before it, and what to decide."""


class DecideRetrievalResult(StepResult):
    """The decision and its cost."""

    verdict: RetrievalVerdict


class SearchParameters(Parameters):
    """The number of passages, without those `seen` before.

    `shared` says that a search of the documents and one of the web share the state's room.
    """

    top_k: int = Field(ge=1)
    seen: list[str] = []
    bytes_used: int = 0
    shared: bool = False


class RetrieveParameters(SearchParameters):
    """The queries; `passage_ids`, if any, are fetched in place of a search, within the same bounds.

    `refused` passages were no evidence for other queries: the best ones come again, in addition to `top_k` new ones.
    """

    step = "Retrieve"

    queries: list[str] = []
    refused: list[str] = []
    passage_ids: list[str] = []


class RetrieveTask(RetrieveParameters):
    """The queries and the question's collections, which `filters` may narrow but not widen.

    `deadline_ms` decides whether a failed search may be retried; the handler's wrapper reads it.
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
    """The result of a search as Plan gets it: the passages by their ids, best first, and their size in the state.

    `folded` are the ids of near-duplicates that the passages stand for. `text_hits` is the number of passages that full
    text matched for the first query, within the bounds and without those seen before; null where the store does not
    count. `newer` has the newest version of each hit that differs from a newer one in a number, a name or a negation.
    """

    hits: list[RetrievedHit] = []
    folded: list[str] = []
    newer: dict[str, str] = {}
    bytes: int = 0
    text_hits: int | None = None


class RetrievedPassages(RetrievalResult):
    """The result of a search with its passages, which the machine keeps."""

    passages: list[Passage]

    @classmethod
    def of(cls, passages: Sequence[Passage], size: int, warnings: Sequence[str], text_hits: int | None = None) -> Self:
        """Return the result that has these passages."""
        return cls(
            hits=[RetrievedHit.model_validate(passage, from_attributes=True) for passage in passages],
            folded=[copy.passage_id for passage in passages for copy in passage.copies],
            bytes=size,
            text_hits=text_hits,
            warnings=list(warnings),
            passages=list(passages),
        )


class GradeRelevanceParameters(ModelParameters):
    """The lowest score of a relevant passage, and the `query` that brought it, "" if that was the question.

    With a `lower_threshold` a passage may be ambiguous, and its strips are judged as well (CRAG, arXiv 2401.15884).
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
    """The text to write; `draft` and `failed_claims` are set for a repair.

    `strips` are the parts to use of some passages, by passage id. With `choices`, the answer is one of them. A
    `segment` is the sentence after `so_far`, from a passage, or from the model alone.
    """

    step = "Generate"

    mode: Literal["grounded", "direct", "segment"] = "grounded"
    strips: dict[str, list[Strip]] = {}
    draft: str = ""
    failed_claims: list[str] = []
    so_far: str = ""
    choices: list[str] = Field(default=[], max_length=MOST_CHOICES)


class GenerateTask(GenerateParameters, Brief):
    """The question, its evidence, and the text to write."""

    passages: list[Evidence] = []


class GenerateResult(StepResult):
    """The answer and its citations; `answered` says whether there is an answer.

    `not_said` are its sentences on what the passages do not hold, `missing` the writer's phrases to search for that.
    `word_sources` are the passages that its words come from.
    """

    answer: str = ""
    citations: list[Citation] = []
    answered: bool = False
    not_said: list[str] = []
    missing: list[str] = []
    word_sources: list[list[str]] = []


class GradeSupportParameters(ModelParameters):
    """The answer to check with its citations, and whether it may be repaired, or searched for what it lacks.

    With `one_call`, only one call is left, so the smaller model before the last one is skipped.
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
    """The answer, its citations, and how many of them were replaced; empty where the answer stays as it is."""

    answer: str = ""
    citations: list[Citation] = []
    repaired: int = 0


class GradeSupportResult(StepResult, CitationRepair):
    """The verdict and its cost, and the answer with other citations and marks if some were wrong."""

    verdict: SupportVerdict


class GradeUtilityParameters(ModelParameters):
    """The answer to judge, and the lowest score of a useful one."""

    step = "GradeUtility"

    answer: str
    min_utility: int = 3


class GradeUtilityTask(GradeUtilityParameters, Brief):
    """The question, the turn before it, and the answer to judge."""


class GradeUtilityResult(StepResult):
    """The verdict on an answer's use and its cost."""

    verdict: UtilityVerdict


class RewriteQuestionParameters(ModelParameters):
    """The queries tried so far; `not_said` are the last answer's sentences on what the documents do not say."""

    step = "RewriteQuestion"

    queries: list[str]
    not_said: list[str] = []


class RewriteQuestionTask(RewriteQuestionParameters, Brief):
    """The question, the turn before it, the queries, and the relevant passages that they brought."""

    passages: list[Passage] = []


class RewriteQuestionResult(StepResult):
    """The next query; `new` is false if it was tried before."""

    query: str = ""
    new: bool = False


class Beam(Model):
    """The best paths, and `nodes`, the tree so far."""

    beam: list[Path] = []
    nodes: list[Node] = []


class CandidateAnswers(Model):
    """The finished answers of `candidates`, in retrieval order."""

    candidates: list[CritiquedAnswer] = []


class RankPathsParameters(Parameters):
    """The sentences written at the end of the live paths, and the ids of the paths that are `complete`.

    `size` is the number of paths to keep, and `dates` has the dates of passages.
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
    """The beam, best first, and the tree with a line for each child."""


class PickCandidateParameters(Parameters):
    """The constraints and weights, and the options of a closed set, if there are any.

    `documents` and `dates` have the document and the date of each passage. `stopped` is the limit that kept further
    passages from being read. With `tree`, the paths of the beam are the answers.
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
    """The answers or the paths to compare, and by what."""


class PickCandidateResult(StepResult):
    """The winner, null where all are out, and the scores of all."""

    winner: Draft | None
    scores: Scores
