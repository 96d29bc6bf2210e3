"""Ranking of answers, individually or as votes for the options of a closed set (arXiv 2310.11511, B.2)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from selfrag.domain.questions import Weights
from selfrag.domain.scores.critiqued import Constraints, CritiquedAnswer, RejectionReason, rejection_reason, score
from selfrag.domain.scores.options import normal

# Tolerance for equal scores.
EQUAL = 1e-9
T = TypeVar("T")


@dataclass(frozen=True)
class RankedAnswer:
    """An answer's index in retrieval order, score and rejection reason (`out`)."""

    index: int
    score: float
    out: RejectionReason = ""


@dataclass(frozen=True)
class Vote:
    """The winning option, each option's sum of f, its voters (indexes), and the number of abstentions."""

    option: str
    sums: dict[str, float]
    voters: dict[str, list[int]]
    unmatched: int


def rank_answers(
    answers: Sequence[CritiquedAnswer],
    weights: Weights,
    constraints: Constraints,
    dates: Mapping[str, str] | None = None,
) -> list[RankedAnswer]:
    """Rank all answers, best first, then the rejected ones.

    Ties go to the later date, then to the earlier in retrieval order.
    """
    age = ages(dates or {})
    judged = [
        RankedAnswer(index, score(answer.terms, weights), rejection_reason(answer, constraints))
        for index, answer in enumerate(answers)
    ]
    inside = sort_by_score(
        [answer for answer in judged if not answer.out],
        lambda item: item.score,
        lambda item: (age(answers[item.index].passage_id), item.index),
    )
    return [*inside, *(answer for answer in judged if answer.out)]


def ages(dates: Mapping[str, str]) -> Callable[[str | None], int]:
    """Return a function from passage id to age rank, 0 for the latest date; undated passages are oldest."""
    order = sorted(set(dates.values()), reverse=True)
    return lambda passage_id: order.index(date) if (date := dates.get(passage_id or "")) else len(order)


def count_votes(
    answers: Sequence[CritiquedAnswer], order: Sequence[RankedAnswer], choices: Sequence[str]
) -> Vote | None:
    """Return the vote with the highest sum of f (B.2), or None if no answer names an option.

    An answer and an option are compared normalized: "(A)" is A, "True." and SUPPORTS are true. Ties go to the option
    with the best single answer, then to the caller's order.
    """
    # Of options that are the same normalized, the first.
    by_name = {normal(option): option for option in reversed(choices)}
    voters: dict[str, list[int]] = {option: [] for option in choices}
    inside = [answer for answer in order if not answer.out]
    for answer in inside:
        if option := by_name.get(normal(answers[answer.index].answer)):
            voters[option].append(answer.index)
    if not any(voters.values()):
        return None
    scores = {answer.index: answer.score for answer in inside}
    sums = {option: sum(scores[i] for i in indexes) for option, indexes in voters.items()}
    best = {option: max((scores[i] for i in indexes), default=float("-inf")) for option, indexes in voters.items()}
    named = [option for option in choices if voters[option]]
    by_best = sort_by_score(named, lambda option: best[option], list(choices).index)
    first = sort_by_score(named, lambda option: sums[option], by_best.index)[0]
    return Vote(first, sums, voters, len(inside) - sum(map(len, voters.values())))


def sort_by_score(items: Sequence[T], score_of: Callable[[T], float], tie: Callable[[T], Any]) -> list[T]:
    """Sort by score, highest first; runs within EQUAL of their first by `tie`, lowest first."""
    groups: list[list[T]] = []
    for item in sorted(items, key=score_of, reverse=True):
        if groups and score_of(groups[-1][0]) - score_of(item) <= EQUAL:
            groups[-1].append(item)
        else:
            groups.append([item])
    return [item for group in groups for item in sorted(group, key=tie)]
