"""An answer with its critique, and what the critique is worth (arXiv 2310.11511, 3.3 and A.3)."""

from typing import Literal

from pydantic import ConfigDict

from selfrag.domain.answers import Citation, Draft
from selfrag.domain.base import Model
from selfrag.domain.questions import Weights
from selfrag.domain.scores.terms import utility_score
from selfrag.domain.scores.tokens import UTILITY
from selfrag.domain.verdicts import Claim, Critique, Decision, RelevanceVerdict, SupportVerdict, UtilityVerdict

Constraints = Literal["hard", "soft"]
# Why an answer is out. `irrelevant` and `no_support` are so under hard constraints alone; `cut` and `repeated` are
# of segments, and `beam` is what others were better than.
Out = Literal["", "ungraded", "irrelevant", "no_support", "no_answer", "repeated", "cut", "beam"]
CLAIMS = {"full": 1.0, "partial": 0.5, "none": 0.0, "contradicted": 0.0}
LEVELS = {"fully_supported": 1.0, "partially_supported": 0.5, "no_support": 0.0, "ungraded": 0.0}


class Terms(Model):
    """The terms of a score: s(Rel) and s(Sup) from 0 to 1, s(Use) from -1 to 1, and q, from 0 to 1.

    A `rel` of null is no verdict, which puts an answer out. Without probabilities there is no `seq`. One that is
    `truncated` rests on a group that the server did not list whole.
    """

    rel: float | None
    sup: float = 0.0
    use: float = 0.0
    seq: float = 0.0
    truncated: bool = False


class CritiquedAnswer(Critique):
    """An answer from one passage with its critique; `terms` are there where there were probabilities.

    `passage_id` is null of what rests on no passage; `not_said` is as in `Draft`. A `cut` text is not
    whole: it met the length limit, or was to go on with a passage that it has not. `error` says why there is no verdict
    on it, "" where there is one.
    """

    # The workflow keeps more with it.
    model_config = ConfigDict(extra="ignore")

    passage_id: str | None
    answer: str = ""
    citations: list[Citation] = []
    relevance: RelevanceVerdict | None = None
    terms: Terms | None = None
    cut: bool = False
    not_said: list[str] = []
    error: str = ""


class Segment(CritiquedAnswer):
    """One sentence of a path; `parent` is the id of the one before it, "" for the first.

    `raw` is the path up to its end as the generator wrote it, critique tokens included and passages left out;
    `next` is what the generator decided there, null where it has to be asked.
    """

    id: str
    parent: str = ""
    raw: str = ""
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


def terms_of(answer: CritiquedAnswer) -> Terms:
    """Return its own terms, else those of the verdicts."""
    return answer.terms or critique_terms(answer.relevance, answer.support, answer.utility)


def critique_terms(relevance: RelevanceVerdict | None, support: SupportVerdict, utility: UtilityVerdict) -> Terms:
    """Return the terms of verdicts by their probabilities; without them all mass is on one token (ours).

    s(Sup) is the mean over the claims. What is missing has the lowest value of its group.
    """
    supports = [_support_of(claim) for claim in support.claims]
    level = support.level or "ungraded"
    return Terms(
        rel=relevance.score if relevance and relevance.label != "ungraded" else None,
        sup=0.0 if support.ungraded else sum(supports) / len(supports) if supports else LEVELS[level],
        use=use_of(utility),
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
    by_token = {token: utility.probabilities[str(level)] for level, token in enumerate(UTILITY, start=1)}
    return utility_score(by_token) or 0.0


def grounds(terms: Terms, weights: Weights) -> float:
    """Return the score of a text without its use: q + w_rel s(Rel) + w_sup s(Sup)."""
    return terms.seq + weights.rel * (terms.rel or 0.0) + weights.sup * terms.sup


def score(terms: Terms, weights: Weights) -> float:
    """Return the score of an answer: f = q + w_rel s(Rel) + w_sup s(Sup) + w_use s(Use) (A.3)."""
    return grounds(terms, weights) + weights.use * terms.use


def out(answer: CritiquedAnswer, constraints: Constraints) -> Out:
    """Return why it cannot win, "" if it can: no verdict on its passage, no text, or a hard constraint (3.3)."""
    if answer.relevance is not None and terms_of(answer).rel is None:
        return "ungraded"
    if constraints == "hard" and answer.relevance is not None and not answer.relevance.relevant:
        return "irrelevant"
    if not answer.answer:
        return "no_answer"
    if constraints == "hard" and answer.support.level == "no_support":
        return "no_support"
    return ""
