"""The verdicts of the four reflection tokens."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal, TypeVar

from pydantic import AfterValidator, Field

from selfrag.domain.base import Model
from selfrag.domain.decisions import Distribution, Probability
from selfrag.domain.passages import Strip

Decision = Literal["yes", "no", "continue", "complete", "ungraded"]
Complexity = Literal["simple", "complex"]
RelevanceLabel = Literal["relevant", "ambiguous", "irrelevant", "ungraded"]
SupportLevel = Literal["fully_supported", "partially_supported", "no_support", "ungraded"]
ClaimSupport = Literal["full", "partial", "none", "contradicted"]
Score = Annotated[float, Field(ge=0.0, le=1.0)]
JudgedBy = Literal["model", "decider", "rule"]

# The model id of the laptop's stand-in, which judges by rule; deployments only use models.
RULE_MODEL = "rule"


def judged_by(model: str) -> JudgedBy:
    """Return the kind of judge for a model id; verdicts by rule are not shown as judgements."""
    return "rule" if model == RULE_MODEL else "model"


# Omitted if the judge gave no probabilities.
_ABSENT = Field(default=None, exclude_if=lambda value: value is None)


class Probable(Model):
    """A verdict with probabilities, if a decision model judged.

    `probability` is that of the passing label: a search, relevant, fully supported, useful enough.
    """

    probability: Annotated[Probability | None, _ABSENT] = None
    probabilities: Annotated[Distribution | None, _ABSENT] = None


class Verdict(Probable):
    """A verdict and its judge: a language model, a decision model (a decider) or a rule; `model` is its name."""

    judged_by: JudgedBy = "model"
    model: str = ""


class RetrievalVerdict(Verdict):
    """Retrieve: the decision whether to search, with its reason.

    Under `adaptive` also the complexity: `simple` takes one search, `complex` may take several. In an answer written by
    segments, the decision may be `complete`. `ratio` is r, 0 to 1, if the judge gave probabilities. For follow-ups,
    `query` is the standalone search query. An `aggregate` asks for a count, total or complete list over documents,
    which passages cannot prove.
    """

    decision: Decision
    reason: str
    complexity: Complexity | None = None
    aggregate: bool = False
    ratio: Score | None = None
    query: str = ""


class RelevanceVerdict(Verdict):
    """IsRel of a passage: `relevant` if the score reaches the threshold, consistent with the label.

    Under `corrective`, a passage between both thresholds is `ambiguous`, and `strips` are the kept parts of its text
    (none: all of it). `document` is "" in older verdicts and for an earlier answer's evidence. `reason` is the judge's,
    shortened; "" in the state of `segments`.
    """

    passage_id: str
    document: str = ""
    relevant: bool
    score: Score | None
    label: RelevanceLabel
    cached: bool = False
    strips: list[Strip] = []
    reason: str = ""


def ungraded_relevance(passage_id: str, document: str) -> RelevanceVerdict:
    """Return a missing verdict on a passage, which is no evidence."""
    return RelevanceVerdict(passage_id=passage_id, document=document, relevant=False, score=None, label="ungraded")


def sort_by_score(verdicts: Sequence[RelevanceVerdict]) -> list[str]:
    """Return the passage ids by descending score; ties keep their order."""
    return [verdict.passage_id for verdict in sorted(verdicts, key=lambda verdict: -(verdict.score or 0.0))]


class Claim(Probable):
    """A statement of an answer and its support by the passages.

    `missing` is a phrase to search for missing evidence, or "". In a response, `support` is null if no model judged it;
    then `passage_ids` has the passage that contains the claim verbatim, if any. `unfound` are its numbers, dates and
    codes that are missing from the evidence; omitted if there are none.
    """

    claim: str
    support: ClaimSupport | None
    passage_ids: list[str] = []
    missing: str = ""
    unfound: Annotated[list[str], Field(exclude_if=lambda facts: not facts)] = []

    @property
    def fails(self) -> bool:
        """Return whether its sentence may not be cited: unsupported, contradicted, or with an unfound fact."""
        return self.support in ("none", "contradicted") or bool(self.unfound)


class SupportVerdict(Verdict):
    """IsSup of an answer by claim; a decider judges by sentence.

    In a response, `level` is null if no model judged it.
    """

    kind: ClassVar[str] = "IsSup"
    means: ClassVar[str] = "whether the passages say what the answer says, as a whole and claim by claim"

    level: SupportLevel | None
    claims: list[Claim] = []
    cached: bool = False

    @property
    def ungraded(self) -> bool:
        """Return whether the grader gave no verdict."""
        return self.level == "ungraded"


def level_of(claims: Sequence[Claim]) -> SupportLevel:
    """Return an answer's level: full if all claims are; none if no claim is or one is contradicted."""
    supports = {claim.support for claim in claims}
    if supports == {"full"}:
        return "fully_supported"
    if "contradicted" in supports or supports <= {"none"}:
        return "no_support"
    return "partially_supported"


class UtilityVerdict(Verdict):
    """IsUse of an answer from 1 to 5 (best); null if ungraded or, in a response, not judged by a model."""

    kind: ClassVar[str] = "IsUse"
    means: ClassVar[str] = "how well the answer serves the question, from 1 to 5"

    score: Literal[1, 2, 3, 4, 5] | None
    reason: str = ""
    cached: bool = False

    @property
    def ungraded(self) -> bool:
        """Return whether the grader gave no verdict."""
        return self.score is None


class Critique(Model):
    """The graders' verdicts on an answer."""

    support: SupportVerdict = SupportVerdict(level="ungraded")
    utility: UtilityVerdict = UtilityVerdict(score=None)


V = TypeVar("V", RelevanceVerdict, SupportVerdict, UtilityVerdict)


def hide_rule_scores(verdict: V) -> V:
    """Return a verdict for a response: without level and scores if a rule gave it."""
    if verdict.judged_by != "rule":
        return verdict
    if isinstance(verdict, SupportVerdict):
        return verdict.replace(level=None, claims=[claim.replace(support=None) for claim in verdict.claims])
    return verdict.replace(score=None)


ReportedSupport = Annotated[SupportVerdict, AfterValidator(hide_rule_scores)]


class Reflection(Model):
    """The verdicts of the four reflection tokens: all of IsRel, and the last of each other kind.

    Missing verdicts are null, such as `support` of a direct answer; `naive` has none. Verdicts by rule have null levels
    and scores. `guarded` names the text that the guardrail blocked; omitted if nothing was, or without a guardrail.
    """

    retrieve: RetrievalVerdict | None
    relevance: list[Annotated[RelevanceVerdict, AfterValidator(hide_rule_scores)]]
    support: ReportedSupport | None
    utility: Annotated[UtilityVerdict, AfterValidator(hide_rule_scores)] | None
    guarded: Annotated[Literal["request", "answer"] | None, _ABSENT] = None
