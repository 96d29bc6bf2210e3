"""The verdicts of the four reflection tokens, one by one and together."""

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

# The model id of the laptop's stand-in, which judges by rule. A deployment names models alone.
RULE_MODEL = "rule"


def judged_by(model: str) -> JudgedBy:
    """Return the kind of judge that a model id names; a rule's verdict is no judgement, and is not shown as one."""
    return "rule" if model == RULE_MODEL else "model"


def _is_absent(value: object) -> bool:
    return value is None


def _is_empty(value: list[str]) -> bool:
    return not value


# The field is left out where the judge gave no probabilities.
_ABSENT = Field(default=None, exclude_if=_is_absent)


class Probable(Model):
    """A judgement with its probabilities, which are there only if a decision model judged.

    `probability` is that of the label which passes: a search, relevant, fully supported, useful enough.
    """

    probability: Annotated[Probability | None, _ABSENT] = None
    probabilities: Annotated[Distribution | None, _ABSENT] = None


class Verdict(Probable):
    """A judgement and its judge: a language model, a decision model (a decider) or a rule; `model` is its name."""

    judged_by: JudgedBy = "model"
    model: str = ""


class RetrievalVerdict(Verdict):
    """Retrieve: the decision whether to search, and its reason.

    Under `adaptive` also the complexity: `simple` takes one search, `complex` may take several. Within an answer that
    grows by segments the decision may be `complete`. `ratio` is r, 0 to 1, if the judge gave probabilities. For a
    follow-up, `query` is what to search for, in words that stand alone. An `aggregate` asks for a count, a total or a
    complete list over documents, which passages alone cannot prove.
    """

    decision: Decision
    reason: str
    complexity: Complexity | None = None
    aggregate: bool = False
    ratio: Score | None = None
    query: str = ""


class RelevanceVerdict(Verdict):
    """IsRel for one passage: `relevant` holds if the score reaches the threshold, and the label says the same.

    Under `corrective` a passage below it that reaches the lower threshold is `ambiguous`, and `strips` are the parts of
    its text that are kept: all of it without strips. `document` is the passage's; "" in verdicts from before this
    field, and for an earlier answer's evidence. `reason` is the judge's, cut; "" in the state of `segments`.
    """

    passage_id: str
    document: str = ""
    relevant: bool
    score: Score | None
    label: RelevanceLabel
    cached: bool = False
    strips: list[Strip] = []
    reason: str = ""


def nearest(verdicts: Sequence[RelevanceVerdict]) -> list[str]:
    """Return the ids of the passages, the highest scores first; of equal ones those that were found first."""
    return [verdict.passage_id for verdict in sorted(verdicts, key=lambda verdict: -(verdict.score or 0.0))]


class Claim(Probable):
    """One statement of an answer, and its support by the passages.

    `missing` is a phrase to search for missing evidence, "" if nothing is to be searched for. In a response, `support`
    is null if no model judged it: then `passage_ids` has the passage in which the claim stands word for word, if any.
    `unfound` are its numbers, dates and codes that stand nowhere in the evidence; it is left out where all do.
    """

    claim: str
    support: ClaimSupport | None
    passage_ids: list[str] = []
    missing: str = ""
    unfound: Annotated[list[str], Field(exclude_if=_is_empty)] = []

    @property
    def fails(self) -> bool:
        """Return whether its sentence may cite nothing: the evidence lacks it, or a fact of it, or says otherwise."""
        return self.support in ("none", "contradicted") or bool(self.unfound)


class SupportVerdict(Verdict):
    """IsSup for an answer, claim by claim; a decider judges sentence by sentence.

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
    """Return the level of an answer: full if every claim is, none if no claim is or one is contradicted."""
    supports = {claim.support for claim in claims}
    if supports == {"full"}:
        return "fully_supported"
    if "contradicted" in supports or supports <= {"none"}:
        return "no_support"
    return "partially_supported"


class UtilityVerdict(Verdict):
    """IsUse for an answer: 5 is best, 1 is worst, null is ungraded, or in a response not judged by a model."""

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
    """The graders' verdicts on an answer; the state GradeUtility gives the verdict `utility`, and so for each."""

    support: SupportVerdict = SupportVerdict(level="ungraded")
    utility: UtilityVerdict = UtilityVerdict(score=None)


V = TypeVar("V", RelevanceVerdict, SupportVerdict, UtilityVerdict)


def reported(verdict: V) -> V:
    """Return a verdict as a response has it: without level and scores if a rule gave it, which judges nothing."""
    if verdict.judged_by != "rule":
        return verdict
    if isinstance(verdict, SupportVerdict):
        claims = [claim.model_copy(update={"support": None}) for claim in verdict.claims]
        return verdict.model_copy(update={"level": None, "claims": claims})
    return verdict.model_copy(update={"score": None})


ReportedSupport = Annotated[SupportVerdict, AfterValidator(reported)]


class Reflection(Model):
    """The verdicts of the four reflection tokens: all of IsRel, and the last one of each other kind.

    A verdict that was not judged is null, as `support` is for a direct answer; `naive` has no verdicts. Of a verdict by
    rule, the level and the scores are null. `guarded` is what the deployment's guardrail let not pass; it is left out
    where both passed, and where there is no guardrail.
    """

    retrieve: RetrievalVerdict | None
    relevance: list[Annotated[RelevanceVerdict, AfterValidator(reported)]]
    support: ReportedSupport | None
    utility: Annotated[UtilityVerdict, AfterValidator(reported)] | None
    guarded: Annotated[Literal["request", "answer"] | None, _ABSENT] = None
