"""What the strategies of one loop know: search, read, answer, reflect, and again."""

from typing import Literal, Self

from selfrag.domain.answers import Draft
from selfrag.domain.base import Model
from selfrag.domain.ledger import Entry, in_order
from selfrag.domain.passages import Strip
from selfrag.plan.situation import Situation

Mode = Literal["grounded", "direct"]
# No answer has a score that low.
NEVER = -10.0


class Gathering(Model):
    """A search with the reading of what it finds, or a part of that.

    It may `decide` whether a search is needed, search for `queries` or fetch `passage_ids`, search the `web`, `grade`
    what is new and `write` answers in these modes. `aim` is what a search is for, and a `repair` is written from what
    was there. `brought` and `fresh` are the passages that the searches found, and those of them that were not seen
    before; `since` is where its entries begin in the ledger.
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
    bytes: int = 0
    broken: bool = False
    since: int = 0

    @property
    def searches(self) -> bool:
        """Whether it looks for passages; to fetch known ones is no search."""
        return bool(self.queries or self.web)


class Prepared(Model):
    """A query that was found `after` so many were searched; `new` is false where it was tried before."""

    query: str = ""
    new: bool = False
    after: int = -1


class Loop(Situation):
    """What is known between two passes of the loop.

    `stage` is the pass at work. `direct` answers rest on no passage. `strips` are what CRAG keeps of a passage, and
    `useful` is IsUse of the last answer beside the policy's minimum; `useless` counts the answers below it, `little` is
    the best of them. `missing` are phrases to search for, `failed_claims` what a repair leaves out.
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
    best_score: float = NEVER
    little: Draft = Draft()
    little_score: float = NEVER
    failed_claims: list[str] = []
    missing: list[str] = []
    prepared: Prepared = Prepared()
    stalled: bool = False

    @property
    def has_query(self) -> bool:
        """Whether the next query was prepared since the last search."""
        return self.prepared.after == len(self.queries)

    def ran(self, step: str) -> bool:
        """Return whether a step ran, whatever came of it."""
        return any(entry.step == step for entry in self.ledger)

    def rewrites(self) -> int:
        """Return how many rewritten queries were searched."""
        return sum(entry.aim == "rewritten" for entry in self.ledger)

    def searched_for_missing(self) -> bool:
        """Return whether what answers lacked was searched for."""
        return any(entry.aim == "missing" for entry in self.ledger)

    def repairs(self) -> int:
        """Return how many answers were written again without the claims that failed."""
        return sum(entry.repair for entry in self.ledger)

    def fruitless(self) -> int:
        """Return how many of the last two searches of the documents found no evidence."""
        searches = [entry for entry in self.ledger if entry.step == "Retrieve"]
        return sum(entry.found == 0 for entry in searches[-2:])

    def with_entries_of_gathering(self, entries: list[Entry]) -> Self:
        """Return the same with these entries in the place of those that the gathering left, in a path's order."""
        return self.but(ledger=[*self.ledger[: self.gathering.since], *in_order(entries)])
