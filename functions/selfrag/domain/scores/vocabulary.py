"""The ids of the reflection tokens: what the server's numbers mean."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from selfrag.domain.scores.tokens import CONTROL, END, RELEVANCE, RETRIEVE, SUPPORT, UTILITY

# Of selfrag_llama2_7b, as two public repositories have them. The 13B model's were not seen.
IDS: dict[str, int] = {
    "[No Retrieval]": 32000,
    "[Retrieval]": 32001,
    "[Continue to Use Evidence]": 32002,
    "[Irrelevant]": 32003,
    "[Relevant]": 32004,
    "<paragraph>": 32005,
    "</paragraph>": 32006,
    "[Utility:1]": 32007,
    "[Utility:2]": 32008,
    "[Utility:3]": 32009,
    "[Utility:4]": 32010,
    "[Utility:5]": 32011,
    "[Fully supported]": 32012,
    "[Partially supported]": 32013,
    "[No support / Contradictory]": 32014,
    "<pad>": 32015,
    END: 2,
}
GROUPS = (RETRIEVE, RELEVANCE, SUPPORT, UTILITY)


@dataclass(frozen=True)
class Vocabulary:
    """The id of each token; all of IDS' tokens have one, and no two the same."""

    ids: Mapping[str, int]

    @cached_property
    def tokens(self) -> dict[int, str]:
        """Return the tokens by their ids."""
        return {number: token for token, number in self.ids.items()}

    @cached_property
    def graded(self) -> list[int]:
        """Return the ids of the four groups, which the server is to list at every position."""
        return self.of(token for group in GROUPS for token in group)

    @cached_property
    def controls(self) -> list[int]:
        """Return the ids of the sixteen control tokens."""
        return self.of(CONTROL)

    def of(self, tokens: Iterable[str]) -> list[int]:
        """Return the ids of these tokens."""
        return [self.ids[token] for token in tokens]
