"""The state of the loop's strategies: search, read, answer, reflect, and again."""

from typing import Literal, Self

from selfrag.domain.answers import Draft
from selfrag.domain.base import Model
from selfrag.domain.ledger import Entry, in_order
from selfrag.domain.passages import Strip
from selfrag.plan.situation import Situation

Mode = Literal["grounded", "direct"]
# The order of answers: the weighted sum of their verdicts; at a tie, fewer parts not said, then more full claims.
Worth = tuple[float, int, int]
# No answer is worth so little.
NEVER: Worth = (-10.0, 0, 0)


class Gathering(Model):
    """A search with the reading of its passages, or a part of that.

    It may `decide` whether a search is needed, search for `queries` or fetch `passage_ids`, search the `web`, `grade`
    new passages and `write` answers in these modes. `aim` is the aim of a search, and a `repair` is written from known
    passages. `brought` are the passages of the searches, `fresh` the new ones among them, `folded` are their
    near-duplicates; `since` is the index of its first entry in the ledger.
    """

    decide: bool = False
    queries: list[str] = []
    passage_ids: list[str] = []
    web: str = ""
    grade: bool = True
    write: list[Mode] = []
    aim: Literal["question", "missing", "rewritten"] = "question"
    repair: bool = False
    brought: list[str] = []
    fresh: list[str] = []
    folded: list[str] = []
    bytes: int = 0
    broken: bool = False
    since: int = 0

    @property
    def searches(self) -> bool:
        """Return whether it searches for passages; fetching known ones is no search."""
        return bool(self.queries or self.web)


class Prepared(Model):
    """A query found `after` so many were searched; `new` is false if it was tried before."""

    query: str = ""
    new: bool = False
    after: int = -1


class Loop(Situation):
    """The state between two passes of the loop.

    `stage` is the current pass. `direct` answers rest on no passage. `strips` are the parts of passages that CRAG
    keeps, and `useful` is IsUse of the last answer against the policy's minimum; `useless` counts the answers below it,
    `little` is the best of them. `missing` are phrases to search for, `seeks` is the aim of the next query,
    `lacking` is the answer that missing facts were last searched for, and `failed_claims` are the claims that a repair
    leaves out.
    """

    stage: Literal["search", "read", "reflect"] = "search"
    gathering: Gathering = Gathering()
    direct: bool = False
    recall: bool = False
    query: str = ""
    evidence: list[str] = []
    strips: dict[str, list[Strip]] = {}
    check: bool = False
    useful: Literal["yes", "no", "ungraded"] = "ungraded"
    useless: int = 0
    best_score: Worth = NEVER
    little: Draft = Draft()
    little_score: Worth = NEVER
    failed_claims: list[str] = []
    missing: list[str] = []
    lacking: str = ""
    seeks: Literal["rewritten", "missing"] = "rewritten"
    prepared: Prepared = Prepared()
    stalled: bool = False

    @property
    def has_query(self) -> bool:
        """Return whether the next query was prepared since the last search."""
        return self.prepared.after == len(self.queries)

    def ran(self, step: str) -> bool:
        """Return whether a step ran, with or without a result."""
        return any(entry.step == step for entry in self.ledger)

    def rewrites(self) -> int:
        """Return the number of searches for another query or for missing evidence."""
        return sum(entry.aim in ("rewritten", "missing") for entry in self.ledger)

    def repairs(self) -> int:
        """Return the number of answers that were written again without the claims that failed."""
        return sum(entry.repair for entry in self.ledger)

    def fruitless(self) -> int:
        """Return the number of the last two searches of the documents that found no evidence."""
        searches = [entry for entry in self.ledger if entry.step == "Retrieve"]
        return sum(entry.found == 0 for entry in searches[-2:])

    def with_entries_of_gathering(self, entries: list[Entry]) -> Self:
        """Return the same with these entries in place of the gathering's, in a path's order."""
        return self.but(ledger=[*self.ledger[: self.gathering.since], *in_order(entries)])
