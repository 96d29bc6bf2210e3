"""The verdicts and the terms of what the fine-tuned model wrote (arXiv 2310.11511, 3.3 and A.3), from its reading."""

from collections.abc import Sequence
from typing import Literal

from selfrag.domain.base import Model
from selfrag.domain.passages import Passage
from selfrag.domain.scores.critiqued import Terms
from selfrag.domain.scores.generated import CritiqueReading, Group, Unproven
from selfrag.domain.scores.terms import (
    mass,
    most_probable,
    needs_search,
    relevance_score,
    retrieval_ratio,
    support_score,
    utility_score,
)
from selfrag.domain.scores.tokens import END, RELEVANCE, RETRIEVE, SUPPORT, UTILITY
from selfrag.domain.verdicts import (
    Decision,
    RelevanceVerdict,
    RetrievalVerdict,
    SupportLevel,
    SupportVerdict,
    UtilityVerdict,
)

# Below this share of all probability a ratio of two tokens rests on noise.
NOISE = 0.01
# s(Use) of what met the length limit before its critique; of what just ends without one it is 0.
CUT_USE = -1.0
_DECISIONS: dict[str, Decision] = dict(zip(RETRIEVE, ("no", "yes", "continue"), strict=True))
_LEVELS: dict[str, SupportLevel] = dict(
    zip(SUPPORT, ("no_support", "partially_supported", "fully_supported"), strict=True)
)
_USES: dict[str, Literal[1, 2, 3, 4, 5]] = dict(zip(UTILITY, (1, 2, 3, 4, 5), strict=True))


class Verdicts(Model):
    """The model's verdicts on its own text; `relevance` is null of a text that rests on no passage."""

    relevance: RelevanceVerdict | None
    support: SupportVerdict
    utility: UtilityVerdict
    terms: Terms


def verdicts_of(reading: CritiqueReading, passage: Passage | None, model: str) -> Verdicts:
    """Return the verdicts on one text; raises Unproven without IsRel on its passage.

    An absent IsSup is worth 0 and is no verdict: the model writes none after `[Irrelevant]`.
    """
    groups = [group for group in (reading.relevance, reading.support, reading.utility) if group]
    rel = relevance_score(reading.relevance.probabilities) if reading.relevance else None
    if passage is not None and rel is None:
        raise Unproven("it has no verdict on its passage")
    return Verdicts(
        relevance=None if passage is None or rel is None else _relevance(passage, reading, rel),
        support=SupportVerdict(level=_LEVELS.get(_label(reading.support, SUPPORT), "ungraded"), model=model),
        utility=UtilityVerdict(score=_USES.get(_label(reading.utility, UTILITY))),
        terms=Terms(
            rel=rel,
            sup=(support_score(reading.support.probabilities) if reading.support else None) or 0.0,
            use=_use(reading),
            seq=reading.seq,
            truncated=any(group.truncated for group in groups),
        ),
    )


def ungraded(passage: Passage) -> RelevanceVerdict:
    """Return the verdict on a passage of which nothing was proven."""
    return RelevanceVerdict(
        passage_id=passage.passage_id, document=passage.document, relevant=False, score=None, label="ungraded"
    )


def decision_of(group: Group | None, sampled: str, threshold: float | None, *, follow_up: bool) -> RetrievalVerdict:
    """Decide whether to search: r strictly above the threshold; without a threshold the written token decides.

    `continue` is an answer where there is evidence to go on with. Neither token is no decision.
    """
    ratio = retrieval_ratio(group.probabilities) if group else None
    if group is None or ratio is None:
        return RetrievalVerdict(decision="ungraded", reason="the model gave neither of the tokens that decide")
    reason = (
        f"r is {ratio:.4f}; the tokens that decide have {mass(group.probabilities, RETRIEVE):.4f} of all probability"
    )
    return RetrievalVerdict(
        decision=_decided(group, ratio, sampled, threshold, follow_up=follow_up), reason=reason, ratio=min(ratio, 1.0)
    )


def next_of(reading: CritiqueReading, threshold: float | None) -> Decision | None:
    """Return the model's decision at the end of its segment; None where it met the length limit."""
    if reading.cut:
        return None
    # A server need not tell the token that ends all.
    if reading.last in (END, ""):
        return "complete"
    ratio = retrieval_ratio(reading.next.probabilities) if reading.next else None
    if reading.next is None:
        return "ungraded"
    if most_probable(reading.next.probabilities, RETRIEVE) == RETRIEVE[2]:
        return "continue"
    return "ungraded" if ratio is None else _decided(reading.next, ratio, reading.last, threshold, follow_up=True)


def _decided(group: Group, ratio: float, sampled: str, threshold: float | None, *, follow_up: bool) -> Decision:
    if follow_up and most_probable(group.probabilities, RETRIEVE) == RETRIEVE[2]:
        return "continue"
    if threshold is None:
        return "yes" if sampled == RETRIEVE[1] else "no"
    return "yes" if needs_search(ratio, threshold) else "no"


def _relevance(passage: Passage, reading: CritiqueReading, score: float) -> RelevanceVerdict:
    relevant = _label(reading.relevance, RELEVANCE) == RELEVANCE[1]
    return RelevanceVerdict(
        passage_id=passage.passage_id,
        document=passage.document,
        relevant=relevant,
        score=min(score, 1.0),
        label="relevant" if relevant else "irrelevant",
    )


def _label(group: Group | None, tokens: Sequence[str]) -> str:
    """Return the most probable token of a group, the less favourable of two, "" where there is none."""
    return (most_probable(group.probabilities, tokens) if group else None) or ""


def _use(reading: CritiqueReading) -> float:
    use = utility_score(reading.utility.probabilities) if reading.utility else None
    return (CUT_USE if reading.cut else 0.0) if use is None else use
