"""An answer with its critique, and what the critique is worth (arXiv 2310.11511, 3.3 and A.3)."""

from collections.abc import Iterable
from typing import Literal

from pydantic import ConfigDict

from selfrag.domain.answers import Citation, Draft
from selfrag.domain.base import Model
from selfrag.domain.questions import Weights
from selfrag.domain.scores.shown import Scale
from selfrag.domain.verdicts import Claim, Critique, Decision, Probable, RelevanceVerdict, UtilityVerdict

Constraints = Literal["hard", "soft"]
# Why an answer is out. `irrelevant` and `no_support` are so under hard constraints alone; `cut` and `repeated` are
# of segments, and `beam` is what others were better than.
Out = Literal["", "ungraded", "irrelevant", "no_support", "no_answer", "repeated", "cut", "beam"]
CLAIMS = {"full": 1.0, "partial": 0.5, "none": 0.0, "contradicted": 0.0}
LEVELS = {"fully_supported": 1.0, "partially_supported": 0.5, "no_support": 0.0, "ungraded": 0.0}


class Terms(Model):
    """The terms of a score: s(Rel) and s(Sup) from 0 to 1, and s(Use) from -1 to 1.

    A `rel` of null is no verdict, which puts an answer out.
    """

    rel: float | None
    sup: float = 0.0
    use: float = 0.0


class CritiquedAnswer(Critique):
    """An answer from one passage with its critique.

    `passage_id` is null of what rests on no passage; `not_said` is as in `Draft`. A `cut` text met the length limit.
    """

    # The workflow keeps more with it.
    model_config = ConfigDict(extra="ignore")

    passage_id: str | None
    answer: str = ""
    citations: list[Citation] = []
    relevance: RelevanceVerdict | None = None
    cut: bool = False
    not_said: list[str] = []

    @property
    def terms(self) -> Terms:
        """Return the terms of its verdicts by their probabilities; without them all mass is on one token (ours).

        s(Sup) is the mean over the claims. What is missing has the lowest value of its group.
        """
        supports = [_support_of(claim) for claim in self.support.claims]
        level = self.support.level or "ungraded"
        return Terms(
            rel=self.relevance.score if self.relevance and self.relevance.label != "ungraded" else None,
            sup=0.0 if self.support.ungraded else sum(supports) / len(supports) if supports else LEVELS[level],
            use=use_of(self.utility),
        )

    @property
    def judgements(self) -> list[Probable]:
        """Return the judgements that the terms are made of."""
        relevance = [self.relevance] if self.relevance and self.relevance.label != "ungraded" else []
        return [*relevance, *self.support.claims, *([] if self.utility.ungraded else [self.utility])]


class Segment(CritiquedAnswer):
    """One sentence of a path; `parent` is the id of the one before it, "" for the first.

    `next` is the decision at its end, null before it was made.
    """

    id: str
    parent: str = ""
    next: Decision | None = None

    @property
    def grounded(self) -> bool:
        """Return whether it was written from a passage."""
        return self.passage_id is not None


def draft_of(answer: CritiquedAnswer) -> Draft:
    """Return an answer as what may go out."""
    return Draft(
        answer=answer.answer,
        citations=answer.citations,
        support=answer.support,
        utility=answer.utility,
        cut=answer.cut,
        not_said=answer.not_said,
    )


def _support_of(claim: Claim) -> float:
    """Return s(Sup) of a claim: where none can tell, the paper's model has no token (A.3)."""
    if claim.probabilities is None:
        return CLAIMS[claim.support or "none"]
    total = sum(claim.probabilities.get(support, 0.0) for support in CLAIMS)
    worth = sum(value * claim.probabilities.get(support, 0.0) for support, value in CLAIMS.items())
    return worth / total if total else 0.0


def use_of(utility: UtilityVerdict) -> float:
    """Return s(Use): the mean of what the five scores are worth (A.3), -1 without a verdict."""
    if utility.score is None:
        return -1.0
    if utility.probabilities is None:
        return (utility.score - 3) / 2
    by_level = {level: utility.probabilities.get(str(level), 0.0) for level in range(1, 6)}
    total = sum(by_level.values())
    return sum((level - 3) / 2 * probability for level, probability in by_level.items()) / total if total else 0.0


def scale_of(judgements: Iterable[Probable]) -> Scale:
    """Return the scale of the scores that are made of these judgements."""
    scales: set[Scale] = {"labels" if judged.probabilities is None else "probabilities" for judged in judgements}
    return "labels" if not scales else scales.pop() if len(scales) == 1 else "mixed"


def grounds(terms: Terms, weights: Weights) -> float:
    """Return the score of a text without its use: w_rel s(Rel) + w_sup s(Sup)."""
    return weights.rel * (terms.rel or 0.0) + weights.sup * terms.sup


def score(terms: Terms, weights: Weights) -> float:
    """Return the score of an answer: f = w_rel s(Rel) + w_sup s(Sup) + w_use s(Use) (A.3, without its q)."""
    return grounds(terms, weights) + weights.use * terms.use


def out(answer: CritiquedAnswer, constraints: Constraints) -> Out:
    """Return why it cannot win, "" if it can: no verdict on its passage, no text, or a hard constraint (3.3)."""
    if answer.relevance is not None and answer.terms.rel is None:
        return "ungraded"
    if constraints == "hard" and answer.relevance is not None and not answer.relevance.relevant:
        return "irrelevant"
    if not answer.answer:
        return "no_answer"
    if constraints == "hard" and answer.support.level == "no_support":
        return "no_support"
    return ""
