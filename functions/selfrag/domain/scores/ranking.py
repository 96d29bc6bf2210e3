"""The best of several answers, alone or as votes for the options of a closed set (arXiv 2310.11511, B.2)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from selfrag.domain.questions import Weights
from selfrag.domain.scores.critiqued import Constraints, CritiquedAnswer, Out, out, score
from selfrag.domain.scores.options import normal

# Scores that differ by no more are equal.
EQUAL = 1e-9
T = TypeVar("T")


@dataclass(frozen=True)
class RankedAnswer:
    """One answer by its place in retrieval order, its score, and why it is `out`, if it is."""

    index: int
    score: float
    out: Out = ""


@dataclass(frozen=True)
class Vote:
    """The option that won, the sum of f of each, who voted for which (by index), and how many voted for none."""

    option: str
    sums: dict[str, float]
    voters: dict[str, list[int]]
    unmatched: int


def ranked(
    answers: Sequence[CritiquedAnswer],
    weights: Weights,
    constraints: Constraints,
    dates: Mapping[str, str] | None = None,
) -> list[RankedAnswer]:
    """Return all answers, best first, then those that are out.

    Of equals the one of the later date is better, then the earlier in retrieval order.
    """
    age = ages(dates or {})
    judged = [
        RankedAnswer(index, score(answer.terms, weights), out(answer, constraints))
        for index, answer in enumerate(answers)
    ]
    inside = in_order(
        [answer for answer in judged if not answer.out],
        lambda item: item.score,
        lambda item: (age(answers[item.index].passage_id), item.index),
    )
    return [*inside, *(answer for answer in judged if answer.out)]


def ages(dates: Mapping[str, str]) -> Callable[[str | None], int]:
    """Return a function of a passage's id that is 0 for the latest date; a passage without a date counts as oldest."""
    order = sorted(set(dates.values()), reverse=True)
    return lambda passage_id: order.index(date) if (date := dates.get(passage_id or "")) else len(order)


def voted(answers: Sequence[CritiquedAnswer], order: Sequence[RankedAnswer], choices: Sequence[str]) -> Vote | None:
    """Return the option with the highest sum of f (B.2), or None where no answer names an option.

    Of equal sums the option wins that holds the best single answer, then the first of the caller's.
    """
    voters: dict[str, list[int]] = {option: [] for option in choices}
    inside = [answer for answer in order if not answer.out]
    for answer in inside:
        if option := option_of(answers[answer.index].answer, choices):
            voters[option].append(answer.index)
    if not any(voters.values()):
        return None
    scores = {answer.index: answer.score for answer in inside}
    sums = {option: sum(scores[i] for i in indexes) for option, indexes in voters.items()}
    best = {option: max((scores[i] for i in indexes), default=float("-inf")) for option, indexes in voters.items()}
    named = [option for option in choices if voters[option]]
    by_best = in_order(named, lambda option: best[option], list(choices).index)
    first = in_order(named, lambda option: sums[option], by_best.index)[0]
    return Vote(first, sums, voters, len(inside) - sum(map(len, voters.values())))


def option_of(answer: str, choices: Sequence[str]) -> str | None:
    """Return the option that an answer names, both normalised: "(A)" is A, "True." and SUPPORTS are true."""
    name = normal(answer)
    return next((option for option in choices if normal(option) == name), None)


def in_order(items: Sequence[T], score_of: Callable[[T], float], tie: Callable[[T], Any]) -> list[T]:
    """Items by score, highest first; those within EQUAL of the first of their run by `tie`, least first."""
    groups: list[list[T]] = []
    for item in sorted(items, key=score_of, reverse=True):
        if groups and score_of(groups[-1][0]) - score_of(item) <= EQUAL:
            groups[-1].append(item)
        else:
            groups.append([item])
    return [item for group in groups for item in sorted(group, key=tie)]
