"""Walks every sequence of replies through the planner; situations that go on alike are walked once."""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import inf
from typing import Any, Protocol
from unittest.mock import patch

from selfrag.domain.ledger import rounds
from selfrag.domain.policy import Policy
from selfrag.plan import self_rag
from selfrag.plan.limits import calls, has_room
from selfrag.plan.passes import Plan, PlannedStep
from selfrag.plan.planner import STRATEGIES, QuestionRequest, advance, first_pass, policy_of
from selfrag.plan.reports import REPORTS, Report
from selfrag.plan.state import State

# A label, and the result of a step; None is a step that failed.
Reply = tuple[str, dict[str, Any] | None]
# Results that follow from the tasks.
COMPUTED = ("RankPaths", "PickCandidate")
# So many of the situations that were come to before are walked again.
WALKED_AGAIN = 0.01


class Replies(Protocol):
    """Possible replies of steps, as far as they differ, and the relevant part of a situation."""

    policy: dict[str, Any]

    def of(self, step: str, task: Mapping[str, Any], passage_ids: Sequence[str], seen: Sequence[str]) -> list[Reply]:
        """Return the labelled results that a step may have; `seen` are the passages of searches before."""

    def deciding(self, state: Any) -> Any:
        """Return what of a situation can still make a difference, as JSON; the calls so far are not part of it."""


@dataclass
class Reach:
    """The reachable outcomes of a situation: number of sequences, the longest, the maximum of calls and of rounds.

    It was found with `spent` calls, and is the same with `fewest` to `most` more than these: the cap on calls is the
    only thing that a number of calls decides.
    """

    spent: int
    sequences: int = 0
    longest: tuple[str, ...] = ()
    calls: int = 0
    rounds: int = 0
    fewest: float = -inf
    most: float = inf

    def holds(self, spent: int) -> bool:
        """Return whether the same follows after so many calls."""
        return self.fewest <= spent - self.spent <= self.most

    def bounded(self, fewest: float, most: float) -> None:
        """Hold for no more than these."""
        self.fewest, self.most = max(self.fewest, fewest), min(self.most, most)

    def same(self, other: "Reach") -> bool:
        """Return whether the same follows."""
        return (self.sequences, self.calls, self.rounds) == (other.sequences, other.calls, other.rounds)


@dataclass
class Walk:
    """A walk of one policy; `previous` is the id of the question that it follows."""

    replies: Replies
    previous: str = ""
    found: dict[str, list[Reach]] = field(default_factory=dict)
    _open: list[Reach] = field(default_factory=list)
    _random: random.Random = field(default_factory=lambda: random.Random(1))

    def __post_init__(self) -> None:
        policy = {"deadline_seconds": 100_000, "web_search": True, **self.replies.policy}
        self.request = QuestionRequest(
            question="How many days?", collections=["c"], policy=policy, previous=self.previous
        )
        full = policy_of(policy)
        self.strategy = STRATEGIES[full.strategy](full, 0.0)

    @property
    def situations(self) -> int:
        """Return the number of distinct situations."""
        return sum(len(some) for some in self.found.values())

    def reach(self) -> Reach:
        """Walk all sequences."""
        asked = self._has_room
        with patch.object(self_rag, "has_room", asked):
            return self._reach(*first_pass(self.request, 0.0))

    def _has_room(self, state: State, policy: Policy, more: int) -> bool:
        left = policy.max_model_calls - calls(state) - more
        self._open[-1].bounded(-inf, left) if left >= 0 else self._open[-1].bounded(left + 1, inf)
        return has_room(state, policy, more)

    def _reach(self, state: State, plan: Plan) -> Reach:
        """Return what follows from here, with the calls and rounds until here."""
        spent, turns = calls(state), rounds(state.ledger)
        if not plan.steps:
            return Reach(spent, 1, (), spent, turns)
        computed = all(step.step in COMPUTED for step in plan.steps)
        kept = [] if computed else self.found.setdefault(self._key(state, plan), [])
        reach = next((one for one in kept if one.holds(spent)), None)
        if reach is None:
            reach = self._beyond(state, plan, spent, turns)
            kept.append(reach)
        elif self._random.random() < WALKED_AGAIN:
            again = self._beyond(state, plan, spent, turns)
            assert again.same(reach), f"taken for equal, and goes on differently: {[one.why for one in state.passes]}"
        fewest, most = reach.fewest + reach.spent - spent, reach.most + reach.spent - spent
        return replace(
            reach, spent=spent, calls=reach.calls + spent, rounds=reach.rounds + turns, fewest=fewest, most=most
        )

    def _beyond(self, state: State, plan: Plan, spent: int, turns: int) -> Reach:
        """Return what follows, with calls and rounds counted from here."""
        reach = Reach(spent)
        for label, reports in self._alternatives(state, plan):
            self._open.append(reach)
            after = advance(self.request, self.strategy, state, reports)
            self._open.pop()
            found = self._reach(*after)
            reach.bounded(found.fewest, found.most)
            reach.sequences += found.sequences
            reach.longest = max(reach.longest, (label, *found.longest), key=len)
            reach.calls, reach.rounds = max(reach.calls, found.calls), max(reach.rounds, found.rounds)
        reach.calls, reach.rounds = reach.calls - spent, reach.rounds - turns
        return reach

    def _alternatives(self, state: State, plan: Plan) -> Iterator[tuple[str, list[Report]]]:
        steps = "+".join(dict.fromkeys(step.step for step in plan.steps))
        for picked in product(*(self._of(state, step) for step in plan.steps)):
            said = ", ".join(label for label, _ in picked if label)
            yield f"{steps}: {said}", [report for _, report in picked]

    def _of(self, state: State, step: PlannedStep) -> list[tuple[str, Report]]:
        compared = state.compared.model_dump(mode="json") if state.compared else {}
        task = {"id": step.id, **compared, **step.model_dump(mode="json")["task"]}
        replies = self.replies.of(step.step, task, step.passage_ids, state.seen)
        return [(label, _report(step, result)) for label, result in replies]

    def _key(self, state: State, plan: Plan) -> str:
        steps = sorted(step.step for step in plan.steps)
        return json.dumps([steps, self.replies.deciding(state)], sort_keys=True, default=str)


def _report(step: PlannedStep, result: dict[str, Any] | None) -> Report:
    error = "StepFailed" if result is None else None
    (report,) = REPORTS.validate_python([{"step": step.step, "id": step.id, "result": result, "error": error}])
    return report
