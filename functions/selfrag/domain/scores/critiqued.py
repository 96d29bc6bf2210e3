"""Answers with a critique, and their scores (arXiv 2310.11511, 3.3 and A.3)."""

from collections.abc import Iterable
from typing import Literal

from pydantic import ConfigDict

from selfrag.domain.answers import Citation, Draft
from selfrag.domain.base import Model
from selfrag.domain.questions import Weights
from selfrag.domain.scores.shown import Scale
from selfrag.domain.verdicts import Claim, Critique, Decision, Probable, RelevanceVerdict, UtilityVerdict

Constraints = Literal["hard", "soft"]
# Reasons for rejection. `irrelevant` and `no_support` apply under hard constraints only; `cut` and `repeated` to
# segments; `beam` means outranked.
RejectionReason = Literal["", "ungraded", "irrelevant", "no_support", "no_answer", "repeated", "cut", "beam"]
CLAIMS = {"full": 1.0, "partial": 0.5, "none": 0.0, "contradicted": 0.0}
LEVELS = {"fully_supported": 1.0, "partially_supported": 0.5, "no_support": 0.0, "ungraded": 0.0}


class ScoreTerms(Model):
    """ScoreTerms of a score: s(Rel) and s(Sup) from 0 to 1, and s(Use) from -1 to 1.

    A null `rel` is a missing verdict, which rejects an answer.
    """

    rel: float | None
    sup: float = 0.0
    use: float = 0.0


class CritiquedAnswer(Critique):
    """An answer from one passage with its critique.

    `passage_id` is null without a passage; `not_said` is as in `Draft`. A `cut` text reached the length limit.
    """

    # Stored items have further fields.
    model_config = ConfigDict(extra="ignore")

    passage_id: str | None
    answer: str = ""
    citations: list[Citation] = []
    relevance: RelevanceVerdict | None = None
    cut: bool = False
    not_said: list[str] = []

    @property
    def terms(self) -> ScoreTerms:
        """Return the terms from the verdicts' probabilities; without them all mass is on one token (ours).

        s(Sup) is the mean over claims. Missing values count as the lowest.
        """
        supports = [_support_of(claim) for claim in self.support.claims]
        level = self.support.level or "ungraded"
        return ScoreTerms(
            rel=self.relevance.score if self.relevance and self.relevance.label != "ungraded" else None,
            sup=0.0 if self.support.ungraded else sum(supports) / len(supports) if supports else LEVELS[level],
            use=utility_score(self.utility),
        )

    @property
    def judgements(self) -> list[Probable]:
        """Return the verdicts behind the terms."""
        relevance = [self.relevance] if self.relevance and self.relevance.label != "ungraded" else []
        return [*relevance, *self.support.claims, *([] if self.utility.ungraded else [self.utility])]


class Segment(CritiquedAnswer):
    """A sentence of a path; `parent` is the previous one's id, "" for the first.

    `next` is the decision at its end, null before it is made.
    """

    id: str
    parent: str = ""
    next: Decision | None = None

    @property
    def is_grounded(self) -> bool:
        """Return whether it has a passage."""
        return self.passage_id is not None


def draft_of(answer: CritiquedAnswer) -> Draft:
    """Convert an answer to a draft."""
    return Draft(**dict(answer))


def _support_of(claim: Claim) -> float:
    """Return s(Sup) of a claim, renormalized without "cannot tell", which the paper lacks (A.3)."""
    if claim.probabilities is None:
        return CLAIMS[claim.support or "none"]
    total = sum(claim.probabilities.get(support, 0.0) for support in CLAIMS)
    worth = sum(value * claim.probabilities.get(support, 0.0) for support, value in CLAIMS.items())
    return worth / total if total else 0.0


def utility_score(utility: UtilityVerdict) -> float:
    """Return s(Use): the expected value of the five scores (A.3), -1 without a verdict."""
    if utility.score is None:
        return -1.0
    if utility.probabilities is None:
        return (utility.score - 3) / 2
    by_level = {level: utility.probabilities.get(str(level), 0.0) for level in range(1, 6)}
    total = sum(by_level.values())
    return sum((level - 3) / 2 * probability for level, probability in by_level.items()) / total if total else 0.0


def scale_of(judgements: Iterable[Probable]) -> Scale:
    """Return the scale of scores based on these verdicts."""
    scales: set[Scale] = {"labels" if judged.probabilities is None else "probabilities" for judged in judgements}
    return "labels" if not scales else scales.pop() if len(scales) == 1 else "mixed"


def grounds(terms: ScoreTerms, weights: Weights) -> float:
    """Return a text's score without usefulness: w_rel s(Rel) + w_sup s(Sup)."""
    return weights.rel * (terms.rel or 0.0) + weights.sup * terms.sup


def score(terms: ScoreTerms, weights: Weights) -> float:
    """Return the score of an answer: f = w_rel s(Rel) + w_sup s(Sup) + w_use s(Use) (A.3, without its q)."""
    return grounds(terms, weights) + weights.use * terms.use


def rejection_reason(answer: CritiquedAnswer, constraints: Constraints) -> RejectionReason:
    """Return why an answer is rejected, or "": no verdict on its passage, no text, or a hard constraint (3.3)."""
    if answer.relevance is not None and answer.terms.rel is None:
        return "ungraded"
    if constraints == "hard" and answer.relevance is not None and not answer.relevance.relevant:
        return "irrelevant"
    if not answer.answer:
        return "no_answer"
    if constraints == "hard" and answer.support.level == "no_support":
        return "no_support"
    return ""
