"""The ways to compare, and the limits of each by the specification (PAPER.md 9)."""

from dataclasses import dataclass
from typing import Any

from bench.workflow.stories import SPECULATE
from selfrag.domain.policy import Policy
from selfrag.domain.strategies import Strategy

BEAM = Policy(strategy="segments").beam
# One after another; the draft while passages are graded; and more of it while deciding.
_ROUNDS = {"self_rag": (4, 2, 2), "candidates": (4, 3, 2)}


@dataclass(frozen=True)
class Way:
    """A strategy with so many passages a search and so many sentences at most."""

    strategy: Strategy
    top_k: int
    segments: int | None = None

    @property
    def policy(self) -> dict[str, Any]:
        """Return the policy of the request."""
        asked: dict[str, Any] = {"strategy": self.strategy, "top_k": self.top_k}
        if self.segments:
            asked["max_segments"] = self.segments
        return asked

    @property
    def children(self) -> int:
        """Answers, one for each passage, or sentences of a tree in which every one of the beam is followed."""
        return self.top_k + ((self.segments or 1) - 1) * BEAM * self.top_k

    @property
    def calls(self) -> int:
        """Calls of Claude where every passage is relevant and nothing is waste."""
        if self.segments:
            return 1 + (self.segments - 1) * BEAM + 3 * self.children + BEAM
        return 1 + 4 * self.top_k if self.strategy == "candidates" else self.top_k + 4

    def waste(self, speculate: str) -> int:
        """Decisions that a tree of three passages a search makes ahead for sentences that the beam leaves out."""
        ahead = self.segments is not None and speculate != "off"
        return {2: 1, 4: 5}[self.segments or 2] if ahead else 0

    def rounds(self, speculate: str) -> int:
        """Calls one after another, as the definitions make them.

        The third of four levels has no room under `max_model_calls` to decide ahead, so the fourth decides by itself.
        """
        depth = self.segments or 1
        if self.segments and speculate != "off":
            return 2 * depth + 2 + (depth == 4)
        return 4 * depth + 1 if self.segments else _ROUNDS[self.strategy][SPECULATE.index(speculate)]

    def floor(self, speculate: str) -> int:
        """Return the fewest that the specification has for it."""
        depth = self.segments or 1
        if speculate == "off":
            return self.rounds("off")
        return 2 * depth + 2 if self.segments else self.rounds("full")


CANDIDATES = (Way("candidates", 3), Way("candidates", 5))
SEGMENTS = (Way("segments", 3, 2), Way("segments", 3, 4))
# The ways that docs/measurements.md shows.
WAYS = (Way("self_rag", 3), Way("self_rag", 5), *CANDIDATES, *SEGMENTS)
