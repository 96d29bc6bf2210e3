"""Walks every sequence of replies through the planner; situations that go on alike are walked once."""

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, Protocol

from selfrag.domain.ledger import rounds
from selfrag.plan.limits import calls
from selfrag.plan.passes import Plan, PlannedStep
from selfrag.plan.planner import STRATEGIES, Request, after, first_pass, policy_of
from selfrag.plan.reports import Report
from selfrag.plan.situation import Situation

# A label, and the result of a step.
Reply = tuple[str, dict[str, Any]]
# So many of the situations that were come to before are looked at again.
LOOKED_AT_AGAIN = 0.02


class Replies(Protocol):
    """What steps may reply, as far as that can make a difference, and what of a situation still can."""

    policy: dict[str, Any]

    def of(self, step: str, task: Mapping[str, Any], passage_ids: Sequence[str], seen: Sequence[str]) -> list[Reply]:
        """Return the labelled results that a step may have; `seen` are the passages of searches before."""

    def deciding(self, known: Any) -> Any:
        """Return what of a situation can still make a difference, as JSON."""


@dataclass
class Reach:
    """What can follow from a situation: how many sequences, the longest, the most calls and rounds, and the ends."""

    sequences: int = 0
    longest: tuple[str, ...] = ()
    calls: int = 0
    rounds: int = 0
    ends: set[str] = field(default_factory=set)


@dataclass
class Walk:
    """A walk of one policy; `end` is what a question comes to, by all that is known at its end."""

    replies: Replies
    end: Callable[[Situation], str]
    previous: str = ""
    known: dict[str, Reach] = field(default_factory=dict)
    _random: random.Random = field(default_factory=lambda: random.Random(1))

    def __post_init__(self) -> None:
        policy = {"deadline_seconds": 100_000, **self.replies.policy}
        self.request = Request(question="How many days?", collections=["c"], policy=policy, previous=self.previous)
        full = policy_of(policy)
        self.strategy = STRATEGIES[full.strategy](full, 0.0)

    def reach(self) -> Reach:
        """Walk all sequences."""
        return self._reach(*first_pass(self.request, 0.0))

    def _reach(self, known: Situation, plan: Plan) -> Reach:
        if not plan.steps:
            return Reach(1, (), calls(known), rounds(known.ledger), {self.end(known)})
        key = self._key(known, plan)
        spent = (calls(known), rounds(known.ledger))
        if key not in self.known:
            self.known[key] = self._beyond(known, plan, spent)
        elif self._random.random() < LOOKED_AT_AGAIN:
            again = self._beyond(known, plan, spent)
            assert (again.sequences, again.calls, again.rounds, again.ends) == (
                self.known[key].sequences,
                self.known[key].calls,
                self.known[key].rounds,
                self.known[key].ends,
            ), f"two situations that are taken for equal go on in different ways: {key}"
        found = self.known[key]
        return replace(found, calls=found.calls + spent[0], rounds=found.rounds + spent[1])

    def _beyond(self, known: Situation, plan: Plan, spent: tuple[int, int]) -> Reach:
        """Return what follows, with calls and rounds counted from here."""
        reach = Reach()
        for label, reports in self._alternatives(known, plan):
            found = self._reach(*after(self.request, self.strategy, known, reports))
            reach.sequences += found.sequences
            reach.ends |= found.ends
            reach.longest = max(reach.longest, (label, *found.longest), key=len)
            reach.calls, reach.rounds = max(reach.calls, found.calls), max(reach.rounds, found.rounds)
        reach.calls, reach.rounds = reach.calls - spent[0], reach.rounds - spent[1]
        return reach

    def _alternatives(self, known: Situation, plan: Plan) -> Iterator[tuple[str, list[Report]]]:
        seen = known.seen
        each = [self._of(known, step, seen) for step in plan.steps]
        for picked in product(*each):
            label = "+".join(dict.fromkeys(step.step for step in plan.steps))
            said = ", ".join(label for label, _ in picked if label)
            yield f"{label}: {said}", [report for _, report in picked]

    def _of(self, known: Situation, step: PlannedStep, seen: Sequence[str]) -> list[tuple[str, Report]]:
        told = known.compared.model_dump(mode="json") if known.compared else {}
        task = {"id": step.id, **told, **step.task}
        found = self.replies.of(step.step, task, step.passage_ids, seen)
        return [(label, Report(step=step.step, id=step.id, result=result)) for label, result in found]

    def _key(self, known: Situation, plan: Plan) -> str:
        steps = sorted(step.step for step in plan.steps)
        return json.dumps([steps, self.replies.deciding(known)], sort_keys=True, default=str)
