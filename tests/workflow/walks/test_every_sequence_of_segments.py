"""The bound on every path of `segments`, found by walking all of them: what each live path decides, what each passage
brings, and of what use each path is judged, in any number of each.

All sequences are walked of a policy that is small: two passages a search, two paths, three sentences at most. What is
walked once for many, and why nothing is lost by it:

- Which passage of a search has which fate: paths rank by score, and of equals it is told apart only in what they cite.
- What a path comes to in a level, where another outcome of it leaves the same sentences that may stand, the same search
  and the same end: each is run through the definition, and the one with the most calls goes on for all of them. Why a
  sentence is out is not asked again. Where the cap on calls can be met, only those of equally many calls are equal.
- Retrieve without a verdict: it goes where yes goes, so it is followed with the best passages alone.
- What the endpoint wrote for a level, where a sentence is irrelevant, unsupported, empty, repeated or cut: then all of
  the level are. Mixed with others are those without a verdict, which go out in the same way. In the last level a path
  only goes on or is complete.
- Situations that differ in the text of their paths: two go on alike whose paths have the same scores, lengths and
  verdicts in the same order, since nothing else of a path is asked for.

A supported sentence has one of two scores. Each way says how deep it goes and which fates it has: of two sentences with
Claude under hard constraints all but a sentence whose support has no verdict, of three (slow) the same.
That one, and the largest policy, are walked at random, for the bound and for what holds of each response.
"""

import random
from typing import Any

import pytest

from tests.support.walks import trees
from tests.support.walks.walked_trees import Segments, bound, direct_requests, walk
from tests.support.walks.walker import Choice, Variables, Walker

SEQUENCES = 100
SAMPLES = 200


class Sampled(Segments):
    """One sequence at random, of any policy: of each lane a single alternative."""

    def __init__(self, seed: int, **policy: Any) -> None:
        super().__init__(**policy)
        self._random = random.Random(seed)
        # Of a few sequences nearly all is good, so that they are long.
        self._fates = self._random.choice([("best", "worse", "unchecked"), tuple(trees.FATES)])

    def of_a_path(self, one: dict[str, Any], variables: Variables) -> list[Choice]:
        if variables["direct"]:
            return [self._random.choice(trees.directs())]
        size = self._random.choice([self.policy["top_k"], self._random.randint(0, self.policy["top_k"])])
        decision = self._random.choice(["yes"] * 5 + ["continue", "no", "ungraded", "complete"])
        fates = self._random.choices(self._fates, k=1 if decision in ("continue", "no") else size)
        return [trees.path(decision, fates)]

    def requests(self, variables: Variables) -> list[Choice]:
        if variables["direct"]:
            return [self._random.choice(direct_requests())]
        ends = ["yes"] * 4 + ["continue", "no", "complete 5", "complete 1"]
        branches = variables["branches"]
        return [
            trees.request(branches, [(self._random.choice(self._fates), self._random.choice(ends)) for _ in branches])
        ]

    def one(self) -> tuple[dict[str, Any], Walker]:
        walker = self.walker()
        return walker.one(self.asked(), lambda name, lane, choices: self._random.choice(choices)), walker


# Generator, constraints, whether it follows up on a question, and what of the small policy is another. A direct answer
# that comes to nothing is one call more than the specification counts.
WAYS: list[tuple[str, str, bool, dict[str, Any]]] = [
    ("claude", "hard", False, {"max_segments": 2}),
    ("claude", "hard", True, {"beam": 1, "fates": ("best", "worse", "repeated")}),
    ("claude", "hard", False, {"max_model_calls": 20, "fates": ("best", "unsupported")}),
    ("claude", "soft", False, {"max_segments": 2, "fates": ("best", "unsupported")}),
    ("selfrag", "hard", False, {"max_segments": 2}),
    ("selfrag", "soft", False, {"max_sequences": 5, "fates": ("best", "worse", "irrelevant")}),
]
LONG: list[tuple[str, str, bool, dict[str, Any]]] = [("claude", "hard", False, {})]


@pytest.mark.parametrize(
    ("generator", "constraints", "previous", "policy"),
    [*WAYS, *(pytest.param(*w, marks=[pytest.mark.slow, pytest.mark.longest(90)]) for w in LONG)],
)
def test_every_sequence_of_verdicts_ends_within_the_specifications_calls_and_levels(
    generator: str, constraints: str, previous: bool, policy: dict[str, Any], record_property: Any
) -> None:
    segments = Segments(generator=generator, constraints=constraints, **policy)
    reach, walker = walk(segments, previous)
    record_property(
        "figures",
        f"segments, {generator}, {constraints}, {policy}: {reach.sequences:,} sequences of verdicts in "
        f"{walker.situations:,} situations; {len(reach.longest) - 1} steps and {reach.most_calls} model calls at most",
    )
    record_property("figures", "the longest: " + " | ".join(reach.longest))
    assert reach.sequences > SEQUENCES
    assert reach.most_calls <= min(bound(segments.policy) + 1, segments.policy["max_model_calls"])
    assert reach.ends == {"answered", "partial", "abstained", "failed"}


@pytest.mark.parametrize("generator", ["claude", "selfrag"])
def test_no_sequence_under_the_largest_policy_goes_beyond_its_bound(generator: str, record_property: Any) -> None:
    most, levels = 0, 0
    for seed in range(SAMPLES):
        size = {"beam": 3, "top_k": 8 if seed % 4 == 0 else 2, "max_segments": 6}
        caps = {"max_model_calls": 80, "max_sequences": 60} if seed % 2 == 0 else {}
        segments = Sampled(seed, generator=generator, **size, **caps)
        response, walker = segments.one()
        calls = response["usage"]["model_calls"]
        first = walker.replied[0][2]["verdict"]["decision"]
        assert calls <= bound(segments.policy) + (first == "no")
        most, levels = max(most, calls), max(levels, sum(name == "RankPaths" for name, _, _ in walker.replied))
    record_property(
        "figures", f"segments, {generator}: {SAMPLES} at random; {most} model calls and {levels} levels at most"
    )
    assert levels == 6
